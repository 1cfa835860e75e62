"""What a person saw, compared with what is there: nothing of others is lost in silence.

An item that moved on is no obstacle by itself: who renames a node is not disturbed by who moved it. Where both touched
the same field, or a deletion would take what its person has not seen, both sides are told.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from graphs.models import Graph, LiveEdit, Modification
from graphs.objects import item_rows
from graphs.objects.kinds import EDGE, GRAPH, KINDS, NODE, NODE_TYPE
from graphs.objects.operations import Create, Delete, Item, Operation, Record, Update
from graphs.objects.preconditions import Conflict
from graphs.site.json_values import same

#: Whoever is further behind than this many modifications of an item is asked about every field.
MOST_LOOKED_AT = 500


@dataclass(frozen=True, slots=True)
class Overlap:
    """A field that somebody changed since: what the person saw, what is there, what they want instead.

    Of a whole item (no field), `found` is None where it is gone and `expected` None where it came. `version` is that of
    the item now, `by` and `at` tell who changed it last.
    """

    item: Item
    field: str
    expected: Any
    found: Any
    wanted: Any = None
    version: int | None = None
    by: str = ""
    at: datetime | None = None


class Overlapping(Exception):
    """Somebody else changed the same; nothing was done."""

    def __init__(self, overlaps: Sequence[Overlap]) -> None:
        super().__init__(f"{len(overlaps)} overlaps")
        self.overlaps = tuple(overlaps)


def overlaps_of(conflicts: Iterable[Conflict], operations: Iterable[Operation]) -> list[Overlap]:
    """What operations met when they were applied, as overlaps."""
    updates = {operation.item: operation.new for operation in operations if isinstance(operation, Update)}
    return [
        Overlap(one.item, one.field, one.expected, one.found, updates.get(one.item, {}).get(one.field))
        for one in conflicts
    ]


@dataclass(frozen=True, slots=True)
class Seen:
    """The items that a person looked at: the versions of then, and as they are now."""

    graph: Graph
    versions: dict[Item, int]
    now: dict[Item, item_rows.Stored]

    @classmethod
    def read(cls, graph: Graph, seen: Sequence[tuple[Item, int]]) -> "Seen":
        """Raises `Overlapping` where some of them are gone."""
        versions = dict(seen)
        now = _stored(graph, versions)
        gone = [_gone(graph, item) for item in versions if item not in now]
        if gone:
            raise Overlapping(gone)
        return cls(graph, versions, now)

    def refuse_overlaps(self, operations: Sequence[Operation]) -> None:
        """Raises `Overlapping`. The operations were planned on what is there now."""
        found = [overlap for operation in operations for overlap in self._moved_on(operation)]
        found += self._edges_that_came(operations)
        if found:
            raise Overlapping(found)

    def _moved_on(self, operation: Operation) -> Iterator[Overlap]:
        """The fields of an item that the operation touches and that are not what they were."""
        item = operation.item
        if item not in self.versions or isinstance(operation, Create):
            return
        stored = self.now[item]
        since = _changed_since(self.graph, stored, self.versions[item])
        wanted = operation.new if isinstance(operation, Update) else dict.fromkeys(stored.record)
        for field, value in wanted.items():
            found = stored.record[field]
            if since is None:
                yield Overlap(item, field, None, found, value, stored.version)
            elif field in since and not same(since[field].old, found):
                change = since[field]
                yield Overlap(item, field, change.old, found, value, stored.version, change.by, change.at)

    def _edges_that_came(self, operations: Sequence[Operation]) -> Iterator[Overlap]:
        """Edges that would go with a node, and that its person has not seen."""
        deleted = [o for o in operations if isinstance(o, Delete)]
        nodes = {o.item.key for o in deleted if o.item.kind == NODE.name and o.item in self.versions}
        for operation in deleted:
            item, record = operation.item, operation.record
            unseen = item.kind == EDGE.name and item not in self.versions
            if unseen and {record["source"], record["target"]} & nodes:
                version = _stored(self.graph, {item: 0})[item].version
                yield Overlap(item, "", None, record, None, version, *_last(self.graph, item)[1:])


@dataclass(frozen=True, slots=True)
class _Change:
    """`old` is what a field was at the version that was seen; who changed it last, and when."""

    old: Any
    by: str
    at: datetime | None


def _changed_since(graph: Graph, stored: item_rows.Stored, version: int) -> dict[str, _Change] | None:
    """The changes of an item since a version by field; None where the history does not tell.

    Every live edit and every other change set that touches an item raises its version by one: as many of them are read
    back. Of live edits that are forgotten a change set may stand for several: then more is read than was not seen.
    """
    behind = stored.version - version
    if behind <= 0:
        return None if behind else {}
    found, behind, told = _changed_live(graph, stored, behind)
    if not behind:
        return found
    change_sets: set[int] = set()
    most = min(behind * len(KINDS[stored.item.kind].fields), MOST_LOOKED_AT)
    latest = _modifications(graph, stored.item).exclude(change_set__in=told)[:most]
    for modification in latest:
        change_sets.add(modification.version)
        if len(change_sets) > behind:
            return found
        for field, old in _olds(modification).items():
            by, at = (found[field].by, found[field].at) if field in found else _signed(modification)
            found[field] = _Change(old, by, at)
    cut = len(latest) == MOST_LOOKED_AT
    return found if len(change_sets) == behind and not cut else None


def _changed_live(
    graph: Graph, stored: item_rows.Stored, behind: int
) -> tuple[dict[str, _Change], int, set[uuid.UUID]]:
    """What was done live to an item, from its version now on back as far as nothing else came between.

    Gives also how many versions are left to look for in the history, and the change sets that need no look any more.
    """
    found: dict[str, _Change] = {}
    told: set[uuid.UUID] = set()
    version = stored.version
    for edit in _live_edits(graph, stored.item)[: min(behind, MOST_LOOKED_AT)]:
        operation = edit.on(_name(stored.item)) or {}
        if operation.get("version") != version:
            break
        for field, old in (operation.get("old") or operation.get("record") or {}).items():
            by, at = (found[field].by, found[field].at) if field in found else (edit.person_label, edit.created_at)
            found[field] = _Change(old, by, at)
        if edit.change_set:
            told.add(edit.change_set)
        version -= 1
        behind -= 1
    return found, behind, told


def _live_edits(graph: Graph, item: Item) -> QuerySet[LiveEdit]:
    """Those of an item that are known still, newest first."""
    return LiveEdit.objects.filter(graph=graph, items__contains=[_name(item)]).order_by("-version")


def _name(item: Item) -> str:
    return f"{item.kind}:{item.key}"


def _olds(modification: Modification) -> Record:
    return {modification.field: modification.old} if modification.field else modification.old or {}


def _signed(modification: Modification) -> tuple[str, datetime]:
    return modification.change_set.actor_label, modification.change_set.created_at


def _gone(graph: Graph, item: Item) -> Overlap:
    deleted, by, at = _last(graph, item, deleted=True)
    return Overlap(item, "", deleted, None, None, None, by, at)


def _last(graph: Graph, item: Item, *, deleted: bool = False) -> tuple[Record | None, str, datetime | None]:
    """Who changed an item last, and when; where it was `deleted`, else nobody, with what it was."""
    live = _live_edits(graph, item).filter(saved_at=None).first()
    if live is not None:
        operation = live.on(_name(item)) or {}
        if deleted and operation.get("action") != "delete":
            return None, "", None
        return operation.get("record"), live.person_label, live.created_at
    last = _modifications(graph, item).first()
    if last is None or (deleted and last.action != Modification.Action.DELETE):
        return None, "", None
    return last.old, *_signed(last)


def _modifications(graph: Graph, item: Item) -> QuerySet[Modification]:
    """Those of an item, newest first."""
    found = Modification.objects.filter(kind=item.kind, key=item.key)
    if item.kind == NODE_TYPE.name:
        ids = [stored.id for stored in item_rows.node_types(graph.workspace_id, [item.key]).values()]
        found = found.filter(type=NODE_TYPE.name, object__in=ids)
    else:
        found = found.filter(type=GRAPH, object=graph.pk)
    return found.select_related("change_set").order_by("-version", "-id")


def _stored(graph: Graph, items: dict[Item, int]) -> dict[Item, item_rows.Stored]:
    def keys(kind: str) -> set[str]:
        return {item.key for item in items if item.kind == kind}

    found = [*item_rows.nodes(graph, keys(NODE.name)).values(), *item_rows.edges(graph, keys(EDGE.name)).values()]
    types = keys(NODE_TYPE.name)
    if types:
        found += item_rows.node_types(graph.workspace_id, types).values()
    return {stored.item: stored for stored in found}
