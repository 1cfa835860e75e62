"""What a person saw, compared with what is there, field by field: nothing of others is lost in silence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Self

from graphs.models import Object
from graphs.objects.kinds import KINDS
from graphs.objects.last_changes import LastChange, last_changes
from graphs.objects.later_changes import LaterChanges, later_changes
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.preconditions import Conflicting, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import stored
from graphs.site.json_values import same

#: Of more nobody reads; they are counted.
MOST_NAMED = 100


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
    """Somebody else changed the same; nothing was done. `conflicts` are the first of them, `count` is of all."""

    def __init__(self, conflicts: Sequence[EditConflict], count: int | None = None) -> None:
        self.count = len(conflicts) if count is None else count
        super().__init__(f"{self.count} conflicts")
        self.conflicts = tuple(conflicts)

    @classmethod
    def of(cls, met: Conflicting, operations: Iterable[Operation]) -> Self:
        """The first of the conflicts that operations met when they were applied."""
        wanted = {operation.item: operation.new for operation in operations if isinstance(operation, Update)}
        return cls(
            [
                EditConflict(
                    each.item, each.field, each.expected, each.found, wanted.get(each.item, {}).get(each.field)
                )
                for each in met.conflicts[:MOST_NAMED]
            ],
            len(met.conflicts),
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
            told = gone[:MOST_NAMED]
            last = last_changes(around, told)
            raise EditConflicts([_gone(item, last.get(item)) for item in told], len(gone))
        return cls(around, versions, now)

    def refuse_conflicts(self, operations: Sequence[Operation]) -> None:
        """Raises `EditConflicts`. The operations were planned on what is there now."""
        touched = [each for each in operations if each.item in self.versions and not isinstance(each, Create)]
        since = later_changes(self.around, [(self.now[each.item], self.versions[each.item]) for each in touched])
        moved_on = [conflict for each in touched for conflict in self._moved_on(each, since[each.item])]
        unseen = self._go_with_deleted(operations)
        if moved_on or unseen:
            named = islice(unseen.items(), max(0, MOST_NAMED - len(moved_on)))
            told = [*moved_on[:MOST_NAMED], *self._unseen(dict(named))]
            raise EditConflicts(told, len(moved_on) + len(unseen))

    def _moved_on(self, operation: Operation, since: LaterChanges) -> Iterator[EditConflict]:
        """The fields of an item that the operation touches and that are not what they were."""
        item, now = operation.item, self.now[operation.item]
        wanted = operation.new if isinstance(operation, Update) else dict.fromkeys(now.record)
        for field, value in wanted.items():
            found = now.record[field]
            if since is None:
                yield EditConflict(item, field, None, found, value, now.version)
            elif field in since and not same(since[field].old, found):
                change = since[field]
                yield EditConflict(item, field, change.old, found, value, now.version, change.by, change.at)

    def _go_with_deleted(self, operations: Sequence[Operation]) -> dict[Ref, Record]:
        """Items that would go because of another one that they name, as edges go with a node, and that nobody saw."""
        deleted = [operation for operation in operations if isinstance(operation, Delete)]
        seen = {operation.item for operation in deleted if operation.item in self.versions}
        unseen: dict[Ref, Record] = {}
        for operation in deleted:
            item, record = operation.item, operation.record
            named = {Ref(field.names, record[field.name]) for field in KINDS[item.type].fields if field.names in KINDS}
            if item not in self.versions and named & seen:
                unseen[item] = record
        return unseen

    def _unseen(self, items: dict[Ref, Record]) -> Iterator[EditConflict]:
        if not items:
            return
        now, last = stored(self.around, items.keys()), last_changes(self.around, items.keys())
        for item, record in items.items():
            by, at = (last[item].by, last[item].at) if item in last else ("", None)
            yield EditConflict(item, "", None, record, None, now[item].version, by, at)


def _gone(item: Ref, last: LastChange | None) -> EditConflict:
    """Says who deleted an item, if that is what happened to it last."""
    if last is None or not last.deleted:
        return EditConflict(item, "", None, None)
    return EditConflict(item, "", last.old, None, None, None, last.by, last.at)
