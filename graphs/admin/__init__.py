"""The admin's pages about workspaces, who belongs to them, their graphs, and everything that was changed."""

from graphs.admin import history, people, workflows

__all__ = ["history", "people", "workflows"]
