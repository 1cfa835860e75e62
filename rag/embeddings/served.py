"""Which model's vectors answer questions: one row of the database, so that all processes change over together."""

import time

from django.db import IntegrityError, transaction

from rag import vector_indexes
from rag.embeddings.base import HARMLESS, Embedder
from rag.embeddings.locks import held
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


def keep(embedder: Embedder) -> EmbeddingModel:
    """From now on this model's vectors are kept true; the first model of all answers questions at once.

    Raises `EmbeddingFailed` where nobody knows how long its vectors are, and it does not say so.
    """
    try:
        return _keep(embedder)
    except IntegrityError:  # another one became the first meanwhile
        return _keep(embedder)


def _keep(embedder: Embedder) -> EmbeddingModel:
    first = not EmbeddingModel.objects.filter(serves=True).exists()
    known = {"dimensions": embedder.dimensions, "serves": first}
    row, _ = EmbeddingModel.objects.get_or_create(name=embedder.name, defaults=known)
    if row.dimensions is None:
        EmbeddingModel.objects.filter(pk=row.pk, dimensions=None).update(**known)
        row.refresh_from_db()
    if row.dimensions != embedder.dimensions:
        # Another process may have learned later than this one how long they are.
        embedder.embed([HARMLESS], "stored")
        _begin_anew(row, embedder.dimensions)
    return row


def _begin_anew(row: EmbeddingModel, dimensions: int) -> None:
    """An endpoint serves another model under the name: no vector of the one before can be compared with a question."""
    states = EmbeddedGraph.objects.filter(model=row.name)
    for graph_id in list(states.values_list("graph", flat=True)):
        with held(graph_id, row.name, wait=True):
            vector_indexes.drop(graph_id, row.name)
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
        if not EmbeddingModel.objects.select_for_update().filter(name=name, serves=True):
            raise Overtaken
        others = EmbeddingModel.objects.exclude(name=name)
        names = list(others.values_list("name", flat=True))
        others.delete()
    return names
