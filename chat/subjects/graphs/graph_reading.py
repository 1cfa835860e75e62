"""The tools that read the graph of a conversation as a whole: overview, search, types."""

from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _
from pydantic import Field

from chat.subjects.graphs.rows import data_text, node_row, type_row
from chat.tools.results import as_json, fitting, next_offset, note, shown_of
from chat.tools.tool import SKIPPED, Arguments, ReadTool, ToolContext, ToolFailed
from graphs.models import Graph
from graphs.objects.actions import some
from graphs.objects.refs import Ref
from graphs.workflows.sources import GraphSource, NodeRecord
from rag.sources.graphs.text_search import search
from rag.texts.shortening import cut, handles_summary

#: Rows of lists in an overview; a graph may have thousands of sheets.
OVERVIEW_SHEETS = 40
OVERVIEW_TYPES = 25
#: Nodes that one search finds.
MAX_RESULTS = 50
#: Characters around the place that was found in a node.
EXCERPT_CHARS = 160
#: Characters of a description or of metadata.
DESCRIPTION_CHARS = 1_000

Key = Annotated[str, Field(min_length=1, max_length=100)]


def graph_of(context: ToolContext) -> Graph:
    """The graph of the conversation, which counts as read: its tools are offered in no other one."""
    if not isinstance(context.about, Graph):
        raise ToolFailed("This conversation is about no graph.")
    context.read.add(Ref(context.about.type, context.about.key))
    return context.about


class OverviewArguments(Arguments):
    graph_key: Key | None = None


class ReadGraphOverview(ReadTool[OverviewArguments]):
    name = "read_graph_overview"
    badge = ("list", _("Looked at the graph"))
    description = "The graph: name, description, sheets with numbers of nodes and edges, node types."
    arguments = OverviewArguments

    def run(self, context: ToolContext, arguments: OverviewArguments) -> dict[str, Any]:
        graph = graph_of(context)
        if arguments.graph_key and arguments.graph_key != graph.key:
            raise ToolFailed(
                f"There is no graph {arguments.graph_key!r} here. This conversation is about {graph.key!r}."
            )
        source = GraphSource(graph, context.read)
        overview = source.overview()
        names = source.type_names(key for key, _count in overview.types[:OVERVIEW_TYPES])
        return {
            "key": graph.key,
            "name": graph.name,
            "description": cut(graph.description, DESCRIPTION_CHARS),
            "metadata": cut(as_json(graph.metadata), DESCRIPTION_CHARS) if graph.metadata else "",
            "version": graph.version,
            "nodes": overview.nodes,
            "edges": overview.edges,
            "startNodes": list(overview.starts),
            "sheetCount": len(overview.sheets),
            "sheets": [
                {"key": sheet.key, "name": sheet.name, "nodes": sheet.nodes, "edges": sheet.edges}
                for sheet in overview.sheets[:OVERVIEW_SHEETS]
            ],
            "typeCount": len(overview.types),
            "types": [
                {"key": key, "typeName": names[key], "nodes": count} for key, count in overview.types[:OVERVIEW_TYPES]
            ],
        }


class SearchArguments(Arguments):
    query: str = Field(min_length=1, max_length=500)
    sheet_id: Key | None = None
    max_results: int = Field(10, ge=1, le=MAX_RESULTS)


class SearchNodes(ReadTool[SearchArguments]):
    name = "search_nodes"
    badge = ("search", _("Searched nodes"))
    description = "Nodes by words in key, name, type, code (process) or data; best first."
    arguments = SearchArguments

    def run(self, context: ToolContext, arguments: SearchArguments) -> dict[str, Any]:
        source = GraphSource(graph_of(context), context.read)
        searched = search(graph_of(context), arguments.query, arguments.max_results, sheet=arguments.sheet_id)
        sheets = dict(searched.survey.sheets)
        if arguments.sheet_id is not None and arguments.sheet_id not in sheets:
            raise ToolFailed(f"There is no sheet {arguments.sheet_id!r}. Sheets: {some(sheets)}.")
        nodes = source.nodes_by_id(hit.node_id for hit in searched.hits)
        names = source.type_names(node.type for node in nodes)

        def row(node: NodeRecord) -> dict[str, Any]:
            beginning = cut(" ".join((node.process or data_text(node)).split()), EXCERPT_CHARS)
            return node_row(node, names) | {"beginning": beginning}

        rows = fitting(nodes, row)
        if not rows:
            return {"nodes": [], "note": "No node has these words. Try others, or read_graph_overview."}
        others = some((node.key for node in nodes[len(rows) :]), MAX_RESULTS)
        return {"nodes": rows} | note(
            shown_of(rows, nodes, MAX_RESULTS, "nodes that were found", f"read_subgraph reads the others, {others}")
        )


class TypeArguments(Arguments):
    type_key: str = Field(min_length=1, max_length=200)


class ReadNodeConfig(ReadTool[TypeArguments]):
    name = "read_node_config"
    badge = ("read", _("Read a node type"))
    description = "A node type: what it does, handles, code."
    arguments = TypeArguments

    def run(self, context: ToolContext, arguments: TypeArguments) -> dict[str, Any]:
        source = GraphSource(graph_of(context), context.read)
        found = source.types([arguments.type_key])
        if not found:
            known = some(record.key for record in source.types())
            raise ToolFailed(f"No node type {arguments.type_key!r} is defined. Defined types: {known}.")
        record = found[0]
        in_full = {
            "description": cut(record.description, DESCRIPTION_CHARS),
            "icon": record.icon,
            "handles": cut(handles_summary(record.handles), DESCRIPTION_CHARS),
            "process": cut(record.process, 3 * DESCRIPTION_CHARS),
        }
        return {"type": type_row(record) | in_full}


class TypesArguments(Arguments):
    offset: int = Field(0, ge=0, description=SKIPPED)


class ListAvailableNodeTypes(ReadTool[TypesArguments]):
    name = "list_available_node_types"
    badge = ("list", _("Listed node types"))
    description = "All node types: built-in and the workspace's."
    arguments = TypesArguments

    def run(self, context: ToolContext, arguments: TypesArguments) -> dict[str, Any]:
        types = GraphSource(graph_of(context), context.read).types()
        rows = fitting(types[arguments.offset :], type_row)
        return {"types": rows, "total": len(types)} | next_offset(arguments.offset + len(rows), len(types))
