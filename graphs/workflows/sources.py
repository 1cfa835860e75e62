"""How the model reads a graph: rows of one graph only, in a constant number of queries."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from graphs.models import Edge, Graph, Node, NodeType, Sheet
from graphs.objects.refs import Ref
from graphs.workflows.neighbours import Direction, around
from graphs.workflows.node_types import (
    BUILT_IN,
    TypeRecord,
    custom_types,
    every_custom_type,
    every_statement,
    every_values,
    from_row,
    listed,
)

#: Neighbours that one node adds in one direction.
NEIGHBOURS_PER_NODE = 25
#: Both branches are read one after the other, each in its order.
_SHEETS_AND_TYPES = """
(SELECT true, key, name, NULL, NULL, NULL, NULL FROM graphs_sheet WHERE graph_id = %s ORDER BY position, id)
UNION ALL (SELECT false, type.* FROM ({types}) AS type)
"""


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """`sheet` is the key of the node's sheet."""

    key: str
    name: str
    type: str
    sheet: str
    process: str
    data: Any
    handles: dict[str, list[dict[str, Any]]]
    pos_x: float
    pos_y: float
    width: float | None
    height: float | None


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """`source` and `target` are keys of nodes."""

    key: str
    source: str
    source_handle: str
    target: str
    target_handle: str
    label: str


@dataclass(frozen=True, slots=True)
class SheetRecord:
    key: str
    name: str
    nodes: int
    edges: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A graph in numbers: `types` counts the nodes of each type, the most frequent first; `starts` are keys."""

    sheets: tuple[SheetRecord, ...]
    types: tuple[tuple[str, int], ...]
    starts: tuple[str, ...]

    @property
    def nodes(self) -> int:
        return sum(sheet.nodes for sheet in self.sheets)

    @property
    def edges(self) -> int:
        return sum(sheet.edges for sheet in self.sheets)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node that is `distance` edges away; `has_more` says that not every edge of it was followed."""

    node: NodeRecord
    distance: int
    has_more: bool


class GraphSource:
    """Reads one graph. `read` gains the names of the node types that are read with it."""

    def __init__(self, graph: Graph, read: set[Ref] | None = None) -> None:
        self.graph = graph
        self._read = set() if read is None else read

    def overview(self) -> Overview:
        """Sheets, counts and the nodes that begin, in four queries."""
        counts = self._nodes().order_by().values_list("sheet_id", "type").annotate(count=Count("id"))
        nodes: Counter[int] = Counter()
        types: Counter[str] = Counter()
        for sheet_id, type_key, count in counts:
            nodes[sheet_id] += count
            types[type_key] += count
        edges = dict(self._edges().order_by().values_list("sheet_id").annotate(count=Count("id")))
        sheets = tuple(
            SheetRecord(sheet.key, sheet.name, nodes[sheet.pk], edges.get(sheet.pk, 0)) for sheet in self._sheets()
        )
        leads = Exists(Edge.objects.filter(source=OuterRef("pk")))
        led_to = Exists(Edge.objects.filter(target=OuterRef("pk")))
        # Workflows of other tools have no starters: they begin where nothing leads to.
        starting = Q(type="starter") if types["starter"] else Q(leads, ~led_to)
        starts = self._nodes().filter(starting).values_list("key", flat=True)[:10]
        by_count = sorted(types.items(), key=lambda item: (-item[1], item[0]))
        return Overview(sheets, tuple(by_count), tuple(starts))

    def sheets_and_types(self) -> tuple[list[tuple[str, str]], list[TypeRecord]]:
        """Key and name of every sheet, in their order, and all node types as `types` gives them, in one query."""
        with connection.cursor() as cursor:
            statement = _SHEETS_AND_TYPES.format(types=every_statement())
            cursor.execute(statement, [self.graph.pk, *every_values(self.graph.workspace_id)])
            rows = cursor.fetchall()
        sheets = [(key, name) for is_sheet, key, name, *_ in rows if is_sheet]
        types = (listed(row) for is_sheet, *row in rows if not is_sheet)
        return sheets, [*BUILT_IN.values(), *self._told(types)]

    def nodes(self, keys: Iterable[str]) -> list[NodeRecord]:
        """The nodes with these keys, in the order of the keys; unknown keys are left out."""
        return self._named("key", dict.fromkeys(keys))

    def nodes_by_id(self, ids: Iterable[int]) -> list[NodeRecord]:
        """The nodes with these ids, in the order of the ids; ids of other graphs are left out."""
        return self._named("pk", list(ids))

    def edges_of(self, keys: Sequence[str], direction: Direction, offset: int, limit: int) -> list[EdgeRecord]:
        """At most `limit` edges that enter or leave these nodes, in order of creation, from `offset` on."""
        ids = self._ids(keys)
        touching = _directed(direction, Q(target__in=ids), Q(source__in=ids))
        return _edge_records(self._edges().filter(touching)[offset : offset + limit])

    def edges_between(self, keys: Sequence[str], limit: int) -> list[EdgeRecord]:
        """At most `limit` edges whose two ends are both among these nodes."""
        ids = self._ids(keys)
        return _edge_records(self._edges().filter(source__in=ids, target__in=ids)[:limit])

    def neighbourhood(self, key: str, depth: int, direction: Direction, limit: int) -> list[Neighbour]:
        """The node and those up to `depth` edges away, nearest first, at most `limit`; empty for an unknown key."""
        start = self._nodes().filter(key=key).values_list("pk", flat=True).first()
        if start is None:
            return []
        distances = around(
            self.graph.pk, [start], depth=depth, direction=direction, per_node=NEIGHBOURS_PER_NODE, limit=limit
        )
        followed = [pk for pk, distance in distances.items() if distance < depth]
        nodes = self._nodes().filter(pk__in=distances).select_related("sheet")
        # A hub is read no further than its edges are followed.
        edges = Edge.objects.order_by()
        enters = Q(Exists(edges.filter(target=OuterRef("pk"))[NEIGHBOURS_PER_NODE:]))
        leaves = Q(Exists(edges.filter(source=OuterRef("pk"))[NEIGHBOURS_PER_NODE:]))
        nodes = nodes.annotate(has_more=Q(pk__in=followed) & _directed(direction, enters, leaves))
        found = (Neighbour(_node_record(row), distances[row.pk], row.has_more) for row in nodes)
        return sorted(found, key=lambda neighbour: neighbour.distance)

    def types(self, keys: Iterable[str] | None = None) -> list[TypeRecord]:
        """The node types of the workspace, built-in ones first; only those with these keys where given, with all."""
        if keys is None:
            return [*BUILT_IN.values(), *self._told(every_custom_type(self.graph.workspace_id))]
        rows = custom_types(self.graph.workspace_id)
        wanted = set(keys)
        built_in = [record for record in BUILT_IN.values() if record.key in wanted]
        custom = wanted - BUILT_IN.keys()
        return [*built_in, *(self._told(map(from_row, rows.filter(key__in=custom))) if custom else ())]

    def type_names(self, keys: Iterable[str]) -> dict[str, str]:
        """The display names of these types; a type that nobody defined goes by its key."""
        wanted = set(keys)
        return {key: key for key in wanted} | {record.key: record.display_name for record in self.types(wanted)}

    def _told(self, types: Iterable[TypeRecord]) -> list[TypeRecord]:
        records = list(types)
        self._read.update(Ref(NodeType.TYPE, record.key) for record in records)
        return records

    def _named(self, column: str, wanted: Collection[str] | Collection[int]) -> list[NodeRecord]:
        rows = self._nodes().filter(**{f"{column}__in": wanted}).select_related("sheet")
        found = {getattr(row, column): _node_record(row) for row in rows}
        return [found[each] for each in wanted if each in found]

    def _ids(self, keys: Sequence[str]) -> list[int]:
        return list(self._nodes().filter(key__in=keys).values_list("pk", flat=True))

    def _nodes(self) -> "QuerySet[Node]":
        return Node.objects.filter(graph=self.graph).defer("search")

    def _edges(self) -> "QuerySet[Edge]":
        return Edge.objects.filter(graph=self.graph)

    def _sheets(self) -> "QuerySet[Sheet]":
        return Sheet.objects.filter(graph=self.graph)


def _directed(direction: Direction, enters: Q, leaves: Q) -> Q:
    return {"inbound": enters, "outbound": leaves, "any": enters | leaves}[direction]


def _node_record(row: Node) -> NodeRecord:
    same = {field.name: getattr(row, field.name) for field in fields(NodeRecord) if field.name != "sheet"}
    return NodeRecord(sheet=row.sheet.key, **same)


def _edge_records(rows: "QuerySet[Edge]") -> list[EdgeRecord]:
    columns = ("key", "source__key", "source_handle", "target__key", "target_handle", "label")
    return [EdgeRecord(*values) for values in rows.values_list(*columns)]
