"""Graphs with one model, for the commands that wait until they are done."""

from collections.abc import Iterable, Iterator

from graphs.models import Graph
from rag.embeddings.base import Embedder
from rag.embeddings.locks import held
from rag.embeddings.nodes import Manner, Progress, embed_all, embed_changes
from rag.metering import OverBudget

#: What Ctrl-C leaves, and what a shell expects of a command that it ended.
STOPPED = "Stopped; what was embedded is kept. Run this again to go on."
INTERRUPTED = 130


def manner_for(embedder: Embedder, *, batch: int, delay_ms: int, force: bool = False) -> Manner:
    """Nobody limits what runs here: the local model gets no pause."""
    return Manner(batch, 0 if embedder.name.startswith("local/") else delay_ms / 1000, force)


def embed_graphs(
    graph_ids: Iterable[int], embedder: Embedder, manner: Manner, *, only_changes: bool = False
) -> Iterator[tuple[int, Iterator[Progress]]]:
    """Each with its steps: all its nodes, or those that changed since the model last looked. Raises `EmbeddingFailed`.

    A graph that no budget pays for stops no other: that is raised at the end.
    """
    refusals: list[OverBudget] = []
    for graph_id in graph_ids:
        yield graph_id, _embed_graph(graph_id, embedder, manner, only_changes, refusals)
    if refusals:
        raise refusals[0]


def _embed_graph(
    graph_id: int, embedder: Embedder, manner: Manner, only_changes: bool, refusals: list[OverBudget]
) -> Iterator[Progress]:
    """Waits until nobody else embeds the graph; nothing where it was deleted meanwhile."""
    with held(graph_id, embedder.name, wait=True):
        graph = Graph.objects.filter(pk=graph_id).first()
        if graph is None:
            return
        try:
            yield from (embed_changes if only_changes else embed_all)(graph, embedder, manner)
        except OverBudget as refusal:
            refusals.append(refusal)
