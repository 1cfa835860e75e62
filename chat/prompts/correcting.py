"""What a model reads when a person asks again for less, because an answer was too long or did not pass a filter."""

from typing import Literal

_BEGIN = "[Not written by the person. Their last question was asked before, and "
_CUT = "the answer was cut off, because it was longer than you may write at once. Answer it again in a few sentences."
_FILTERED = (
    "the service filtered it. Answer it again, briefly and in plain words, and leave out what may have been meant."
)


def note_about(code: Literal["context_length", "content_filter"]) -> str:
    """The note, on one line, between brackets."""
    return f"{_BEGIN}{_FILTERED if code == 'content_filter' else _CUT}]"
