"""The admin's pages about workspaces, who belongs to them, their graphs, and everything that was changed."""

from graphs.admin import history, objects, people, workflows

__all__ = ["history", "objects", "people", "workflows"]
