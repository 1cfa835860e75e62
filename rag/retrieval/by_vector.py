"""Finds by the vector of a question, if some model answers questions now."""

import logging
from collections.abc import Sequence

from graphs.site.accounts import Account
from graphs.site.telemetry.events import activity
from rag.embeddings.collections import MAX_CHARS
from rag.embeddings.embedder import EmbeddingFailed
from rag.embeddings.embedding_models import current
from rag.embeddings.metering import embed
from rag.embeddings.vector_search import Near, nearest

log = logging.getLogger("countersign.rag")


def near(
    collection: str,
    types: Sequence[str],
    question: str,
    account: Account,
    limit: int,
    also: Sequence[int] = (),
    *,
    few: bool | None = None,
) -> list[Near]:
    """The targets whose vectors are nearest to the question's, or its ends; none if nothing was or can be embedded.

    For `also` and `few` see `nearest`.
    """
    embedder = current() if question.strip() else None
    if embedder is None:
        return []
    half = MAX_CHARS // 2
    ends = question if len(question) <= MAX_CHARS else f"{question[: half - 1]}…{question[-half:]}"
    try:
        with activity(
            "question_embedding", lambda: {"query": question}, model=embedder.name, query_length=len(question)
        ) as span:
            embedded = embed(embedder, [ends], "question", account)
            span.note(prompt_tokens=embedded.tokens, dimensions=embedded.vectors.shape[1])
    except EmbeddingFailed as error:
        log.warning("A question is searched by its words only: %s", error.code)
        return []
    return nearest(collection, types, embedder.name, embedded.vectors[0], limit, also=also, few=few)
