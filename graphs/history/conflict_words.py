"""Conflicts of proposals as people read them: what the items, their fields and the keys in their values are called."""

from collections.abc import Sequence
from typing import Any

from graphs.history.diffs import names_of
from graphs.history.value_words import Told, words_of
from graphs.models import Object
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.objects.stores import labels


def called(conflicts: Sequence[dict[str, Any]], around: Object) -> list[dict[str, Any]]:
    """Conflicts with what is kept with them for all members: what items are called now, and titles of keys."""
    items = [Ref.from_json(each["object"]) for each in conflicts]
    sides = [(each["expected"], each["found"]) for each in conflicts]
    asked = [Told(item, each["field"], side) for item, each, side in zip(items, conflicts, sides, strict=True)]
    found, words = labels(around, items), words_of(asked, around.workspace_id)
    return [
        {
            **conflict,
            **({"label": label} if (label := found.get(item) or _called_before(conflict)) else {}),
            **({"titles": beside["titles"]} if beside.get("titles") else {}),
        }
        for item, conflict, beside in zip(items, conflicts, words, strict=True)
    ]


def _called_before(conflict: dict[str, Any]) -> str:
    """What an item was called that is gone, if the conflict is about all of it."""
    kind, record = KINDS.get(conflict["object"]["type"]), conflict["expected"]
    return kind.name_of(record) if kind and not conflict["field"] and isinstance(record, dict) else ""


def told(conflicts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Conflicts that were kept, with their fields named in the language of whoever reads them now."""
    return [_told(each) for each in conflicts]


def _told(conflict: dict[str, Any]) -> dict[str, Any]:
    kind = KINDS.get(conflict["object"]["type"])
    field = kind.by_name.get(conflict["field"]) if kind else None
    if field is None:
        return conflict
    return {**conflict, "fieldLabel": str(field.label), **({"names": names_of(field)} if field.keys else {})}
