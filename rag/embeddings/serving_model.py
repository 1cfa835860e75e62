"""Which model's vectors answer questions: one row of the database, so that all processes change over together."""

import time

from django.db import IntegrityError, transaction

from rag.embeddings import vector_indexes
from rag.embeddings.base import HARMLESS, Embedder, EmbeddingFailed, length
from rag.embeddings.metering import Account, embed
from rag.models import EmbeddedGraph, EmbeddingModel

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


def learned(name: str) -> None:
    """What another query has just read: `serving` need not ask."""
    global _read
    _read = (time.monotonic(), name)


def forget() -> None:
    """The next question looks again."""
    global _read
    _read = (float("-inf"), "")


def keep(embedder: Embedder, account: Account, *, anew: bool = True, wait: bool = True) -> EmbeddingModel:
    """From now on this model's vectors are kept true; the first model of all answers questions at once.

    Who has `account` pays where it must be asked how long its vectors are: raises `EmbeddingFailed` then. `anew` False
    raises `Overtaken` where it was dropped. Who does not `wait` fails where its indexes have to go while another one is
    built.
    """
    if embedder.dimensions is None:
        embed(embedder, [HARMLESS], "stored", account)
    try:
        row = _kept(embedder.name, length(embedder), anew)
    except IntegrityError:  # another one became the first meanwhile
        row = _kept(embedder.name, length(embedder), anew)
    if row.dimensions != embedder.dimensions:
        # Another process may have learned later than this one how long they are.
        embed(embedder, [HARMLESS], "stored", account)
        _begin_anew(row, length(embedder), wait)
    return row


def announce(name: str) -> None:
    """A model that has not answered yet, perhaps because there is no graph; everybody sees that it shall be kept."""
    EmbeddingModel.objects.get_or_create(name=name)


def _kept(name: str, dimensions: int, anew: bool) -> EmbeddingModel:
    row = EmbeddingModel.objects.filter(name=name).first()
    if row is None and not anew:
        raise Overtaken
    if row is None or row.dimensions is None:
        first = not EmbeddingModel.objects.filter(serves=True).exclude(name=name).exists()
        known = {"dimensions": dimensions, "serves": first}
        row, _ = EmbeddingModel.objects.update_or_create(name=name, defaults=known)
    return row


def _begin_anew(row: EmbeddingModel, dimensions: int, wait: bool) -> None:
    """An endpoint serves another model under the name: no vector of the one before can be compared with a question."""
    states = EmbeddedGraph.objects.filter(model=row.name)
    for graph_id in list(states.values_list("graph", flat=True)):
        if not vector_indexes.drop(graph_id, row.name, wait=wait):
            raise EmbeddingFailed("server_error", retryable=False, detail="an index is being built", asked=False)
    # Last: who is interrupted begins again.
    row.dimensions = dimensions
    with transaction.atomic():
        row.save(update_fields=["dimensions"])
        states.update(version=0)


def serve(name: str) -> None:
    """From now on this model answers, and the one before no longer. Raises `Overtaken` where it was dropped."""
    with transaction.atomic():
        list(EmbeddingModel.objects.select_for_update().order_by("name"))
        EmbeddingModel.objects.filter(serves=True).exclude(name=name).update(serves=False)
        if not EmbeddingModel.objects.filter(name=name).update(serves=True):
            raise Overtaken
    forget()


def forget_all_but(name: str) -> list[str]:
    """From now on no other model's vectors are kept true; which ones. Raises `Overtaken` where another one serves."""
    with transaction.atomic():
        # All of them, in the order in which `serve` takes them.
        rows = list(EmbeddingModel.objects.select_for_update().order_by("name"))
        if not any(row.name == name and row.serves for row in rows):
            raise Overtaken
        others = EmbeddingModel.objects.exclude(name=name)
        names = list(others.values_list("name", flat=True))
        others.delete()
    return names
