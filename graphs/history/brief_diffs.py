"""Diffs that stand beside many others: the beginning of each, a few kB long, and how much there is in all."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from graphs.history.diffs import DiffEntry, DiffField
from graphs.history.first_difference import clipped, clipped_both, clipped_lines
from graphs.objects.kinds import KINDS

#: A diff up to this long is whole; of a longer one about as much is kept.
MOST_CHARS = 4_000
#: Within a long diff, a field that is longer than this is cut: to so many lines, and of each text to its beginning.
FIELD_CHARS = 240
LINES = 5


def brief(diff: Sequence[DiffEntry]) -> list[DiffEntry]:
    """The diff, or the beginning of it and the first of each other kind; `cut: true` on fields that are not whole."""
    if chars(diff) <= MOST_CHARS:
        return list(diff)
    kept: list[DiffEntry] = []
    left = MOST_CHARS
    for entry in diff:
        fields = [_brief_field(field) for field in entry["fields"]]
        short: DiffEntry = {**entry, "label": clipped(entry["label"]), "fields": fields}
        left -= chars(short)
        if kept and left < 0:
            break
        kept.append(short)
    return [*kept, *_others(diff, kept)]


def _others(diff: Sequence[DiffEntry], kept: Sequence[DiffEntry]) -> list[DiffEntry]:
    """The first entry, without fields, of each kind that is not among these: it says how several are called."""
    known, found = {entry["object"]["type"] for entry in kept}, list[DiffEntry]()
    for entry in diff[len(kept) :]:
        if "kindPlural" in entry and entry["object"]["type"] not in known:
            known.add(entry["object"]["type"])
            found.append({**entry, "label": clipped(entry["label"]), "fields": []})
    return found


def counts(diff: Iterable[DiffEntry]) -> dict[str, dict[str, int]]:
    """How many items come, change, move (only their position changes) and go, as `{kind: {action: number}}`."""
    found: dict[str, dict[str, int]] = {}
    for entry in diff:
        name = entry["object"]["type"]
        positions = {field.name for field in KINDS[name].fields if field.position} if name in KINDS else set()
        changed = {field["field"] for field in entry["fields"]}
        moves = entry["action"] == "update" and changed and changed <= positions
        action = "move" if moves else str(entry["action"])
        of_kind = found.setdefault(name, {})
        of_kind[action] = of_kind.get(action, 0) + 1
    return found


def _brief_field(field: DiffField) -> DiffField:
    """The field, or its beginning; `added` and `removed` count all lines of code or JSON that is cut."""
    if chars(field) <= FIELD_CHARS:
        return field
    lines = field.get("lines")
    if lines is None:
        old, new = clipped_both(field["old"], field["new"])
        return {**field, "old": old, "new": new, "cut": True}
    ops = [line["op"] for line in lines]
    return {
        **field,
        "old": None,
        "new": None,
        "lines": clipped_lines(lines[:LINES]),
        "added": ops.count("+"),
        "removed": ops.count("-"),
        "cut": True,
    }


def chars(value: Any) -> int:
    """How long it is on the wire, nearly."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
