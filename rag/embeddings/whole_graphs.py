"""Graphs with one model, for the commands that wait until they are done."""

from collections.abc import Iterable, Iterator

from graphs.models import Graph
from rag.embeddings import serving_model
from rag.embeddings.base import Embedder
from rag.embeddings.locks import held
from rag.embeddings.metering import OverBudget, account_of
from rag.embeddings.nodes import Manner, Progress, embed_all, embed_changes

#: What Ctrl-C leaves, and what a shell expects of a command that it ended.
STOPPED = "Stopped; what was embedded is kept. Run this again to go on."
INTERRUPTED = 130


def manner_for(embedder: Embedder, *, batch: int, delay_ms: int, force: bool = False) -> Manner:
    """Nobody limits what runs here: the local model gets no pause."""
    return Manner(batch, 0 if embedder.name.startswith("local/") else delay_ms / 1000, force)


class WholeGraphs:
    """What a command does: all nodes of each graph, or those that changed since the model last looked."""

    def __init__(self, embedder: Embedder, manner: Manner, *, only_changes: bool = False) -> None:
        self._embedder = embedder
        self._manner = manner
        self._embed = embed_changes if only_changes else embed_all
        self._kept = False
        self._refusal: OverBudget | None = None

    def embed(self, graph_ids: Iterable[int]) -> Iterator[tuple[int, Iterator[Progress]]]:
        """Each graph with its steps. Raises `EmbeddingFailed`, and `served.Overtaken` where somebody dropped the model.

        A graph that no budget pays for stops no other: that is raised at the end.
        """
        for graph_id in graph_ids:
            yield graph_id, self._steps(graph_id)
        if self._refusal:
            raise self._refusal

    def _steps(self, graph_id: int) -> Iterator[Progress]:
        """Waits until nobody else embeds the graph; nothing where it was deleted meanwhile."""
        with held(graph_id, self._embedder.name, wait=True):
            graph = Graph.objects.filter(pk=graph_id).first()
            if graph is None:
                return
            try:
                serving_model.keep(self._embedder, account_of(graph), anew=not self._kept)
                self._kept = True
                yield from self._embed(graph, self._embedder, self._manner)
            except OverBudget as refusal:
                self._refusal = refusal
