"""Asks a model for the vectors of many texts: all at once, and by halves where it does not take them all."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphs.site.telemetry.events import activity
from rag.embeddings.collections import Collection
from rag.embeddings.embedder import BROKEN, HARMLESS, OF_THE_TEXT, Embedded, Embedder, EmbeddingFailed
from rag.embeddings.failing import record_failure
from rag.embeddings.metering import OverBudget, embed
from rag.embeddings.storing import TargetVersion


@dataclass(frozen=True, slots=True)
class BatchEmbedding:
    """Embeds batches of one collection; `done` has each with its vectors. `one_by_one`: the model failed of late."""

    collection: Collection
    embedder: Embedder
    dimensions: int
    one_by_one: bool = False
    done: list[tuple[Sequence[TargetVersion], Embedded]] = field(default_factory=list)

    def embed(self, targets: Sequence[TargetVersion], *, model_works: bool = False) -> int:
        """Embeds texts; gives the number of those refused. `model_works`: it took another text of the batch."""
        name = self.collection.name
        try:
            with activity("embedding_batch", model=self.embedder.name, collection=name, texts=len(targets)) as span:
                embedded = embed(self.embedder, [each.text for each in targets], "stored", self.collection.account)
                span.note(prompt_tokens=embedded.tokens)
            if embedded.vectors.shape[1] != self.dimensions:
                detail = f"vectors of {embedded.vectors.shape[1]} dimensions, not of {self.dimensions}"
                raise EmbeddingFailed("server_error", retryable=False, detail=detail, answered=True)
        except EmbeddingFailed as failure:
            self._require_fault_of_a_text(failure, targets, model_works)
            if len(targets) == 1:
                self._record(targets[0], failure)
                return 1
            middle = len(targets) // 2
            return sum(self.embed(half, model_works=True) for half in (targets[:middle], targets[middle:]))
        self.done.append((targets, embedded))
        return 0

    def _require_fault_of_a_text(
        self, failure: EmbeddingFailed, targets: Sequence[TargetVersion], model_works: bool
    ) -> None:
        """Raises a failure that is no fault of one text: a text that every model takes tells them apart."""
        if isinstance(failure, OverBudget) and failure.too_large:
            if not model_works:  # If that is not paid for either, the collection waits for its budget.
                self._embed_something_harmless()
            return
        broken = failure.code in BROKEN and failure.retryable and failure.retry_after is None
        if not broken and failure.code not in OF_THE_TEXT:
            raise failure
        if broken or not model_works:
            try:
                self._embed_something_harmless()
            except EmbeddingFailed:
                # It may have ended at this text, and be back for the next one.
                if broken and self.one_by_one:
                    self._record(targets[0], failure)
                raise

    def _embed_something_harmless(self) -> None:
        embed(self.embedder, [HARMLESS], "stored", self.collection.account)

    def _record(self, target: TargetVersion, failure: EmbeddingFailed) -> None:
        record_failure(self.collection, target, self.embedder.name, self.dimensions, failure.code)
