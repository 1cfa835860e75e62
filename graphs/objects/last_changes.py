"""What happened last to items of an object, for several at once."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models.expressions import RawSQL

from graphs.models import LiveEdit, Modification, Object
from graphs.objects.kinds import is_object
from graphs.objects.operations import showable
from graphs.objects.refs import Ref

#: The newest modification of each item.
_LAST = """
SELECT m.id FROM unnest(%s::varchar[], %s::varchar[]) AS i(kind, key) CROSS JOIN LATERAL (
    SELECT m.id FROM graphs_modification AS m WHERE m.kind = i.kind AND m.key = i.key AND {condition} LIMIT 1
) AS m
"""
_OF_PART = "m.type = %s AND m.object = %s ORDER BY m.version DESC, m.id DESC"
#: Another one had its name before, if that was deleted.
_OF_OBJECT = """m.type = i.kind
    AND EXISTS (SELECT FROM graphs_changeset AS c WHERE c.id = m.change_set_id AND c.workspace = %s)
    ORDER BY m.id DESC"""

#: The newest modification of each field of objects, each of which is its own item.
_LAST_OF_FIELDS = """
SELECT m.id FROM unnest(%s::varchar[], %s::bigint[], %s::varchar[], %s::varchar[]) AS i(kind, object, key, field)
CROSS JOIN LATERAL (
    SELECT m.id FROM graphs_modification AS m
    WHERE m.type = i.kind AND m.object = i.object AND m.kind = i.kind AND m.key = i.key AND m.field = i.field
    ORDER BY m.version DESC LIMIT 1
) AS m
"""


@dataclass(frozen=True, slots=True)
class LastChange:
    """The last change of an item or a field: what it was before, by whom and when, and whether it was deleted."""

    old: Any
    by: str
    at: datetime | None
    deleted: bool


def last_changes(around: Object, items: Collection[Ref]) -> dict[Ref, LastChange]:
    """The last change of each of these items that is known. However many they are, that takes three queries."""
    found: dict[Ref, LastChange] = {}
    wanted = {str(item): item for item in items}
    for edit in LiveEdit.objects.filter(object=around.pk, items__overlap=[*wanted], saved_at=None).order_by("-version"):
        operations = {f"{each['type']}:{each['id']}": each for each in reversed(edit.operations)}
        for item in (wanted[name] for name in edit.items if name in wanted):
            operation = operations.get(str(item), {})
            deleted = operation.get("action") == "delete"
            found.setdefault(item, LastChange(operation.get("record"), edit.person_label, edit.created_at, deleted))
    objects = [item for item in items if item not in found and is_object(item.type)]
    parts = [item for item in items if item not in found and not is_object(item.type)]
    for some, condition, values in (
        (parts, _OF_PART, [around.type, around.pk]),
        (objects, _OF_OBJECT, [around.workspace_id]),
    ):
        if not some:
            continue
        kinds, keys = [item.type for item in some], [item.key for item in some]
        last = RawSQL(_LAST.format(condition=condition), [kinds, keys, *values])  # noqa: S611 - the values are given
        for modification in Modification.objects.filter(id__in=last).select_related("change_set"):
            deleted = modification.action == Modification.Action.DELETE
            old, by = showable(modification.old), modification.change_set
            found[Ref(modification.kind, modification.key)] = LastChange(old, by.actor_label, by.created_at, deleted)
    return found


def last_of_fields(fields: Collection[tuple[Object, str]]) -> dict[tuple[int, str], LastChange]:
    """The last change of each of these fields that is known, by the primary key of its object. It takes one query."""
    if not fields:
        return {}
    values = [
        [of.type for of, _name in fields],
        [of.pk for of, _name in fields],
        [of.key for of, _name in fields],
        [name for _of, name in fields],
    ]
    last = RawSQL(_LAST_OF_FIELDS, values)  # noqa: S611 - the values are given
    return {
        (each.object, each.field): LastChange(each.old, each.change_set.actor_label, each.change_set.created_at, False)
        for each in Modification.objects.filter(id__in=last).select_related("change_set")
    }
