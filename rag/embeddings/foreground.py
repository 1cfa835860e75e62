"""Embeds collections with one model, for the commands that wait until they are done."""

from collections.abc import Iterable, Iterator

from rag.embeddings import serving_model
from rag.embeddings.collections import open_collection
from rag.embeddings.embedder import Embedder
from rag.embeddings.locks import held
from rag.embeddings.metering import OverBudget
from rag.embeddings.updating import EmbedOptions, Progress, embed_all, embed_changes

#: What Ctrl-C leaves, and what a shell expects of a command that it ended.
STOPPED = "Stopped; what was embedded is kept. Run this again to go on."
INTERRUPTED = 130


def options_for(embedder: Embedder, *, batch: int, delay_ms: int, force: bool = False) -> EmbedOptions:
    """Options as a command has them. The local model gets no pause: nobody limits what runs here."""
    return EmbedOptions(batch, 0 if embedder.name.startswith("local/") else delay_ms / 1000, force)


class CommandPass:
    """Embeds all targets of collections, or those that changed since the model looked last."""

    def __init__(self, embedder: Embedder, options: EmbedOptions, *, only_changes: bool = False) -> None:
        self._embedder = embedder
        self._options = options
        self._embed = embed_changes if only_changes else embed_all
        self._adopted = False
        self._refusal: OverBudget | None = None

    def embed(self, names: Iterable[str]) -> Iterator[tuple[str, Iterator[Progress]]]:
        """Each collection with its steps; raises `Overtaken`, `EmbeddingFailed`, and unpaid budgets at the end."""
        for name in names:
            yield name, self._steps(name)
        if self._refusal:
            raise self._refusal

    def _steps(self, name: str) -> Iterator[Progress]:
        """Waits until nobody else embeds the collection; yields nothing if it was deleted meanwhile."""
        with held(name, self._embedder.name, wait=True):
            collection = open_collection(name)
            if collection is None:
                return
            try:
                serving_model.ensure_model(self._embedder, collection.account, anew=not self._adopted)
                self._adopted = True
                yield from self._embed(collection, self._embedder, self._options)
            except OverBudget as refusal:
                self._refusal = refusal
