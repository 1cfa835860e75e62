"""Beginnings of long values, for lists: all of a value is in the answer about its object."""

import json
from collections.abc import Mapping
from typing import Any

from graphs.workflows.listing import BEGINNING_CHARS

#: Characters of the handles of one node type: a hundred plain ones take five thousand.
HANDLES_CHARS = 10_000


def beginnings(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values, of long ones the text that they begin with, and the names of those."""
    shown = {name: _beginning(value) for name, value in values.items()}
    return shown, [name for name, value in values.items() if shown[name] is not value]


def first_handles(handles: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], bool]:
    """The first handles of each side that have room together, and whether these are not all."""
    chars_left, shown = HANDLES_CHARS, dict[str, list[Any]]()
    for side, points in handles.items():
        for point in points:
            chars_left -= len(json.dumps(point, ensure_ascii=False))
            if chars_left < 0:
                return shown, True
            shown.setdefault(side, []).append(point)
    return dict(handles), False


def _beginning(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    if not isinstance(text, str) or len(text) <= BEGINNING_CHARS:
        return value
    return f"{text[:BEGINNING_CHARS]}…"
