"""Retrieves the part of a graph that one question is about, in at most four queries (docs/retrieval.md)."""

from dataclasses import dataclass
from itertools import islice

from graphs.models import Graph
from graphs.site.accounts import Account, account_of
from graphs.site.telemetry.events import activity
from graphs.workflows.kinds import NODE
from rag.embeddings.serving_model import cache_serving
from rag.retrieval.by_vector import near
from rag.retrieval.fusion import NAMED, fused
from rag.retrieval.ranking import best_first, with_links
from rag.sources.graphs import cache
from rag.sources.graphs.context import GraphContext, GraphFacts, Options, configured
from rag.sources.graphs.expansion import Surroundings, beginning, surroundings
from rag.sources.graphs.nodes import collection_of
from rag.sources.graphs.text_search import search

#: Nodes that each way of finding hands on; a context may hold as many.
FOUND = 60
#: Edges in a context.
MAX_EDGES = 100


def retrieve(
    graph: Graph, question: str, account: Account | None = None, options: Options | None = None
) -> GraphContext:
    """The part of the graph that the question is about, or its beginning. `account` pays, else the graph's workspace.

    The graph must come from `listing.graph_for`: nothing outside it and its workspace's node types is read.
    """
    with activity("retrieval", lambda: {"query": question}, graph=graph.key, query_length=len(question)) as span:
        options = options or configured()
        kept = cache.read(graph, question, options)
        span.note(cache_hit=kept.context is not None)
        context = kept.context
        if context is None:
            context = look_up(graph, question, account, options).context
            cache.keep(kept, context)
        span.note(nodes=len(context.relevant_nodes), edges=len(context.relevant_edges))
    return context


@dataclass(frozen=True, slots=True)
class Why:
    """What brought a node into a context: the share of its words, its cosine, its name, and what links add to these."""

    words: float
    cosine: float
    named: bool
    linked: float

    @property
    def score(self) -> float:
        return self.words + self.cosine + NAMED * self.named + self.linked


@dataclass(frozen=True, slots=True)
class Found:
    """A context, and why each of its nodes is in it; no reasons if the question found nothing."""

    context: GraphContext
    why: tuple[Why, ...]


def look_up(graph: Graph, question: str, account: Account | None = None, options: Options | None = None) -> Found:
    """Retrieves without the cache, and with the reasons."""
    options = options or configured()
    searched = search(graph, question, FOUND)
    known = searched.survey
    named = {hit.node_id: hit.said for hit in searched.hits if hit.said}
    words = {hit.node_id: hit.score for hit in searched.hits}
    cache_serving(known.serving)
    found = (
        near(
            collection_of(graph.pk),
            [NODE.name],
            question,
            account or account_of(graph),
            FOUND,
            also=searched.met,
            few=not known.large,
        )
        if known.serving
        else []
    )
    cosines = {each.id: each.cosine for each in found}
    scores = fused(words, cosines, named)
    facts = GraphFacts(graph.key, graph.name, graph.description, known.sheets, graph.metadata)
    if not scores:
        around = beginning(graph, options)
        return Found(_context(facts, around, list(around.rows), options), ())
    around = surroundings(graph, best_first(scores, named), options)
    neighbours = around.neighbours()
    linked = with_links(scores, named, lambda node_id: neighbours.get(node_id, ()), options.depth)
    ranked = [node_id for node_id in best_first(linked, named) if node_id in around.rows]
    best = max(words.values(), default=0) or 1
    why = (
        Why(words.get(id_, 0) / best, cosines.get(id_, 0), id_ in named, linked[id_] - scores.get(id_, 0))
        for id_ in ranked[: options.nodes]
    )
    return Found(_context(facts, around, ranked, options), tuple(why))


def _context(facts: GraphFacts, around: Surroundings, ranked: list[int], options: Options) -> GraphContext:
    """A context of the first of the ranked nodes, their types and the edges between them."""
    chosen = dict.fromkeys(ranked[: options.nodes])
    edges = tuple(islice(around.edges_between(chosen), MAX_EDGES))
    return GraphContext(facts, around.nodes(chosen, options), edges, around.types(chosen))
