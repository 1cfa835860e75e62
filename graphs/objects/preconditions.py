"""What operations touch, as it stands before they are applied, and where it is not what they expect."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from graphs.models import Graph
from graphs.objects import item_rows
from graphs.objects.kinds import EDGE, KINDS, NODE, NODE_TYPE, Kind
from graphs.objects.operations import Create, Delete, Item, Operation, Record, Update, fields
from graphs.site.json_values import same


@dataclass(frozen=True, slots=True)
class Conflict:
    """What an operation expected of a field and what it found; of a whole item (no field), the other is None."""

    item: Item
    field: str
    expected: Any
    found: Any


class Conflicting(Exception):
    """Something changed since the operations were made; nothing was applied."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = tuple(conflicts)


@dataclass(frozen=True, slots=True)
class Before:
    """The items that operations touch, as they stand, and what they name."""

    found: dict[Item, item_rows.Stored]
    edges_of_deleted: dict[Item, item_rows.Stored]
    references: item_rows.References

    @classmethod
    def read(cls, graph: Graph, operations: Sequence[Operation]) -> "Before":
        touched = _keys(operations)
        records = [(operation.item.kind, record) for operation in operations for record in _records(operation)]
        ends = {
            record[end]
            for kind, record in records
            if kind == EDGE.name
            for end in ("source", "target")
            if end in record
        }
        node_keys = touched[NODE.name] | ends
        nodes = item_rows.nodes(graph, node_keys, _fields(operations, NODE)) if node_keys else {}
        deleted = {nodes[o.item.key].id for o in operations if _deletes(o, NODE.name) and o.item.key in nodes}
        edges = (
            item_rows.edges(graph, touched[EDGE.name], deleted, None if deleted else _fields(operations, EDGE))
            if touched[EDGE.name] or deleted
            else {}
        )
        types = item_rows.node_types(graph.workspace_id, touched[NODE_TYPE.name]) if touched[NODE_TYPE.name] else {}
        found = {stored.item: stored for part in (nodes, edges, types) for stored in part.values()}
        return cls(
            found={o.item: found[o.item] for o in operations if o.item in found},
            edges_of_deleted={e.item: e for e in edges.values() if deleted and _ends(e.record, nodes) & deleted},
            references=item_rows.References(
                item_rows.sheets(graph) if any("sheet" in record for _kind, record in records) else {},
                {key: stored.id for key, stored in nodes.items()},
            ),
        )

    def refuse_conflicts(self, operations: Iterable[Operation]) -> None:
        operations = tuple(operations)
        conflicts = [conflict for operation in operations for conflict in self._conflicts(operation)]
        conflicts += [Conflict(edge.item, "", None, edge.record) for edge, _node in self.hanging(operations)]
        conflicts += self.missing(operations)
        if conflicts:
            raise Conflicting(conflicts)

    def hanging(self, operations: Iterable[Operation]) -> list[tuple[item_rows.Stored, Item]]:
        """Edges that would stay though a node that they lead from or to goes, each with that node."""
        gone = {operation.item for operation in operations if isinstance(operation, Delete)}
        return [
            (stored, node)
            for edge, stored in self.edges_of_deleted.items()
            if edge not in gone
            for node in (Item(NODE.name, stored.record["source"]), Item(NODE.name, stored.record["target"]))
            if node in gone
        ]

    def missing(self, operations: Iterable[Operation]) -> list[Conflict]:
        """What the operations lead to and what would not be there: an end of an edge, a sheet."""
        operations = tuple(operations)
        gone = {o.item.key for o in operations if _deletes(o, NODE.name)}
        new = {o.item.key for o in operations if isinstance(o, Create) and o.item.kind == NODE.name}
        nodes = (self.references.nodes.keys() - gone) | new
        there = {"source": nodes, "target": nodes, "sheet": self.references.sheets.keys()}
        return [
            Conflict(operation.item, name, record[name], None)
            for operation in operations
            for record in _results(operation)
            for name, keys in there.items()
            if name in record and record[name] not in keys
        ]

    def _conflicts(self, operation: Operation) -> Iterable[Conflict]:
        stored = self.found.get(operation.item)
        match operation:
            case Create(item, _) if stored is not None:
                yield Conflict(item, "", None, stored.record)
            case Update(item, old, _) | Delete(item, old) if stored is None:
                yield Conflict(item, "", old, None)
            case Update(item, old, _) | Delete(item, old):
                assert stored is not None
                for name, expected in fields(old).items():
                    if not same(stored.record[name], expected):
                        yield Conflict(item, name, expected, stored.record[name])


def _keys(operations: Iterable[Operation]) -> dict[str, set[str]]:
    """The keys of the items that operations touch, by kind."""
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for operation in operations:
        found[operation.item.kind].add(operation.item.key)
    return found


def _fields(operations: Iterable[Operation], kind: Kind) -> set[str] | None:
    """The fields that matter: those that change, or all (None) where an item comes or goes."""
    found: set[str] = set()
    for operation in operations:
        if operation.item.kind == kind.name:
            if not isinstance(operation, Update):
                return None
            found |= operation.new.keys()
    return found


def _records(operation: Operation) -> tuple[Record, ...]:
    return (operation.old, operation.new) if isinstance(operation, Update) else (operation.record,)


def _results(operation: Operation) -> tuple[Record, ...]:
    """What an operation leaves of its item."""
    match operation:
        case Create(_, record):
            return (record,)
        case Update(_, _, new):
            return (new,)
        case Delete():
            return ()


def _deletes(operation: Operation, kind: str) -> bool:
    return isinstance(operation, Delete) and operation.item.kind == kind


def _ends(record: Record, nodes: dict[str, item_rows.Stored]) -> set[int]:
    return {nodes[record[end]].id for end in ("source", "target") if record[end] in nodes}
