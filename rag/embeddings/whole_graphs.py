"""A graph with one model, for the commands that wait until it is done."""

from collections.abc import Iterator

from graphs.models import Graph
from rag.embeddings.base import Embedder
from rag.embeddings.locks import held
from rag.embeddings.nodes import Manner, Progress, embed_all, embed_changes

#: What Ctrl-C leaves, and what a shell expects of a command that it ended.
STOPPED = "Stopped; what was embedded is kept. Run this again to go on."
INTERRUPTED = 130


def manner_for(embedder: Embedder, *, batch: int, delay_ms: int, force: bool = False) -> Manner:
    """Nobody limits what runs here: the local model gets no pause."""
    return Manner(batch, 0 if embedder.name.startswith("local/") else delay_ms / 1000, force)


def embed_graph(graph_id: int, embedder: Embedder, manner: Manner, *, only_changes: bool = False) -> Iterator[Progress]:
    """All its nodes, or those that changed since the model last looked. Raises `EmbeddingFailed`.

    Waits until nobody else embeds the graph; nothing where it was deleted meanwhile.
    """
    with held(graph_id, embedder.name, wait=True):
        graph = Graph.objects.filter(pk=graph_id).first()
        if graph is not None:
            yield from (embed_changes if only_changes else embed_all)(graph, embedder, manner)
