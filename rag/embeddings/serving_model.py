"""Which model's vectors answer questions: one row of the database, so that all processes change over together."""

import time

from django.db import IntegrityError, transaction

from graphs.site.accounts import Account
from rag.embeddings import vector_indexes
from rag.embeddings.embedder import HARMLESS, Embedder, EmbeddingFailed, length
from rag.embeddings.metering import embed
from rag.models import EmbeddedCollection, EmbeddingModel

#: For so long a process goes on with what it read. Both models' vectors are true meanwhile.
KEPT_S = 10.0

_read: tuple[float, str] = (float("-inf"), "")


class Overtaken(Exception):
    """Another migration dropped the model, or lets another one serve, meanwhile. Nothing was changed."""


def serving() -> str:
    """The name of the model that serves, "" before the first one does."""
    global _read
    at, name = _read
    if time.monotonic() - at > KEPT_S:
        name = EmbeddingModel.objects.filter(serves=True).values_list("name", flat=True).first() or ""
        _read = (time.monotonic(), name)
    return name


def cache_serving(name: str) -> None:
    """Takes what another query has just read, so that `serving` need not ask."""
    global _read
    _read = (time.monotonic(), name)


def clear_cache() -> None:
    """Makes `serving` ask the database again."""
    global _read
    _read = (float("-inf"), "")


def ensure_model(embedder: Embedder, account: Account, *, anew: bool = True, wait: bool = True) -> EmbeddingModel:
    """Has this model's vectors kept true from now on; the first model of all answers questions at once.

    `account` pays if it must be asked for its dimensions. Raises `EmbeddingFailed` if it does not answer, or without
    `wait` while another index is built; without `anew` raises `Overtaken` if it was dropped.
    """
    if embedder.dimensions is None:
        embed(embedder, [HARMLESS], "stored", account)
    try:
        row = _stored(embedder.name, length(embedder), anew)
    except IntegrityError:  # another one became the first meanwhile
        row = _stored(embedder.name, length(embedder), anew)
    if row.dimensions != embedder.dimensions:
        # Another process may have learned later than this one how long they are.
        embed(embedder, [HARMLESS], "stored", account)
        _discard_vectors(row, length(embedder), wait)
    return row


def add_pending(name: str) -> None:
    """Shows a model that has not answered yet, perhaps because there is nothing to embed."""
    EmbeddingModel.objects.get_or_create(name=name)


def _stored(name: str, dimensions: int, anew: bool) -> EmbeddingModel:
    row = EmbeddingModel.objects.filter(name=name).first()
    if row is None and not anew:
        raise Overtaken
    if row is None or row.dimensions is None:
        first = not EmbeddingModel.objects.filter(serves=True).exclude(name=name).exists()
        known = {"dimensions": dimensions, "serves": first}
        row, _ = EmbeddingModel.objects.update_or_create(name=name, defaults=known)
    return row


def _discard_vectors(row: EmbeddingModel, dimensions: int, wait: bool) -> None:
    """An endpoint serves another model under the name: no vector of the one before can be compared with a question."""
    states = EmbeddedCollection.objects.filter(model=row.name)
    for collection in list(states.values_list("collection", flat=True)):
        if not vector_indexes.drop(collection, row.name, wait=wait):
            raise EmbeddingFailed("server_error", retryable=False, detail="an index is being built", asked=False)
    # Last: who is interrupted begins again.
    row.dimensions = dimensions
    with transaction.atomic():
        row.save(update_fields=["dimensions"])
        states.update(version=0)


def switch_to(name: str) -> None:
    """Has this model answer from now on, and the one before no longer. Raises `Overtaken` if it was dropped."""
    with transaction.atomic():
        list(EmbeddingModel.objects.select_for_update().order_by("name"))
        EmbeddingModel.objects.filter(serves=True).exclude(name=name).update(serves=False)
        if not EmbeddingModel.objects.filter(name=name).update(serves=True):
            raise Overtaken
    clear_cache()


def delete_all_but(name: str) -> list[str]:
    """Forgets all other models, and gives their names. Raises `Overtaken` if another one serves."""
    with transaction.atomic():
        # All of them, in the order in which `switch_to` takes them.
        rows = list(EmbeddingModel.objects.select_for_update().order_by("name"))
        if not any(row.name == name and row.serves for row in rows):
            raise Overtaken
        others = EmbeddingModel.objects.exclude(name=name)
        names = list(others.values_list("name", flat=True))
        others.delete()
    return names
