"""What the model gets to see of a graph for one question: at most 20 nodes, in at most four queries.

Called by the engine for every message of a person. docs/retrieval.md tells how it works and why.
"""

from graphs.models import Graph
from rag.cache import keep, kept
from rag.context import GraphContext, GraphFacts
from rag.expansion import MAX_NODES, edges_between, first_nodes, with_neighbours
from rag.search import SearchHalf, TokenSearch, survey

SEARCH: SearchHalf = TokenSearch()


def retrieve(graph: Graph, question: str) -> GraphContext:
    """The part of the graph that the question is about.

    The graph must come from `graphs.access.graph_for`: nothing outside it and its workspace's node types is read.
    A question that finds nothing shows where the graph begins.
    """
    context = kept(graph, question)
    if context is None:
        context = _retrieve(graph, question)
        keep(graph, question, context)
    return context


def _retrieve(graph: Graph, question: str) -> GraphContext:
    known = survey(graph, question)
    hits = SEARCH.search(graph, known, question, MAX_NODES)
    nodes, types = with_neighbours(graph, hits) if hits else first_nodes(graph)
    facts = GraphFacts(graph.key, graph.name, graph.description, known.sheets, graph.metadata)
    return GraphContext(facts, tuple(node for _, node in nodes), edges_between(graph, nodes), types)
