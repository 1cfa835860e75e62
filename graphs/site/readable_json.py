"""JSON as people read it: a line for each value, indented; what is nested deeper than people read is one line."""

import json
from collections.abc import Iterator
from typing import Any

#: Indentation of each line grows with the depth, so that it would outgrow the values by far.
DEEPEST = 8
_INDENT = "  "
_WHOLE = json.JSONEncoder(ensure_ascii=False).encode
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def readable(value: Any, *, sort_keys: bool = False) -> str:
    """The whole value."""
    return "".join(_pieces(value, sort_keys, 0))


def beginning(value: Any, most: int) -> str:
    """So many of its characters, with a mark where there are more."""
    text = ""
    for piece in _pieces(value, False, 0):
        text += piece
        if len(text) > most:
            return f"{text[:most]}\n…"
    return text


def _pieces(value: Any, sort_keys: bool, depth: int) -> Iterator[str]:
    if depth == DEEPEST or not value or not isinstance(value, dict | list | tuple):
        yield (_SORTED if sort_keys else _WHOLE)(value)
        return
    line = "\n" + _INDENT * (depth + 1)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    for number, (name, held) in enumerate(_held(value, sort_keys)):
        yield f"{',' if number else opening}{line}{name}"
        if isinstance(held, dict | list | tuple):
            yield from _pieces(held, sort_keys, depth + 1)
        else:
            yield _WHOLE(held)
    yield "\n" + _INDENT * depth + closing


def _held(value: Any, sort_keys: bool) -> Iterator[tuple[str, Any]]:
    """What a value holds, each with what stands before it."""
    if not isinstance(value, dict):
        return (("", held) for held in value)
    items = sorted(value.items()) if sort_keys else value.items()
    return ((f"{_WHOLE(key if isinstance(key, str) else _WHOLE(key))}: ", held) for key, held in items)
