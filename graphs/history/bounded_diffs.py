"""Diffs of one answer: whole while they are short together, and then of each long value the beginning."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from graphs.history.brief_diffs import FIELD_CHARS, LINES
from graphs.history.diffs import DiffEntry, DiffField
from graphs.history.first_difference import alike, clipped, clipped_lines, from_difference, texts_from_difference
from graphs.objects.operations import OF_THE_ROW, Create, Delete, Operation, Record, Update
from graphs.site.preview_places import require_time

#: What the values of one answer may weigh that are compared and shown whole.
MOST = 2_000_000
#: The answer to who just made a change, and knows it.
MOST_TOLD = 200_000
#: One modification, asked for by its id.
MOST_OF_ONE = 10_000_000
#: A value weighs its characters, and more for each line of a text and each piece of JSON: those become lines, too.
LINE_WEIGHT = 40
PIECE_WEIGHT = 10

#: Gives one entry for each operation.
Compare = Callable[[Sequence[Operation]], list[DiffEntry]]


class Room:
    """What is left of the weight of an answer. After the first value that does not fit only short ones do."""

    def __init__(self, most: int = MOST) -> None:
        self._left = most

    def takes(self, *values: Any) -> bool:
        """Whether there is room for the values, which they have then."""
        most = max(self._left, FIELD_CHARS)
        weight = 0
        for value in values:
            weight += weigh(value, most - weight)
            if weight > most:
                self._left = 0
                return False
        self._left -= weight
        return True


def weigh(value: Any, most: int) -> int:
    """What a value weighs; of one that is heavier than `most`, something above that."""
    if isinstance(value, str):
        return len(value) + LINE_WEIGHT * value.count("\n")
    if not isinstance(value, dict | list):
        return 0 if value is None else len(str(value))
    weight = 0
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        weight += len(piece) + PIECE_WEIGHT
        if weight > most:
            break
    return weight


def bounded(operations: Sequence[Operation], room: Room, compare: Compare) -> list[DiffEntry]:
    """The diff of the `net` operations that `compare` makes; values that find no room are `cut`."""
    shortened = [_shortened(operation, room) for operation in operations]
    diff = compare([operation for operation, _long in shortened])
    for entry, (_operation, long) in zip(diff, shortened, strict=True):
        entry["fields"] = [
            _cut(field, *long[field["field"]]) if field["field"] in long else field for field in entry["fields"]
        ]
    return diff


def beginning(value: Any) -> Any:
    """The first lines of a text; of another value the beginning of its JSON, as a text."""
    if not isinstance(value, str):
        return None if value is None else clipped(_first_pieces(value))
    return "\n".join(value[: LINES * FIELD_CHARS].split("\n")[:LINES])


def beginnings(old: Any, new: Any) -> tuple[Any, Any]:
    """The first lines of both from where they first differ; of other values, what differs first, as a text."""
    begun = beginning(old), beginning(new)
    if isinstance(old, str) and isinstance(new, str):
        line = old.rfind("\n", 0, alike(old, new)) + 1
        old, new = texts_from_difference(old, new, line)
    elif begun[0] == begun[1] and old is not None:
        old, new = from_difference(old, new)
    else:
        return begun
    return beginning(old), beginning(new)


def _shortened(operation: Operation, room: Room) -> tuple[Operation, dict[str, tuple[Any, Any]]]:
    """The operation with beginnings of values that find no room, and these values, old and new, by field."""
    require_time()
    match operation:
        case Create(item, record):
            long = {name: (None, value) for name, value in _of_fields(record) if not room.takes(value)}
            return Create(item, record | {name: beginning(new) for name, (_old, new) in long.items()}), long
        case Delete(item, record):
            long = {name: (value, None) for name, value in _of_fields(record) if not room.takes(value)}
            return Delete(item, record | {name: beginning(old) for name, (old, _new) in long.items()}), long
        case Update(item, old, new):
            long = {name: (old[name], value) for name, value in _of_fields(new) if not room.takes(old[name], value)}
            begun = {name: beginnings(*sides) for name, sides in long.items()}
            olds = {name: before for name, (before, _after) in begun.items()}
            news = {name: after for name, (_before, after) in begun.items()}
            return Update(item, old | olds, new | news), long


def _of_fields(record: Record) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in record.items() if name not in OF_THE_ROW]


def _first_pieces(value: Any) -> str:
    """The beginning of the JSON of a value, however long the rest is."""
    text = ""
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += piece[:FIELD_CHARS]
        if len(text) > FIELD_CHARS:
            break
    return text


def _cut(begun: DiffField, old: Any, new: Any) -> DiffField:
    """The field of which the beginning was compared. Of code that came or went all lines are counted."""
    sides: DiffField = {**begun, "old": clipped(begun["old"]), "new": clipped(begun["new"]), "cut": True}
    lines = sides.pop("lines", None)
    if lines is None or begun["form"] != "code" or (old and new):
        return sides
    return {
        **sides,
        "old": None,
        "new": None,
        "lines": clipped_lines(lines),
        "added": _count(new),
        "removed": _count(old),
    }


def _count(code: str | None) -> int:
    return code.removesuffix("\n").count("\n") + 1 if code else 0
