"""The shapes in which read tools answer, kept small: long fields are cut with a note how to read on."""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

#: Characters of JSON that one list in an answer may take.
LIST_CHARS = 4_000
#: Characters of one long field of one node.
FIELD_CHARS = 3_000
#: Characters of a label, name or description in a list.
SHORT_CHARS = 200

Row = TypeVar("Row")


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fitting(
    rows: Sequence[Row], shape: Callable[[Row], dict[str, Any]], limit: int = LIST_CHARS
) -> list[dict[str, Any]]:
    """The shapes of the first rows that together take at most `limit` characters of JSON; at least one."""
    shaped: list[dict[str, Any]] = []
    taken = 0
    for row in rows:
        item = shape(row)
        taken += len(as_json(item)) + 1
        if shaped and taken > limit:
            break
        shaped.append(item)
    return shaped


def next_offset(reached: int, total: int, name: str = "nextOffset") -> dict[str, Any]:
    """`{"nextOffset": ...}` where a list goes on."""
    return {name: reached} if reached < total else {}


def shown_of(rows: Sequence[Any], found: Sequence[Any], most: int, what: str, read_on: str) -> str:
    """Says how many rows are shown of what was found, of which more than `most` were not counted; "" where all are."""
    if len(rows) == len(found):
        return ""
    total = f"more than {most}" if len(found) > most else len(found)
    return f"{len(rows)} of {total} {what} are shown: {read_on}."


def note(*sentences: str) -> dict[str, str]:
    """`{"note": ...}` where there is something to say."""
    text = " ".join(sentence for sentence in sentences if sentence)
    return {"note": text} if text else {}
