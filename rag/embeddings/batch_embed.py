"""Asks a model for the vectors of many texts: all at once, and by halves where it does not take them all."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphs.models import Graph
from graphs.site.telemetry.events import activity
from rag.embeddings.base import BROKEN, HARMLESS, OF_THE_TEXT, Embedded, Embedder, EmbeddingFailed
from rag.embeddings.failing import note_failure
from rag.embeddings.metering import OverBudget, account_of, embed
from rag.embeddings.storing import NodeVersion


@dataclass(frozen=True, slots=True)
class Text:
    """What a node says."""

    node: NodeVersion
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    texts: Sequence[Text]
    embedded: Embedded


@dataclass(frozen=True, slots=True)
class Asking:
    """For the nodes of one graph; `answers` grows. `one_by_one`: the model failed of late, perhaps at one of them."""

    graph: Graph
    embedder: Embedder
    dimensions: int
    one_by_one: bool = False
    answers: list[Answer] = field(default_factory=list)

    def ask(self, texts: Sequence[Text], *, well: bool = False) -> int:
        """Until what the model refuses stands alone and is noted: how many texts. Raises `EmbeddingFailed`.

        `well` where the model took another text since the batch began.
        """
        try:
            self.answers.append(Answer(texts, self._embedded(texts)))
        except EmbeddingFailed as failure:
            self._blame(failure, texts, well)
            if len(texts) == 1:
                self._note(texts[0], failure)
                return 1
            middle = len(texts) // 2
            return sum(self.ask(half, well=True) for half in (texts[:middle], texts[middle:]))
        return 0

    def _embedded(self, texts: Sequence[Text]) -> Embedded:
        with activity("embedding_batch", model=self.embedder.name, graph=self.graph.pk, texts=len(texts)) as told:
            embedded = embed(self.embedder, [each.text for each in texts], "stored", account_of(self.graph))
            told.note(prompt_tokens=embedded.tokens)
        if embedded.vectors.shape[1] != self.dimensions:
            detail = f"vectors of {embedded.vectors.shape[1]} dimensions, not of {self.dimensions}"
            raise EmbeddingFailed("server_error", retryable=False, detail=detail, answered=True)
        return embedded

    def _blame(self, failure: EmbeddingFailed, texts: Sequence[Text], well: bool) -> None:
        """Raises what is no fault of one of the texts.

        Some endpoints refuse everything, and others break at a text that they cannot take: which it is says a text that
        every model takes.
        """
        if isinstance(failure, OverBudget) and failure.too_large:
            if not well:  # Where that is not paid for either, the graph waits for its budget.
                self._ask_something_harmless()
            return
        broken = failure.code in BROKEN and failure.retryable and failure.retry_after is None
        if not broken and failure.code not in OF_THE_TEXT:
            raise failure
        if broken or not well:
            try:
                self._ask_something_harmless()
            except EmbeddingFailed:
                # It may have ended at this text, and be back for the next one.
                if broken and self.one_by_one:
                    self._note(texts[0], failure)
                raise

    def _ask_something_harmless(self) -> None:
        embed(self.embedder, [HARMLESS], "stored", account_of(self.graph))

    def _note(self, text: Text, failure: EmbeddingFailed) -> None:
        note_failure(self.graph.pk, text.node, self.embedder.name, self.dimensions, failure.code)
