"""Keeps the vectors of a graph's nodes true for one model. Called by the background task and by the commands."""

import json
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from graphs.models import Graph, LiveEdit, Modification, Revision
from graphs.workflows.kinds import NODE
from rag.embeddings import vector_indexes
from rag.embeddings.base import Embedder, EmbeddingFailed, length
from rag.embeddings.batch_embed import Answer, Asking, Text
from rag.embeddings.storing import NodeVersion, store_nodes
from rag.models import EmbeddedGraph
from rag.texts.node_text import MAX_CHARS, node_text, text_hash

#: Texts that a model gets at once, unless somebody says otherwise.
BATCH = 100
#: Nodes that are read together, and stored together where that takes no longer than `STORED_S`.
STORED = 1_000
#: Seconds of work that a killed process may lose, and the vendor's calls with it.
STORED_S = 1.0

_TEXTS = """
SELECT node.id, node.version, node.key, node.name, node.type, left(node.process, %(chars)s), node.data, node.handles,
    had.content_hash, failed.content_hash
FROM graphs_node AS node
LEFT JOIN rag_embedding AS had ON had.target_type = 'node' AND had.target_id = node.id AND had.part = 0
    AND had.model = %(model)s AND had.dimensions = %(dimensions)s
LEFT JOIN rag_embeddingfailure AS failed ON failed.target_type = 'node' AND failed.target_id = node.id
    AND failed.part = 0 AND failed.model = %(model)s AND failed.retry_at > statement_timestamp()
WHERE node.id = ANY(%(nodes)s) AND node.graph_id = %(graph)s ORDER BY node.id
"""
_BEGIN = """
INSERT INTO rag_embeddedgraph (graph_id, model, version, indexed, fitted)
SELECT object_id, %s, 0, false, false FROM graphs_graph WHERE object_id = %s FOR KEY SHARE
ON CONFLICT (graph_id, model) DO NOTHING
"""
#: Who begins a model's vectors anew changes its row first, and waits for who reads it here.
_NOTE = """
UPDATE rag_embeddedgraph SET version = greatest(version, %(version)s), fitted = false
WHERE graph_id = %(graph)s AND model = %(model)s AND EXISTS (
    SELECT FROM rag_embeddingmodel WHERE name = %(model)s AND dimensions = %(dimensions)s FOR SHARE
)
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
    """The texts of one call, the pause after it, and whether those are embedded anew that have their vector.

    In the background a text that failed waits until it is due, nobody waits for an index of another graph, and texts
    that come one by one do because the model failed.
    """

    batch: int = BATCH
    delay_s: float = 0
    force: bool = False
    background: bool = False


AS_EVER = Manner()


def embed_changes(graph: Graph, embedder: Embedder, manner: Manner = AS_EVER) -> Iterator[Progress]:
    """Brings the vectors of a graph from the version they are true for to that of `graph`, part by part, and its index.

    Not within a transaction, and only for who holds the graph and model (`rag.embeddings.locks`). Raises
    `EmbeddingFailed` where it cannot go on now; what was done is stored.
    """
    state = EmbeddedGraph.objects.filter(graph=graph, model=embedder.name).first()
    if state is None or state.version == 0:
        yield from embed_all(graph, embedder, manner)
        return
    told = _told(graph)
    since = Revision.objects.filter(type=Graph.TYPE, object=graph.pk, version__gt=state.version).values("change_set")
    # Also what was only moved: the vector that was being made meanwhile was not stored.
    changed = Modification.objects.filter(change_set__in=since, type=Graph.TYPE, object=graph.pk, kind=NODE.name)
    keys = set(changed.exclude(action=Modification.Action.DELETE).values_list("key", flat=True))
    for some in _parts(sorted(keys | _edited_live(graph, state.version)), STORED):
        ids = graph.nodes.filter(key__in=some).values_list("pk", flat=True)
        yield from embed_nodes(graph, embedder, list(ids), manner)
    _finish(graph, embedder, told, manner)


def embed_all(graph: Graph, embedder: Embedder, manner: Manner = AS_EVER) -> Iterator[Progress]:
    """Embeds the nodes that have no vector of their present text, or all of them; may be interrupted and run twice."""
    told = _told(graph)
    # Who drops the model's vectors finds by it those of a process that was killed on the way.
    note_begin(graph.pk, embedder.name)
    last = 0
    while ids := list(graph.nodes.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:STORED]):
        yield from embed_nodes(graph, embedder, ids, manner)
        last = ids[-1]
    _finish(graph, embedder, told, manner)


def embed_nodes(graph: Graph, embedder: Embedder, ids: Sequence[int], manner: Manner = AS_EVER) -> Iterator[Progress]:
    """Embeds those of the nodes whose text has no vector yet; tells of each part once it is stored."""
    dimensions = length(embedder)
    texts = _texts(graph, embedder.name, dimensions, ids, manner)
    yield Progress(len(ids) - len(texts))
    batches = deque(_parts(texts, manner.batch))
    while batches:
        one_by_one = manner.background and manner.batch == 1
        progress, failure = _embed_some(Asking(graph, embedder, dimensions, one_by_one), batches, manner)
        yield progress
        if failure:
            raise failure
        time.sleep(manner.delay_s)


def note_begin(graph_id: int, model: str) -> None:
    """Some vectors may be there. Nothing for a graph that is gone."""
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, [model, graph_id])


def note_version(graph: Graph, embedder: Embedder, version: int) -> bool:
    """The vectors are true for that version; what came later is in the history, or will be.

    False for a graph or a model that is gone, or where the model's vectors have become longer or shorter.
    """
    values: dict[str, Any] = {
        "graph": graph.pk,
        "model": embedder.name,
        "version": version,
        "dimensions": length(embedder),
    }
    with connection.cursor() as cursor:
        cursor.execute(_NOTE, values)
        return bool(cursor.rowcount)


def _told(graph: Graph) -> int:
    """The version up to which the history tells. What was edited live gets there when it is saved, as later ones."""
    unsaved = LiveEdit.objects.filter(object=graph, saved_at=None).order_by("version").values_list("version", flat=True)
    return min(graph.version, (unsaved.first() or graph.version + 1) - 1)


def _edited_live(graph: Graph, since: int) -> set[str]:
    """Keys of nodes that somebody edited live; what was taken back before it was saved is in no history."""
    items = LiveEdit.objects.filter(object=graph, version__gt=since).values_list("items", flat=True)
    names = (name.partition(":") for some in items for name in some)
    return {key for kind, _, key in names if kind == NODE.name}


def _finish(graph: Graph, embedder: Embedder, version: int, manner: Manner) -> None:
    """A graph whose index is not built, for whatever reason, waits for that alone."""
    if note_version(graph, embedder, version) and vector_indexes.fit(
        graph.pk, embedder.name, length(embedder), wait=not manner.background
    ):
        EmbeddedGraph.objects.filter(graph=graph, model=embedder.name, version=version).update(fitted=True)


def _texts(graph: Graph, model: str, dimensions: int, ids: Sequence[int], manner: Manner) -> list[Text]:
    """Nodes with their texts, those left out whose vector is of the same text, or whose failure is not yet due."""
    values: dict[str, Any] = {"chars": MAX_CHARS, "model": model, "dimensions": dimensions, "nodes": list(ids)}
    with connection.cursor() as cursor:
        cursor.execute(_TEXTS, values | {"graph": graph.pk})
        rows = cursor.fetchall()
    found = []
    for id_, version, key, name, type_, process, data, handles, had, failed in rows:
        text = node_text(key, name, type_, process, json.loads(data), json.loads(handles))
        digest = text_hash(text)
        there = had is not None and bytes(had) == digest and not manner.force
        waits = failed is not None and bytes(failed) == digest and manner.background
        if not there and not waits:
            found.append(Text(NodeVersion(id_, version, digest, had is not None), text))
    return found


def _embed_some(
    asking: Asking, batches: deque[Sequence[Text]], manner: Manner
) -> tuple[Progress, EmbeddingFailed | None]:
    """Takes batches for a second, one at least. What was embedded before a failure is stored."""
    until = time.monotonic() + STORED_S
    seen = failed = 0
    failure: EmbeddingFailed | None = None
    try:
        while batches:
            some = batches.popleft()
            failed += asking.ask(some)
            seen += len(some)
            if time.monotonic() + manner.delay_s >= until:
                break
            time.sleep(manner.delay_s)
    except EmbeddingFailed as error:
        failure = error
    finally:
        stored = _store(asking.graph, asking.embedder, asking.answers)
    return Progress(seen, stored, failed, sum(answer.embedded.tokens for answer in asking.answers)), failure


def _store(graph: Graph, embedder: Embedder, answers: Sequence[Answer]) -> int:
    if not answers:
        return 0
    import numpy as np

    nodes = [each.node for answer in answers for each in answer.texts]
    vectors = np.concatenate([answer.embedded.vectors for answer in answers])
    stored = store_nodes(graph.pk, embedder.name, nodes, vectors)
    # Who dropped the model meanwhile has taken that away, by which these are found.
    note_begin(graph.pk, embedder.name)
    return stored


def _parts(whole: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (whole[start : start + size] for start in range(0, len(whole), size))
