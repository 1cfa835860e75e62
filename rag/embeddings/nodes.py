"""Keeps the vectors of a graph's nodes true for one model. Called by the background task and by the commands."""

import json
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from graphs.models import Graph, Modification, Revision
from graphs.objects import GRAPH, NODE
from rag import vector_indexes
from rag.embeddings.base import BROKEN, HARMLESS, OF_THE_TEXT, Embedded, Embedder, EmbeddingFailed
from rag.embeddings.failing import note_failure
from rag.embeddings.storing import NodeVersion, store_nodes
from rag.metering import account_of, embed
from rag.models import EmbeddedGraph
from rag.node_text import MAX_CHARS, node_text, text_hash
from rag.telemetry.events import activity

#: Texts that a model gets at once, unless somebody says otherwise.
BATCH = 100
#: Nodes that are read together, and stored together where that takes no longer than `STORED_S`.
STORED = 1_000
#: Seconds of work that a killed process may lose, and the vendor's calls with it.
STORED_S = 1.0

_TEXTS = """
SELECT node.id, node.version, node.key, node.name, node.type, left(node.process, %s), node.data, node.handles,
    had.content_hash
FROM graphs_node AS node
LEFT JOIN rag_embedding AS had ON had.target_type = 'node' AND had.target_id = node.id AND had.part = 0
    AND had.model = %s AND had.dimensions = %s
WHERE node.id = ANY(%s) AND node.graph_id = %s ORDER BY node.id
"""
#: Who begins a model's vectors anew changes its row first, and waits for who reads it here.
_NOTE = """
INSERT INTO rag_embeddedgraph AS state (graph_id, model, version, indexed)
SELECT graph.id, %(model)s, %(version)s, false FROM graphs_graph AS graph
WHERE graph.id = %(graph)s AND (%(version)s = 0 OR EXISTS (
    SELECT FROM rag_embeddingmodel WHERE name = %(model)s AND dimensions = %(dimensions)s FOR SHARE
))
FOR KEY SHARE
ON CONFLICT (graph_id, model) DO UPDATE SET version = greatest(state.version, excluded.version)
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """Of some nodes: how many were looked at, embedded anew, and refused by the model; tokens the model read."""

    seen: int = 0
    embedded: int = 0
    failed: int = 0
    tokens: int = 0

    def __add__(self, other: "Progress") -> "Progress":
        return Progress(
            self.seen + other.seen,
            self.embedded + other.embedded,
            self.failed + other.failed,
            self.tokens + other.tokens,
        )


@dataclass(frozen=True, slots=True)
class Manner:
    """The texts of one call, the pause after it, and whether those are embedded anew that have their vector."""

    batch: int = BATCH
    delay_s: float = 0
    force: bool = False


AS_EVER = Manner()


@dataclass(frozen=True, slots=True)
class _Text:
    node: NodeVersion
    text: str


@dataclass(frozen=True, slots=True)
class _Answer:
    texts: Sequence[_Text]
    embedded: Embedded


def embed_changes(graph: Graph, embedder: Embedder, manner: Manner = AS_EVER) -> Iterator[Progress]:
    """Brings the vectors of a graph from the version they are true for to that of `graph`, part by part, and its index.

    Not within a transaction, and only for who holds the graph and model (`rag.embeddings.locks`). Raises
    `EmbeddingFailed` where it cannot go on now; what was done is stored.
    """
    state = EmbeddedGraph.objects.filter(graph=graph, model=embedder.name).first()
    if state is None or state.version == 0:
        yield from embed_all(graph, embedder, manner)
        return
    since = Revision.objects.filter(type=GRAPH, object=graph.pk, version__gt=state.version).values("change_set")
    # Also what was only moved: the vector that was being made meanwhile was not stored.
    changed = Modification.objects.filter(change_set__in=since, type=GRAPH, object=graph.pk, kind=NODE.name)
    keys = sorted(set(changed.exclude(action=Modification.Action.DELETE).values_list("key", flat=True)))
    for some in _parts(keys, STORED):
        ids = graph.nodes.filter(key__in=some).values_list("pk", flat=True)
        yield from embed_nodes(graph, embedder, list(ids), manner)
    _finish(graph, embedder)


def embed_all(graph: Graph, embedder: Embedder, manner: Manner = AS_EVER) -> Iterator[Progress]:
    """Embeds the nodes that have no vector of their present text, or all of them; may be interrupted and run twice."""
    # Who drops the model's vectors finds by it those of a process that was killed on the way.
    note_version(graph, embedder, version=0)
    last = 0
    while ids := list(graph.nodes.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:STORED]):
        yield from embed_nodes(graph, embedder, ids, manner)
        last = ids[-1]
    _finish(graph, embedder)


def _finish(graph: Graph, embedder: Embedder) -> None:
    """The version comes last: a graph whose index was interrupted waits, and is looked at again."""
    vector_indexes.fit(graph.pk, embedder.name, embedder.dimensions)
    note_version(graph, embedder, graph.version)


def embed_nodes(graph: Graph, embedder: Embedder, ids: Sequence[int], manner: Manner = AS_EVER) -> Iterator[Progress]:
    """Embeds those of the nodes whose text has no vector yet; tells of each part once it is stored."""
    texts = _texts(graph, embedder, ids, manner.force)
    yield Progress(len(ids) - len(texts))
    batches = deque(_parts(texts, manner.batch))
    while batches:
        yield _embed_some(graph, embedder, batches, manner)
        time.sleep(manner.delay_s)


def note_version(graph: Graph, embedder: Embedder, version: int) -> None:
    """The vectors are true for that version; what came later is in the history. 0: some vectors may be there.

    Nothing for a graph that is gone, or where the model's vectors became longer or shorter meanwhile.
    """
    values: dict[str, Any] = {
        "graph": graph.pk,
        "model": embedder.name,
        "version": version,
        "dimensions": embedder.dimensions,
    }
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, values)


def _texts(graph: Graph, embedder: Embedder, ids: Sequence[int], force: bool) -> list[_Text]:
    """Nodes with their texts, those left out whose vector is of the same text."""
    with connection.cursor() as cursor:
        cursor.execute(_TEXTS, [MAX_CHARS, embedder.name, embedder.dimensions, list(ids), graph.pk])
        rows = cursor.fetchall()
    found = []
    for id_, version, key, name, type_, process, data, handles, had in rows:
        text = node_text(key, name, type_, process, json.loads(data), json.loads(handles))
        digest = text_hash(text)
        if force or had is None or bytes(had) != digest:
            found.append(_Text(NodeVersion(id_, version, digest, had is not None), text))
    return found


def _embed_some(graph: Graph, embedder: Embedder, batches: deque[Sequence[_Text]], manner: Manner) -> Progress:
    """Takes batches for a second, one at least. What was embedded before a failure is stored."""
    until = time.monotonic() + STORED_S
    answers: list[_Answer] = []
    seen = failed = 0
    try:
        while batches:
            some = batches.popleft()
            failed += _ask(graph, embedder, some, answers)
            seen += len(some)
            if time.monotonic() + manner.delay_s >= until:
                break
            time.sleep(manner.delay_s)
    finally:
        stored = _store(graph, embedder, answers)
    return Progress(seen, stored, failed, sum(answer.embedded.tokens for answer in answers))


def _ask(
    graph: Graph, embedder: Embedder, texts: Sequence[_Text], answers: list[_Answer], *, well: bool = False
) -> int:
    """All at once; where the model refuses that, by halves, until what it refuses stands alone: how many texts.

    Some endpoints refuse everything, and others break at a text that they cannot take: which it is says a text that
    every model takes. `well` where that was seen since the batch began.
    """
    try:
        with activity("embedding_batch", model=embedder.name, graph=graph.pk, texts=len(texts)) as told:
            embedded = embed(embedder, [each.text for each in texts], "stored", account_of(graph))
            told.note(prompt_tokens=embedded.tokens)
        answers.append(_Answer(texts, embedded))
    except EmbeddingFailed as failure:
        broken = failure.code in BROKEN and failure.retryable and failure.retry_after is None
        if not broken and failure.code not in OF_THE_TEXT:
            raise
        if broken or not well:
            embed(embedder, [HARMLESS], "stored", account_of(graph))
        if len(texts) == 1:
            note_failure(graph.pk, texts[0].node, embedder, failure.code)
            return 1
        middle = len(texts) // 2
        halves = texts[:middle], texts[middle:]
        return sum(_ask(graph, embedder, half, answers, well=True) for half in halves)
    return 0


def _store(graph: Graph, embedder: Embedder, answers: Sequence[_Answer]) -> int:
    if not answers:
        return 0
    import numpy as np

    nodes = [each.node for answer in answers for each in answer.texts]
    return store_nodes(graph.pk, embedder.name, nodes, np.concatenate([answer.embedded.vectors for answer in answers]))


def _parts(whole: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (whole[start : start + size] for start in range(0, len(whole), size))
