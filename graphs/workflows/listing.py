"""Graphs of a workspace: one by its key, those that match a search, and how big each is."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, F, QuerySet

from graphs.models import Edge, Graph, Node, Workspace
from graphs.objects.word_search import MOST_WORDS, holding, words_of
from graphs.site.access import Member, or_not_found

#: Pages of graphs are in this order (see `graphs.site.api.paging`).
ORDERING = ("name", "id")
MAX_SEARCH_CHARS = 200
#: Characters of a description that a list shows.
BEGINNING_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class SizedGraph:
    graph: Graph
    nodes: int
    edges: int

    @property
    def beginning(self) -> str:
        """The beginning of the description."""
        text = self.graph.description
        return text if len(text) <= BEGINNING_CHARS else f"{text[:BEGINNING_CHARS]}…"


def graph_for(member: Member, key: str) -> Graph:
    """The graph of the member's workspace with this key. Raises `NotFound`."""
    return graph_in(member.workspace, key)


def graph_in(workspace: Workspace, key: str) -> Graph:
    """The graph of a workspace with this key. Raises `NotFound`."""
    return or_not_found(Graph.objects.filter(workspace=workspace, key=key).first())


def matching(workspace: Workspace, search: str = "") -> QuerySet[Graph]:
    """The graphs of a workspace whose name, key or description hold every word of `search`, without their metadata."""
    graphs = Graph.objects.filter(workspace=workspace).defer("metadata")
    words = words_of(search[:MAX_SEARCH_CHARS])[:MOST_WORDS]
    return graphs.filter(holding([F("name"), F("key"), F("description")], words)) if words else graphs


def with_sizes(graphs: Sequence[Graph]) -> list[SizedGraph]:
    """The graphs with their numbers of nodes and edges, in two queries."""
    nodes, edges = _count(Node, graphs), _count(Edge, graphs)
    return [SizedGraph(graph, nodes.get(graph.pk, 0), edges.get(graph.pk, 0)) for graph in graphs]


def _count(model: type[Node | Edge], graphs: Sequence[Graph]) -> dict[int, int]:
    counted = model.objects.filter(graph__in=graphs).order_by().values_list("graph").annotate(Count("id"))
    return dict(counted)
