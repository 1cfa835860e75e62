"""The admin's pages about workspaces, who belongs to them, and their graphs."""

from graphs.admin import people, workflows

__all__ = ["people", "workflows"]
