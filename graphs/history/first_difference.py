"""Beginnings of long values; of two, those by which one sees where the values first differ."""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from graphs.history.code_diff import DiffLine
from graphs.site.json_values import same

TEXT_CHARS = 100
#: Characters of a text, and of the keys that lead to a value, that are shown before the first difference.
LEAD = 30
PATH_CHARS = 40
#: What stands for a key that is on the other side only.
_NOTHING = "—"
_ABSENT = object()


def clipped(value: Any, most: int = TEXT_CHARS) -> Any:
    """The value, or the beginning of a long one as text."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= most else f"{text[:most]}…"


def clipped_both(old: Any, new: Any, most: int = TEXT_CHARS) -> tuple[Any, Any]:
    """Both values, or of long ones the beginning; where these are alike, what follows where the values differ."""
    begun = clipped(old, most), clipped(new, most)
    if begun[0] != begun[1] or old is None or new is None or same(old, new):
        return begun
    old, new = from_difference(old, new)
    return clipped(old, most), clipped(new, most)


def clipped_lines(lines: Sequence[DiffLine]) -> list[DiffLine]:
    """The lines, of long ones the beginning: of one that came in the place of another, where it differs from that."""
    found = list(lines)
    for same_text, group in groupby(range(len(lines)), key=lambda at: lines[at]["op"] == " "):
        places = list(group)
        gone, come = ([at for at in places if lines[at]["op"] == op] for op in "-+")
        both = () if same_text else zip(gone, come, strict=False)
        texts = {at: clipped(lines[at]["text"]) for at in places}
        for one, other in both:
            texts[one], texts[other] = clipped_both(lines[one]["text"], lines[other]["text"])
        for at in places:
            found[at] = {**lines[at], "text": texts[at]}
    return found


def from_difference(old: Any, new: Any) -> tuple[Any, Any]:
    """Both texts from shortly before they differ; of JSON, what differs first, by its key, after what leads there."""
    if isinstance(old, str) and isinstance(new, str):
        return texts_from_difference(old, new)
    path, old, new = _first(old, new)
    if not path:
        return old, new
    lead = f"…{path if len(path) <= PATH_CHARS else path[-PATH_CHARS:].lstrip('.')}: "
    if isinstance(old, str) and isinstance(new, str):
        old, new = texts_from_difference(old, new)
    return lead + _as_text(old), lead + _as_text(new)


def texts_from_difference(old: str, new: str, at_least: int = 0) -> tuple[str, str]:
    """Both texts from shortly before they differ, if that is far from their beginning, and from `at_least` on."""
    differ = alike(old, new)
    start = max(at_least, differ - LEAD) if differ > TEXT_CHARS - LEAD else at_least
    return (f"…{old[start:]}", f"…{new[start:]}") if start else (old, new)


def alike(old: str, new: str) -> int:
    """How many of the first characters are the same."""
    found, most = 0, min(len(old), len(new))
    while found < most:
        middle = (found + most + 1) // 2
        if old[found:middle] == new[found:middle]:
            found = middle
        else:
            most = middle - 1
    return found


def _first(old: Any, new: Any) -> tuple[str, Any, Any]:
    """The keys that lead to the first difference, in the order of names, and what is there on both sides."""
    path = ""
    while True:
        if isinstance(old, dict) and isinstance(new, dict):
            names: Sequence[Any] = sorted(old.keys() | new.keys())
            sides = [(name, old.get(name, _ABSENT), new.get(name, _ABSENT)) for name in names]
        elif isinstance(old, list) and isinstance(new, list):
            both = range(max(len(old), len(new)))
            sides = [(at, old[at] if at < len(old) else _ABSENT, new[at] if at < len(new) else _ABSENT) for at in both]
        else:
            return path, old, new
        differing = next((each for each in sides if each[1] != each[2]), None)
        # To Python true is 1, to JSON it is not.
        differing = differing or next((each for each in sides if not same(each[1], each[2])), None)
        if differing is None:
            return path, old, new
        key, old, new = differing
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else key


def _as_text(value: Any) -> str:
    return _NOTHING if value is _ABSENT else json.dumps(value, ensure_ascii=False)
