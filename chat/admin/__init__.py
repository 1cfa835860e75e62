"""The admin's pages about conversations: an audit to be read, and the policy that says what a person is asked."""

from chat.admin import budgets, changes, policy, processes, proposals, sessions, usage

changes.register()

__all__ = ["budgets", "changes", "policy", "processes", "proposals", "sessions", "usage"]
