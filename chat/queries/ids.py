"""Ids from outside."""

import uuid

from graphs.site.access import NotFound


def parsed_id(text: str) -> uuid.UUID:
    """An id from outside; whatever is not one names nothing and raises `NotFound`."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None


def stream_name_of(session_id: str) -> str:
    """The name of a session's stream; what is no id names nothing and raises `NotFound`."""
    return f"session_{parsed_id(session_id)}"
