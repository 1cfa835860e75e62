"""Keeps the vectors of a graph's nodes true for one model. Called by the background task and by `embed_nodes`."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import connection

from graphs.models import Graph, Modification
from graphs.objects import NODE
from rag.embeddings.base import OF_THE_TEXT, Embedder, EmbeddingFailed
from rag.embeddings.failing import note_failure
from rag.embeddings.storing import NodeVersion, store_nodes
from rag.models import EmbeddedGraph
from rag.node_text import node_text, text_hash

#: Nodes that are read and embedded together.
BATCH = 100
#: The fields whose text is embedded.
CONTENT = ("name", "type", "process", "data", "handles")


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
class _Text:
    node: NodeVersion
    text: str


def embed_changes(graph: Graph, embedder: Embedder) -> Iterator[Progress]:
    """Brings the vectors of a graph from the version they are true for to that of `graph`, batch by batch.

    Raises `EmbeddingFailed` where it cannot go on now; what was done is stored.
    """
    state = EmbeddedGraph.objects.filter(graph=graph, model=embedder.name).first()
    if state is None or state.version == 0:
        yield from embed_all(graph, embedder)
        return
    changed = Modification.objects.filter(
        type="graph", object=graph.pk, kind=NODE.name, version__gt=state.version, field__in=["", *CONTENT]
    )
    keys = sorted(set(changed.exclude(action=Modification.Action.DELETE).values_list("key", flat=True)))
    for start in range(0, len(keys), BATCH):
        ids = graph.nodes.filter(key__in=keys[start : start + BATCH]).values_list("pk", flat=True)
        yield embed_nodes(graph, embedder, list(ids))
    note_version(graph, embedder)


def embed_all(graph: Graph, embedder: Embedder, *, batch: int = BATCH, force: bool = False) -> Iterator[Progress]:
    """Embeds the nodes that have no vector of their present text, or all of them; may be interrupted and run twice."""
    last = 0
    while ids := list(graph.nodes.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:batch]):
        yield embed_nodes(graph, embedder, ids, force=force)
        last = ids[-1]
    note_version(graph, embedder)


def embed_nodes(graph: Graph, embedder: Embedder, ids: Sequence[int], *, force: bool = False) -> Progress:
    """Embeds those of the nodes whose text has no vector yet."""
    texts = _texts(graph, embedder, ids, force)
    return Progress(seen=len(ids)) + _embed(graph, embedder, texts)


def note_version(graph: Graph, embedder: Embedder) -> None:
    """The vectors are true for the version that `graph` had when it was read; what came later is in the history."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rag_embeddedgraph AS state (graph_id, model, version, indexed) VALUES (%s, %s, %s, false) "
            "ON CONFLICT (graph_id, model) DO UPDATE SET version = greatest(state.version, excluded.version)",
            [graph.pk, embedder.name, graph.version],
        )


def _texts(graph: Graph, embedder: Embedder, ids: Sequence[int], force: bool) -> list[_Text]:
    """Nodes with their texts, those left out whose vector is of the same text."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT node.id, node.version, node.key, node.name, node.type, node.process, node.data, node.handles, "
            "had.content_hash FROM graphs_node AS node LEFT JOIN rag_embedding AS had ON had.target_type = 'node' "
            "AND had.target_id = node.id AND had.part = 0 AND had.model = %s AND had.dimensions = %s "
            "WHERE node.id = ANY(%s) AND node.graph_id = %s ORDER BY node.id",
            [embedder.name, embedder.dimensions, list(ids), graph.pk],
        )
        rows = cursor.fetchall()
    found = []
    for id_, version, key, name, type_, process, data, handles, had in rows:
        text = node_text(key, name, type_, process, json.loads(data), json.loads(handles))
        digest = text_hash(text)
        if force or had is None or bytes(had) != digest:
            found.append(_Text(NodeVersion(id_, version, digest), text))
    return found


def _embed(graph: Graph, embedder: Embedder, texts: Sequence[_Text]) -> Progress:
    """All at once; where the model refuses that, by halves, until the texts it refuses stand alone."""
    if not texts:
        return Progress()
    try:
        found = embedder.embed([each.text for each in texts], "stored")
    except EmbeddingFailed as failure:
        if failure.code not in OF_THE_TEXT:
            raise
        if len(texts) == 1:
            note_failure(graph.pk, texts[0].node.id, embedder.name, failure.code)
            return Progress(failed=1)
        middle = len(texts) // 2
        return _embed(graph, embedder, texts[:middle]) + _embed(graph, embedder, texts[middle:])
    stored = store_nodes(graph.pk, embedder.name, [each.node for each in texts], found.vectors)
    return Progress(embedded=stored, tokens=found.tokens)
