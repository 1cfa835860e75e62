"""The admin's pages about conversations: an audit to be read, and the policy that says what a person is asked."""

from chat.admin import (
    always_send,
    budgets,
    changes,
    feedback,
    fetch_rules,
    offered_models,
    policy,
    prices,
    processes,
    prompts,
    proposals,
    sessions,
    shares,
    usage,
)

changes.register()

__all__ = [
    "always_send",
    "budgets",
    "changes",
    "feedback",
    "fetch_rules",
    "offered_models",
    "policy",
    "prices",
    "processes",
    "prompts",
    "proposals",
    "sessions",
    "shares",
    "usage",
]
