"""The tools that read nodes by their keys: detail, edges, surroundings, several at once."""

from typing import Any, Literal

from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.subjects.graphs.graph_reading import Key, graph_of
from chat.subjects.graphs.rows import data_text, edge_row, long_field, node_row, type_row
from chat.tools.results import FIELD_CHARS, LIST_CHARS, fitting, next_offset, note, shown_of
from chat.tools.tool import SKIPPED, Arguments, ReadTool, ToolContext, ToolFailed
from graphs.objects.actions import some
from graphs.workflows.neighbours import Direction
from graphs.workflows.sources import GraphSource, NodeRecord
from rag.sources.graphs.text_search import search
from rag.texts.shortening import cut, handles_summary

#: Nodes that one look around shows, and edges that one list shows.
MAX_AROUND = 40
MAX_EDGES = 50
#: No node has more edges to skip; PostgreSQL knows no number of any length.
MAX_SKIPPED = 1_000_000_000
#: Characters of a field that is read on, and of a summary of handles.
READ_ON_CHARS = 6_000
HANDLES_CHARS = 1_000
_LIST_EDGES = "list_node_edges lists those of a node"

Field_ = Literal["name", "type", "sheet", "process", "data", "handles", "position"]


def not_found(context: ToolContext, key: str) -> ToolFailed:
    """Says that there is no such node, and which ones may be meant."""
    hits = search(graph_of(context), key, 5).hits
    nodes = GraphSource(graph_of(context), context.read).nodes_by_id(hit.node_id for hit in hits)
    meant = f" Perhaps you mean: {some(node.key for node in nodes)}." if nodes else ""
    return ToolFailed(f"There is no node with the key {key!r} in this graph.{meant} search_nodes finds keys.")


class DetailArguments(Arguments):
    node_key: Key
    field: Literal["process", "data"] | None = Field(None, description="Only this, from offset on.")
    offset: int = Field(0, ge=0, description=SKIPPED)


class ReadNodeDetail(ReadTool[DetailArguments]):
    name = "read_node_detail"
    badge = ("read", _("Read a node"))
    description = "All about a node: type, code (process), data, handles, position."
    arguments = DetailArguments

    def run(self, context: ToolContext, arguments: DetailArguments) -> dict[str, Any]:
        source = GraphSource(graph_of(context), context.read)
        nodes = source.nodes([arguments.node_key])
        if not nodes:
            raise not_found(context, arguments.node_key)
        node = nodes[0]
        if arguments.field is not None:
            text = node.process if arguments.field == "process" else data_text(node)
            part = text[arguments.offset : arguments.offset + READ_ON_CHARS]
            where = {"nodeKey": node.key, "field": arguments.field, "offset": arguments.offset}
            reached = next_offset(arguments.offset + len(part), len(text))
            return {**where, "totalChars": len(text), "text": part, **reached}
        row = node_row(node, source.type_names([node.type])) | _fields(node, FIELD_CHARS)
        return {"node": row}


def _fields(node: NodeRecord, limit: int) -> dict[str, Any]:
    return {
        **long_field(node.key, "process", node.process, limit),
        **long_field(node.key, "data", data_text(node), limit),
        "handles": cut(handles_summary(node.handles), HANDLES_CHARS),
        "position": {"x": node.pos_x, "y": node.pos_y},
    }


class EdgesArguments(Arguments):
    node_key: Key
    direction: Direction = "any"
    offset: int = Field(0, ge=0, description=SKIPPED)


class ListNodeEdges(ReadTool[EdgesArguments]):
    name = "list_node_edges"
    badge = ("node", _("Listed connections"))
    description = "The edges into (inbound) or out of (outbound) a node: keys, handles, labels."
    arguments = EdgesArguments

    def run(self, context: ToolContext, arguments: EdgesArguments) -> dict[str, Any]:
        source = GraphSource(graph_of(context), context.read)
        skipped = min(arguments.offset, MAX_SKIPPED)
        edges = source.edges_of([arguments.node_key], arguments.direction, skipped, MAX_EDGES + 1)
        if not edges and not source.nodes([arguments.node_key]):
            raise not_found(context, arguments.node_key)
        rows = fitting(edges[:MAX_EDGES], edge_row)
        reached, known = skipped + len(rows), skipped + len(edges)
        return {"nodeKey": arguments.node_key, "edges": rows} | next_offset(reached, known)


class ExploreArguments(Arguments):
    node_key: Key
    max_depth: int = Field(1, ge=1, le=3)
    direction: Direction = "any"


class ExploreNeighborhood(ReadTool[ExploreArguments]):
    name = "explore_neighborhood"
    badge = ("node", _("Followed connections"))
    description = "Nodes up to maxDepth edges from one, nearest first, and the edges between them."
    arguments = ExploreArguments

    def run(self, context: ToolContext, arguments: ExploreArguments) -> dict[str, Any]:
        source = GraphSource(graph_of(context), context.read)
        found = source.neighbourhood(arguments.node_key, arguments.max_depth, arguments.direction, MAX_AROUND + 1)
        if not found:
            raise not_found(context, arguments.node_key)
        names = source.type_names(neighbour.node.type for neighbour in found)
        rows = fitting(
            found[:MAX_AROUND],
            lambda neighbour: node_row(neighbour.node, names) | {"distance": neighbour.distance},
            LIST_CHARS,
        )
        between = source.edges_between([row["key"] for row in rows], MAX_EDGES + 1)
        edges = fitting(between[:MAX_EDGES], edge_row, LIST_CHARS // 2)
        hubs = [neighbour.node.key for neighbour in found[: len(rows)] if neighbour.has_more]
        return {"nodeKey": arguments.node_key, "nodes": rows, "edges": edges} | note(
            shown_of(rows, found, MAX_AROUND, "nodes", "explore from one of these"),
            f"Not every edge was followed from {some(hubs)}: {_LIST_EDGES}." if hubs else "",
            shown_of(edges, between, MAX_EDGES, "edges between these nodes", _LIST_EDGES),
        )


class SubgraphArguments(Arguments):
    node_keys: list[Key] = Field(min_length=1, max_length=20)
    fields: list[Field_] | None = Field(None, max_length=20, description="Else all.")
    include_edges: bool = True
    include_types: bool = False


class ReadSubgraph(ReadTool[SubgraphArguments]):
    name = "read_subgraph"
    badge = ("node", _("Read several nodes"))
    description = "Several nodes, the edges between them, their types."
    arguments = SubgraphArguments

    def run(self, context: ToolContext, arguments: SubgraphArguments) -> dict[str, Any]:
        source = GraphSource(graph_of(context), context.read)
        nodes = source.nodes(arguments.node_keys)
        if not nodes:
            raise not_found(context, arguments.node_keys[0])
        names = source.type_names(node.type for node in nodes)
        limit = LIST_CHARS // len(nodes) // 3
        rows = fitting(nodes, lambda node: _chosen(node, names, arguments.fields, limit))
        shown = [row["key"] for row in rows]
        result: dict[str, Any] = {"nodes": rows}
        left_out = [node.key for node in nodes[len(rows) :]]
        notes = [f"Too long for one answer, ask again for: {some(left_out)}."] if left_out else []
        if missing := set(arguments.node_keys) - {node.key for node in nodes}:
            result["missing"] = sorted(missing)
        if arguments.include_edges:
            between = source.edges_between(shown, MAX_EDGES + 1)
            result["edges"] = fitting(between[:MAX_EDGES], edge_row, LIST_CHARS // 2)
            notes.append(shown_of(result["edges"], between, MAX_EDGES, "edges between these nodes", _LIST_EDGES))
        if arguments.include_types:
            types = source.types(node.type for node in nodes)
            result["types"] = fitting(types, type_row, LIST_CHARS // 2)
            notes.append(shown_of(result["types"], types, len(types), "types", "read_node_config reads one"))
        return result | note(*notes)


def _chosen(node: NodeRecord, names: dict[str, str], fields: list[Field_] | None, limit: int) -> dict[str, Any]:
    """The chosen fields of a node; `type` brings its name, a long field its note."""
    row = node_row(node, names) | _fields(node, limit)
    if fields is None:
        return row
    wanted = {"key", *fields, *(f"{field}Note" for field in fields)} | ({"typeName"} if "type" in fields else set())
    return {name: value for name, value in row.items() if name in wanted}
