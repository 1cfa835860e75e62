"""What the model gets to see of a graph for one question: as many nodes as the options say, in at most four queries.

Called by the engine for every message of a person. docs/retrieval.md tells how it works and why.
"""

import logging
from dataclasses import dataclass
from itertools import islice

from graphs.models import Graph
from graphs.site.telemetry.events import activity
from rag.embeddings.base import EmbeddingFailed
from rag.embeddings.metering import Account, account_of, embed
from rag.embeddings.registry import current
from rag.embeddings.serving_model import learned
from rag.embeddings.vector_search import nearest
from rag.retrieval.cache import keep, kept, place
from rag.retrieval.context import GraphContext, GraphFacts
from rag.retrieval.expansion import Surroundings, beginning, surroundings
from rag.retrieval.fusion import NAMED, fused
from rag.retrieval.options import Options, configured
from rag.retrieval.ranking import best_first, with_links
from rag.retrieval.text_search import Survey, TokenSearch, survey
from rag.texts.node_text import MAX_CHARS

#: Nodes that each way of finding hands on; a context may hold as many.
FOUND = 60
#: Edges in a context.
MAX_EDGES = 100

log = logging.getLogger("countersign.rag")


def retrieve(
    graph: Graph, question: str, account: Account | None = None, options: Options | None = None
) -> GraphContext:
    """The part of the graph that the question is about. `account` pays for its vector, else the graph's workspace.

    The graph must come from `graphs.site.access.graph_for`: nothing outside it and its workspace's node types is read.
    A question that finds nothing shows where the graph begins.
    """
    with activity("retrieval", lambda: {"query": question}, graph=graph.pk) as told:
        options = options or configured()
        here = place(graph, question, options)
        context = kept(here)
        told.note(cache_hit=context is not None)
        if context is None:
            context = look_up(graph, question, account, options).context
            keep(here, context)
        told.note(nodes=len(context.relevant_nodes), edges=len(context.relevant_edges))
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
    """A context, and why its nodes are in it, in their order; none where the question found nothing."""

    context: GraphContext
    why: tuple[Why, ...]


def look_up(graph: Graph, question: str, account: Account | None = None, options: Options | None = None) -> Found:
    """What `retrieve` gives where nothing is cached, with the reasons."""
    options = options or configured()
    known = survey(graph, question)
    searched = TokenSearch().search(graph, known, question, FOUND)
    named = {hit.node_id: hit.said for hit in searched.hits if hit.said}
    words = {hit.node_id: hit.score for hit in searched.hits}
    cosines = _cosines(graph, known, question, account, searched.met)
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


def _cosines(graph: Graph, known: Survey, question: str, account: Account | None, met: list[int]) -> dict[int, float]:
    """The nodes whose vectors are nearest to the question's; none where nothing was embedded or nothing embeds now."""
    learned(known.serving)
    embedder = current() if known.serving and question.strip() else None
    if embedder is None:
        return {}
    try:
        with activity("question_embedding", lambda: {"query": question}, model=embedder.name) as told:
            embedded = embed(embedder, [_ends(question)], "question", account or account_of(graph))
            told.note(prompt_tokens=embedded.tokens, dimensions=embedded.vectors.shape[1])
        vector = embedded.vectors[0]
    except EmbeddingFailed as error:
        log.warning("A question is searched by its words only: %s", error.code)
        return {}
    return dict(nearest(graph.pk, embedder.name, vector, FOUND, also=met))


def _ends(question: str) -> str:
    """What of a long question is embedded: a model that takes texts of nodes takes as much, not a whole message."""
    half = MAX_CHARS // 2
    return question if len(question) <= MAX_CHARS else f"{question[: half - 1]}…{question[-half:]}"


def _context(facts: GraphFacts, around: Surroundings, ranked: list[int], options: Options) -> GraphContext:
    """The first of the ranked nodes with their types and the edges between them."""
    chosen = dict.fromkeys(ranked[: options.nodes])
    edges = tuple(islice(around.edges_between(chosen), MAX_EDGES))
    return GraphContext(facts, around.nodes(chosen, options), edges, around.types(chosen))
