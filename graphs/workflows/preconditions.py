"""What operations on a graph touch, and what hangs on it: edges on their ends, nodes and edges on their sheets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graphs.models import Object
from graphs.objects.kinds import Kind
from graphs.objects.operations import Create, Delete, Operation, Record, Update, result
from graphs.objects.preconditions import Before, Conflict, Stored
from graphs.objects.refs import Ref
from graphs.workflows import rows
from graphs.workflows.kinds import EDGE, NODE


@dataclass(frozen=True, slots=True)
class GraphBefore(Before):
    """`edges_of_deleted` begin or end at nodes that would go; `references` are rows that the operations name."""

    edges_of_deleted: Mapping[Ref, Stored]
    references: rows.References

    @classmethod
    def read(cls, of: Object, operations: Sequence[Operation]) -> "GraphBefore":
        """What the operations touch of the graph."""
        touched: dict[str, set[str]] = {NODE.name: set(), EDGE.name: set(), of.type: set()}
        records: list[tuple[str, Record]] = []
        for operation in operations:
            kind = operation.item.type
            touched[kind].add(operation.item.key)
            named = (operation.old, operation.new) if isinstance(operation, Update) else (operation.record,)
            records += [(kind, record) for record in named]
        ends = {
            record[end]
            for kind, record in records
            if kind == EDGE.name
            for end in ("source", "target")
            if end in record
        }
        node_keys = touched[NODE.name] | ends
        nodes = rows.nodes(of, node_keys, _fields(operations, NODE)) if node_keys else {}
        deleted = {nodes[o.item.key].id for o in operations if _deletes(o, NODE.name) and o.item.key in nodes}
        edges = (
            rows.edges(of, touched[EDGE.name], deleted, None if deleted else _fields(operations, EDGE))
            if touched[EDGE.name] or deleted
            else {}
        )
        own = rows.own(of) if touched[of.type] else ()
        found = {stored.item: stored for part in (nodes.values(), edges.values(), own) for stored in part}
        return cls(
            found={o.item: found[o.item] for o in operations if o.item in found},
            edges_of_deleted={e.item: e for e in edges.values() if deleted and _ends(e.record, nodes) & deleted},
            references=rows.References(
                rows.sheets(of) if any("sheet" in record for _kind, record in records) else {},
                {key: stored.id for key, stored in nodes.items()},
            ),
        )

    def hanging(self, operations: Iterable[Operation]) -> list[tuple[Stored, Ref]]:
        """Edges that would stay though a node that they lead from or to goes, each with that node."""
        gone = {operation.item for operation in operations if isinstance(operation, Delete)}
        return [
            (stored, node)
            for edge, stored in self.edges_of_deleted.items()
            if edge not in gone
            for node in (Ref(NODE.name, stored.record["source"]), Ref(NODE.name, stored.record["target"]))
            if node in gone
        ]

    def missing(self, operations: Iterable[Operation]) -> list[Conflict]:
        """What the operations lead to and what would not be there: an end of an edge, a sheet."""
        operations = tuple(operations)
        gone = {o.item.key for o in operations if _deletes(o, NODE.name)}
        new = {o.item.key for o in operations if isinstance(o, Create) and o.item.type == NODE.name}
        nodes = (self.references.nodes.keys() - gone) | new
        there = {"source": nodes, "target": nodes, "sheet": self.references.sheets.keys()}
        return [
            Conflict(operation.item, name, key, None)
            for operation in operations
            if operation.item.type in (NODE.name, EDGE.name)
            for name, key in result(operation).items()
            if name in there and key not in there[name]
        ]

    def lost_with(self, left_out: Collection[Ref], operations: Iterable[Operation]) -> set[Ref]:
        """The edges that stay away because an end of theirs was left out and does not come back."""
        absent = {item.key for item in left_out if item.type == NODE.name and item.key not in self.references.nodes}
        return {
            operation.item
            for operation in operations
            if operation.item.type == EDGE.name
            and isinstance(operation, Create)
            and {operation.record["source"], operation.record["target"]} & absent
        }


def _fields(operations: Iterable[Operation], kind: Kind) -> set[str] | None:
    """The fields that matter: those that change, or all (None) if an item comes or goes."""
    found: set[str] = set()
    for operation in operations:
        if operation.item.type == kind.name:
            if not isinstance(operation, Update):
                return None
            found |= operation.new.keys()
    return found


def _deletes(operation: Operation, kind: str) -> bool:
    return isinstance(operation, Delete) and operation.item.type == kind


def _ends(record: Record, nodes: Mapping[str, Stored]) -> set[int]:
    return {nodes[record[end]].id for end in ("source", "target") if record[end] in nodes}
