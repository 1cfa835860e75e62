"""What happened to items since the versions that somebody saw, by field: of many in as many queries as of one."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from graphs.models import Modification, Object
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.operations import Record
from graphs.objects.preconditions import Stored
from graphs.objects.refs import Ref

#: Whoever is further behind than this many modifications of an item is asked about every field.
MOST_LOOKED_AT = 500
#: Each of these rows may hold a value as long as one may be.
AT_ONCE = 100

#: The modifications of objects since a version. Another one had the name of one before, if that was deleted.
_OF_OBJECTS = f"""
SELECT m.id FROM unnest(%s::varchar[], %s::varchar[], %s::bigint[], %s::int[]) AS i(kind, key, id, seen)
CROSS JOIN LATERAL (
    SELECT m.id FROM graphs_modification AS m
    WHERE m.type = i.kind AND m.object = i.id AND m.kind = i.kind AND m.key = i.key AND m.version > i.seen
        AND EXISTS (SELECT FROM graphs_changeset AS c WHERE c.id = m.change_set_id AND c.workspace = %s)
    ORDER BY m.id DESC LIMIT {MOST_LOOKED_AT}
) AS m
"""  # noqa: S608 - a number of ours
#: The newest modifications of parts, but for those of change sets whose live edits were read.
_OF_PARTS = """
SELECT m.id FROM unnest(%s::varchar[], %s::varchar[], %s::int[], %s::text[]) AS i(kind, key, most, read)
CROSS JOIN LATERAL (
    SELECT m.id FROM graphs_modification AS m
    WHERE m.type = %s AND m.object = %s AND m.kind = i.kind AND m.key = i.key
        AND m.change_set_id <> ALL (i.read::uuid[])
    ORDER BY m.version DESC, m.id DESC LIMIT i.most
) AS m
"""
#: What was done live to parts since a version, newest first.
_LIVE = """
SELECT i.kind, i.key, operation, e.person_label, e.created_at, e.change_set
FROM graphs_liveedit AS e CROSS JOIN LATERAL jsonb_array_elements(e.operations) AS operation
JOIN unnest(%s::varchar[], %s::varchar[], %s::int[]) AS i(kind, key, seen)
    ON i.kind = operation ->> 'type' AND i.key = operation ->> 'id'
WHERE e.object_id = %s AND e.items && %s::varchar[] AND (operation ->> 'version')::int > i.seen
ORDER BY e.version DESC
"""


@dataclass(frozen=True, slots=True)
class LaterChange:
    """`old` is what a field was at the version that was seen; who changed it last, and when."""

    old: Any
    by: str
    at: datetime | None


#: By field; None where the history does not tell.
LaterChanges = dict[str, LaterChange] | None


@dataclass(slots=True)
class _Behind:
    """A part of which somebody saw an earlier version, and what is found of later ones, newest first.

    `versions` are still to be found; the change sets `read_live` need no look. `looked_at` modifications were read, of
    change sets that made the versions `change_sets` of the object.
    """

    now: Stored
    version: int
    versions: int
    found: dict[str, LaterChange] = field(default_factory=dict)
    read_live: set[uuid.UUID] = field(default_factory=set)
    live_is_read: bool = False
    looked_at: int = 0
    change_sets: set[int] = field(default_factory=set)

    @property
    def most(self) -> int:
        """How many modifications may tell of the versions."""
        return min(self.versions * len(KINDS[self.now.item.type].fields), MOST_LOOKED_AT)

    def done_live(self, operation: Record, by: str, at: datetime, change_set: uuid.UUID | None) -> None:
        if not self.versions or operation.get("version") != self.version:
            self.live_is_read = True
        if self.live_is_read:
            return
        _fold(self.found, operation.get("old") or operation.get("record") or {}, by, at)
        if change_set:
            self.read_live.add(change_set)
        self.version -= 1
        self.versions -= 1

    def was_modified(self, modification: Modification) -> None:
        if len(self.change_sets) > self.versions:
            return
        self.looked_at += 1
        self.change_sets.add(modification.version)
        if len(self.change_sets) <= self.versions:
            _fold_modification(self.found, modification)

    def told(self) -> LaterChanges:
        """What is found, if that is all."""
        if len(self.change_sets) == self.versions and self.looked_at < MOST_LOOKED_AT:
            return self.found
        return self.found if len(self.change_sets) > self.versions else None


def later_changes(around: Object, seen: Iterable[tuple[Stored, int]]) -> Mapping[Ref, LaterChanges]:
    """What happened to each of these, as they stand, since the version that was seen.

    Each live edit, and each other change set, raises the version of a part by one: as many are read back. A change set
    may stand for several live edits that are forgotten: then more is read than was not seen.
    """
    found: dict[Ref, LaterChanges] = {}
    objects: list[tuple[Stored, int]] = []
    parts: dict[Ref, _Behind] = {}
    for now, version in seen:
        behind = now.version - version
        if behind <= 0 or version < 1:
            found[now.item] = None if behind else {}
        elif is_object(now.item.type):
            objects.append((now, version))
        else:
            parts[now.item] = _Behind(now, now.version, behind)
    found |= _of_objects(around, objects)
    _read_live(around, parts)
    _read_modifications(around, {item: part for item, part in parts.items() if part.versions})
    return found | {item: part.told() for item, part in parts.items()}


def _of_objects(around: Object, seen: Sequence[tuple[Stored, int]]) -> dict[Ref, LaterChanges]:
    if not seen:
        return {}
    items = [now.item for now, _version in seen]
    names = [[item.type for item in items], [item.key for item in items]]
    values = [*names, [now.id for now, _version in seen], [version for _now, version in seen], around.workspace_id]
    found: dict[Ref, dict[str, LaterChange]] = {item: {} for item in items}
    looked_at = dict.fromkeys(items, 0)
    for modification in _modifications(_OF_OBJECTS, values).order_by("-id").iterator(AT_ONCE):
        item = Ref(modification.kind, modification.key)
        looked_at[item] += 1
        _fold_modification(found[item], modification)
    return {item: found[item] if looked_at[item] < MOST_LOOKED_AT else None for item in items}


def _read_live(around: Object, parts: Mapping[Ref, _Behind]) -> None:
    if not parts:
        return
    names = [[item.type for item in parts], [item.key for item in parts]]
    seen = [part.version - min(part.versions, MOST_LOOKED_AT) for part in parts.values()]
    with connection.chunked_cursor() as cursor:
        cursor.execute(_LIVE, [*names, seen, around.pk, [*map(str, parts)]])
        while rows := cursor.fetchmany(AT_ONCE):
            for kind, key, operation, *signed in rows:
                parts[Ref(kind, key)].done_live(json.loads(operation), *signed)


def _read_modifications(around: Object, parts: Mapping[Ref, _Behind]) -> None:
    if not parts:
        return
    names = [[item.type for item in parts], [item.key for item in parts]]
    most = [part.most for part in parts.values()]
    read = ["{%s}" % ",".join(map(str, part.read_live)) for part in parts.values()]  # noqa: UP031 - braces
    values = [*names, most, read, around.type, around.pk]
    for modification in _modifications(_OF_PARTS, values).order_by("-version", "-id").iterator(AT_ONCE):
        parts[Ref(modification.kind, modification.key)].was_modified(modification)


def _modifications(ids: str, values: Sequence[Any]) -> QuerySet[Modification]:
    which = RawSQL(ids, values)  # noqa: S611 - the values are given
    return Modification.objects.filter(id__in=which).select_related("change_set")


def _fold_modification(found: dict[str, LaterChange], modification: Modification) -> None:
    olds = {modification.field: modification.old} if modification.field else modification.old or {}
    _fold(found, olds, modification.change_set.actor_label, modification.change_set.created_at)


def _fold(found: dict[str, LaterChange], olds: Record, by: str, at: datetime) -> None:
    """Puts an earlier change before what was found of later ones, whose authors stay."""
    for name, old in olds.items():
        later = found.get(name)
        found[name] = replace(later, old=old) if later else LaterChange(old, by, at)
