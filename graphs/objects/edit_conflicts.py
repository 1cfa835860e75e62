"""What a person saw, compared with what is there, field by field: nothing of others is lost in silence."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from graphs.models import LiveEdit, Modification, Object
from graphs.objects.kinds import KINDS, is_object
from graphs.objects.last_changes import LastChange, last_changes
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.preconditions import Conflicting, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import stored
from graphs.site.json_values import same

#: Whoever is further behind than this many modifications of an item is asked about every field.
MOST_LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class EditConflict:
    """A field that somebody changed since, or with no field an item, whose `found` is None where it is gone."""

    item: Ref
    field: str
    expected: Any
    found: Any
    wanted: Any = None
    version: int | None = None
    by: str = ""
    at: datetime | None = None


class EditConflicts(Exception):
    """Somebody else changed the same; nothing was done. `count` is of all conflicts, where not each is told."""

    def __init__(self, conflicts: Sequence[EditConflict], count: int | None = None) -> None:
        self.count = len(conflicts) if count is None else count
        super().__init__(f"{self.count} conflicts")
        self.conflicts = tuple(conflicts)

    @classmethod
    def of(cls, met: Conflicting, operations: Iterable[Operation]) -> "EditConflicts":
        """The conflicts that operations met when they were applied."""
        wanted = {operation.item: operation.new for operation in operations if isinstance(operation, Update)}
        return cls(
            [
                EditConflict(
                    each.item, each.field, each.expected, each.found, wanted.get(each.item, {}).get(each.field)
                )
                for each in met.conflicts
            ]
        )


@dataclass(frozen=True, slots=True)
class SeenVersions:
    """The items that a person looked at: the versions of then, and as they are now."""

    around: Object
    versions: dict[Ref, int]
    now: dict[Ref, Stored]

    @classmethod
    def read(cls, around: Object, seen: Sequence[tuple[Ref, int]]) -> "SeenVersions":
        """Raises `EditConflicts` where some of them are gone."""
        versions = dict(seen)
        now = stored(around, versions.keys())
        if gone := [item for item in versions if item not in now]:
            last = last_changes(around, gone)
            raise EditConflicts([_gone(item, last.get(item)) for item in gone])
        return cls(around, versions, now)

    def refuse_conflicts(self, operations: Sequence[Operation]) -> None:
        """Raises `EditConflicts`. The operations were planned on what is there now."""
        found = [conflict for operation in operations for conflict in self._moved_on(operation)]
        found += self._came_with_deleted(operations)
        if found:
            raise EditConflicts(found)

    def _moved_on(self, operation: Operation) -> Iterator[EditConflict]:
        """The fields of an item that the operation touches and that are not what they were."""
        item = operation.item
        if item not in self.versions or isinstance(operation, Create):
            return
        now = self.now[item]
        since = _changed_since(self.around, now, self.versions[item])
        wanted = operation.new if isinstance(operation, Update) else dict.fromkeys(now.record)
        for field, value in wanted.items():
            found = now.record[field]
            if since is None:
                yield EditConflict(item, field, None, found, value, now.version)
            elif field in since and not same(since[field].old, found):
                change = since[field]
                yield EditConflict(item, field, change.old, found, value, now.version, change.by, change.at)

    def _came_with_deleted(self, operations: Sequence[Operation]) -> Iterator[EditConflict]:
        """Items that would go because of another one that they name, as edges go with a node, and that nobody saw."""
        deleted = [operation for operation in operations if isinstance(operation, Delete)]
        seen = {operation.item for operation in deleted if operation.item in self.versions}
        unseen: dict[Ref, Record] = {}
        for operation in deleted:
            item, record = operation.item, operation.record
            named = {Ref(field.names, record[field.name]) for field in KINDS[item.type].fields if field.names in KINDS}
            if item not in self.versions and named & seen:
                unseen[item] = record
        if not unseen:
            return
        now, last = stored(self.around, unseen.keys()), last_changes(self.around, unseen.keys())
        for item, record in unseen.items():
            by, at = (last[item].by, last[item].at) if item in last else ("", None)
            yield EditConflict(item, "", None, record, None, now[item].version, by, at)


@dataclass(frozen=True, slots=True)
class _Change:
    """`old` is what a field was at the version that was seen; who changed it last, and when."""

    old: Any
    by: str
    at: datetime | None


def _changed_since(around: Object, now: Stored, version: int) -> dict[str, _Change] | None:
    """The changes of an item since a version by field; None where the history does not tell.

    Each live edit, and each other change set, raises the version of a part by one: as many are read back. A change set
    may stand for several live edits that are forgotten: then more is read than was not seen.
    """
    behind = now.version - version
    if behind <= 0 or version < 1:
        return None if behind else {}
    if is_object(now.item.type):
        # Another one had its name before, if that was deleted.
        own = _modifications(around, now.item).filter(object=now.id, version__gt=version)[:MOST_LOOKED_AT]
        return _folded(own, {}) if len(own) < MOST_LOOKED_AT else None
    found, behind, read_live = _changed_live(around, now, behind)
    if not behind:
        return found
    change_sets: set[int] = set()
    most = min(behind * len(KINDS[now.item.type].fields), MOST_LOOKED_AT)
    latest = _modifications(around, now.item).exclude(change_set__in=read_live)[:most]
    for modification in latest:
        change_sets.add(modification.version)
        if len(change_sets) > behind:
            return found
        _folded([modification], found)
    cut = len(latest) == MOST_LOOKED_AT
    return found if len(change_sets) == behind and not cut else None


def _folded(latest: Iterable[Modification], found: dict[str, _Change]) -> dict[str, _Change]:
    """What was found of later changes, with these before them."""
    for modification in latest:
        olds = {modification.field: modification.old} if modification.field else modification.old or {}
        _fold(found, olds, *_signed(modification))
    return found


def _fold(found: dict[str, _Change], olds: Record, by: str, at: datetime) -> None:
    """Puts an earlier change before what was found of later ones, whose authors stay."""
    for field, old in olds.items():
        later = found.get(field)
        found[field] = replace(later, old=old) if later else _Change(old, by, at)


def _changed_live(around: Object, now: Stored, behind: int) -> tuple[dict[str, _Change], int, set[uuid.UUID]]:
    """What was done live to an item, how many versions are left to look for, and the change sets that need no look."""
    found: dict[str, _Change] = {}
    read_live: set[uuid.UUID] = set()
    version = now.version
    for edit in _live_edits(around, now.item)[: min(behind, MOST_LOOKED_AT)]:
        operation = edit.on(str(now.item)) or {}
        if operation.get("version") != version:
            break
        olds = operation.get("old") or operation.get("record") or {}
        _fold(found, olds, edit.person_label, edit.created_at)
        if edit.change_set:
            read_live.add(edit.change_set)
        version -= 1
        behind -= 1
    return found, behind, read_live


def _live_edits(around: Object, item: Ref) -> QuerySet[LiveEdit]:
    """The live edits of an item that are still known, newest first."""
    return LiveEdit.objects.filter(object=around.pk, items__contains=[str(item)]).order_by("-version")


def _signed(modification: Modification) -> tuple[str, datetime]:
    return modification.change_set.actor_label, modification.change_set.created_at


def _gone(item: Ref, last: LastChange | None) -> EditConflict:
    """Says who deleted an item, if that is what happened to it last."""
    if last is None or not last.deleted:
        return EditConflict(item, "", None, None)
    return EditConflict(item, "", last.old, None, None, None, last.by, last.at)


def _modifications(around: Object, item: Ref) -> QuerySet[Modification]:
    """Modifications of an item, newest first."""
    found = Modification.objects.filter(kind=item.type, key=item.key).select_related("change_set")
    if is_object(item.type):
        return found.filter(type=item.type, change_set__workspace=around.workspace_id).order_by("-id")
    return found.filter(type=around.type, object=around.pk).order_by("-version", "-id")
