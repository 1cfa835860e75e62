"""The admin's pages about conversations: an audit to be read, from which nothing can be changed."""

from chat.admin import processes, sessions, usage

__all__ = ["processes", "sessions", "usage"]
