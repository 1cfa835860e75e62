"""What operations on a graph touch, and what hangs on it: edges on their ends, nodes and edges on their sheets."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphs.models import Object
from graphs.objects.kinds import Kind
from graphs.objects.operations import Create, Delete, Operation, Record, Update, result
from graphs.objects.preconditions import Before, Conflict, Stored
from graphs.objects.refs import Ref
from graphs.workflows import rows
from graphs.workflows.kinds import EDGE, NODE, SHEET


@dataclass(frozen=True, slots=True)
class GraphBefore(Before):
    """`edges_of_deleted` begin or end at nodes that would go, `on_deleted` stand on sheets that would go.

    `references` are rows that the operations name. `sheets` are all of the graph, where one of them comes or goes.
    """

    edges_of_deleted: Mapping[Ref, Stored]
    references: rows.References
    own: Ref | None = None
    on_deleted: Mapping[Ref, Stored] = field(default_factory=dict)
    sheets: Mapping[str, Stored] = field(default_factory=dict)

    @classmethod
    def read(cls, of: Object, operations: Sequence[Operation]) -> "GraphBefore":
        """What the operations touch of the graph. Of one that comes nothing is there."""
        own = rows.own(of) if any(operation.item.type == of.type for operation in operations) else ()
        if not own and any(_creates(operation, of.type) for operation in operations):
            return cls(found={}, edges_of_deleted={}, references=rows.References({}, {}), own=Ref(of.type, of.key))
        touched: dict[str, set[str]] = {NODE.name: set(), EDGE.name: set(), SHEET.name: set(), of.type: set()}
        records: list[tuple[str, Record]] = []
        for operation in operations:
            kind = operation.item.type
            touched[kind].add(operation.item.key)
            told = (operation.old, operation.new) if isinstance(operation, Update) else (operation.record,)
            records += [(kind, record) for record in told]
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
        graph_goes = any(_deletes(operation, of.type) for operation in operations)
        named = touched[SHEET.name] or graph_goes or any("sheet" in record for _kind, record in records)
        sheets = rows.sheets(of) if named else {}
        going = {sheets[o.item.key].id for o in operations if _deletes(o, SHEET.name) and o.item.key in sheets}
        found = {s.item: s for part in (sheets.values(), nodes.values(), edges.values(), own) for s in part}
        return cls(
            found={o.item: found[o.item] for o in operations if o.item in found},
            own=Ref(of.type, of.key),
            edges_of_deleted={e.item: e for e in edges.values() if deleted and _ends(e.record, nodes) & deleted},
            on_deleted=rows.on_sheets(of, going) if going else {},
            sheets=sheets,
            references=rows.References(
                {key: stored.id for key, stored in sheets.items()},
                {key: stored.id for key, stored in nodes.items()},
            ),
        )

    def hanging(self, operations: Iterable[Operation]) -> list[tuple[Stored, Ref]]:
        """What would stay though what holds it goes, each with that: edges at nodes, all on sheets, sheets of a graph.

        A graph that goes alone takes everything along.
        """
        by_item = {operation.item: operation for operation in operations}
        gone = {item for item, operation in by_item.items() if isinstance(operation, Delete)}
        edges = [
            (stored, node)
            for edge, stored in self.edges_of_deleted.items()
            if edge not in gone
            for node in (Ref(NODE.name, stored.record["source"]), Ref(NODE.name, stored.record["target"]))
            if node in gone
        ]
        standing = [
            (stored, sheet)
            for item, stored in self.on_deleted.items()
            if item not in gone
            for sheet in [Ref(SHEET.name, self._sheet_after(stored, by_item.get(item)))]
            if sheet in gone
        ]
        with_own_parts = [self.own] if self.own is not None and self.own in gone and len(by_item) > 1 else []
        sheets = [(stored, own) for own in with_own_parts for stored in self.sheets.values() if stored.item not in gone]
        return [*edges, *standing, *sheets]

    @staticmethod
    def _sheet_after(stored: Stored, operation: Operation | None) -> str:
        return str((result(operation) if operation else {}).get("sheet", stored.record["sheet"]))

    def missing(self, operations: Iterable[Operation]) -> list[Conflict]:
        """What the operations lead to and what would not be there: an end of an edge, a sheet."""
        operations = tuple(operations)
        nodes, sheets = (
            (known.keys() - {o.item.key for o in operations if _deletes(o, kind.name)})
            | {o.item.key for o in operations if isinstance(o, Create) and o.item.type == kind.name}
            for kind, known in ((NODE, self.references.nodes), (SHEET, self.references.sheets))
        )
        there = {"source": nodes, "target": nodes, "sheet": sheets}
        return [
            Conflict(operation.item, name, key, None)
            for operation in operations
            if operation.item.type in (NODE.name, EDGE.name)
            for name, key in result(operation).items()
            if name in there and key not in there[name]
        ]

    def lost_with(self, left_out: Collection[Ref], operations: Iterable[Operation]) -> set[Ref]:
        """What stays away because what holds it was left out and does not come back: all of a graph, all on a sheet."""
        created = [operation for operation in operations if isinstance(operation, Create)]
        if self.own in left_out and self.own not in self.found:
            return {operation.item for operation in created}
        sheets = {item.key for item in left_out if item.type == SHEET.name} - self.references.sheets.keys()
        nodes = {item.key for item in left_out if item.type == NODE.name} - self.references.nodes.keys()
        lost = {each.item for each in created if each.record.get("sheet") in sheets}
        nodes |= {item.key for item in lost if item.type == NODE.name}
        return lost | {
            each.item
            for each in created
            if each.item.type == EDGE.name and {each.record["source"], each.record["target"]} & nodes
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


def _creates(operation: Operation, kind: str) -> bool:
    return isinstance(operation, Create) and operation.item.type == kind


def _deletes(operation: Operation, kind: str) -> bool:
    return isinstance(operation, Delete) and operation.item.type == kind


def _ends(record: Record, nodes: Mapping[str, Stored]) -> set[int]:
    return {nodes[record[end]].id for end in ("source", "target") if record[end] in nodes}
