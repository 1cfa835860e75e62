"""The subject of conversations about graphs."""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.utils.translation import gettext as _

from chat.subjects.graphs import words
from chat.subjects.graphs.graph_reading import ListAvailableNodeTypes, ReadGraphOverview, ReadNodeConfig, SearchNodes
from chat.subjects.graphs.node_reading import ExploreNeighborhood, ListNodeEdges, ReadNodeDetail, ReadSubgraph
from chat.subjects.subject import Subject, Table, Welcome
from chat.tools.proposing import BATCH, WriteTool
from graphs.models import Graph, Object
from graphs.workflows.actions import (
    ConfigureNodeType,
    CreateEdge,
    CreateNode,
    CreateNodeWithEdges,
    CreateSheet,
    DeleteEdge,
    DeleteNode,
    DeleteSheet,
    MoveNode,
    ReorganizeLayout,
    UpdateNode,
    UpdateSheet,
)
from graphs.workflows.kinds import NODE
from graphs.workflows.node_types import BUILT_IN, TypeRecord
from graphs.workflows.sources import GraphSource
from graphs.workflows.store import GRAPH

#: The tools that propose changes of a graph: each is an action of `graphs.workflows.actions`.
WRITE_TOOLS = (
    WriteTool(CreateNode, "A new node without edges."),
    WriteTool(UpdateNode, "Changes of a node; what is not given stays."),
    WriteTool(MoveNode, "Another place or sheet for a node."),
    WriteTool(DeleteNode, "Deletes a node with its edges."),
    WriteTool(CreateEdge, "A new edge."),
    WriteTool(DeleteEdge, "Deletes an edge; list_node_edges gives keys."),
    WriteTool(CreateNodeWithEdges, "A new node with edges from and to existing ones."),
    BATCH,
    WriteTool(ConfigureNodeType, "A new node type of the workspace, or changes of one."),
    WriteTool(ReorganizeLayout, "Tidy places for nodes, in layers along the edges."),
)


#: Those that change its sheets: sent once a model asks for more. The graph itself is changed as any object is.
SHEET_TOOLS = (
    WriteTool(CreateSheet, "A new sheet of this graph."),
    WriteTool(UpdateSheet, "Another name or place for a sheet."),
    WriteTool(DeleteSheet, "Deletes a sheet with its nodes and their edges."),
)


class GraphSubject(Subject):
    roles = words.ROLES
    proposing = words.PROPOSING
    advice = words.ADVICE
    conventions = words.CONVENTIONS
    tools = (
        ReadGraphOverview(),
        SearchNodes(),
        ExploreNeighborhood(),
        ReadNodeDetail(),
        ReadNodeConfig(),
        ListAvailableNodeTypes(),
        ListNodeEdges(),
        ReadSubgraph(),
        *WRITE_TOOLS,
    )
    loads_object_tools = True
    loaded_tools = SHEET_TOOLS
    tables: ClassVar = {
        GRAPH.name: Table("graphs", ("key", "name", "description")),
        NODE.name: Table("nodes", ("graph", "key", "name", "type", "process", "data"), by=("graph", "type")),
    }

    def rules(self) -> str:
        return words.RULES

    def this_conversation(self, about: Object | None) -> str:
        assert isinstance(about, Graph)
        return words.graph_text(GraphSource(about))

    def examples(self) -> Iterable[str]:
        return words.graph_text(_Example()), words.graph_text(_EmptyExample())

    def example_arguments(self, about: Object) -> dict[str, Any]:
        """Adds those about the graph's first connected node."""
        assert isinstance(about, Graph)
        edge = about.edges.select_related("source", "target").first()
        nodes = [edge.source, edge.target] if edge else list(about.nodes.all()[:2])
        keys = [node.key for node in nodes] or ["none"]
        return super().example_arguments(about) | {
            "nodeKey": keys[-1],
            "nodeKeys": keys,
            "typeKey": nodes[-1].type if nodes else "starter",
            "query": nodes[-1].name or keys[-1] if nodes else "start",
        }

    def welcome(self, title: str) -> Welcome:
        return Welcome(
            _("Ask anything about this workflow. The assistant looks it up in the graph and shows what it read."),
            _("Ask about this workflow…"),
            (
                ("list", _("What is in this graph?")),
                ("node", _("What happens after the start?")),
                ("search", _("Find the nodes that handle errors")),
            ),
            _("Show in the graph"),
        )


class _Example(GraphSource):
    """A graph with something for every sentence that a prompt may say of one. Nothing of it is stored."""

    def __init__(self) -> None:
        super().__init__(Graph(key="example", name="Example", description="An example."))

    def sheets_and_types(self) -> tuple[list[tuple[str, str]], list[TypeRecord]]:
        (described, *_others) = BUILT_IN.values()
        handles = described.handles
        return (
            [(f"sheet-{n}", f"Sheet {n}") for n in range(words.MAX_SHEETS + 1)],
            [TypeRecord(f"type-{n}", f"Type {n}", "A type.", handles=handles) for n in range(words.MAX_TYPES + 1)],
        )


class _EmptyExample(_Example):
    def sheets_and_types(self) -> tuple[list[tuple[str, str]], list[TypeRecord]]:
        return super().sheets_and_types()[0], []
