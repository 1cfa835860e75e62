"""Takes away the vectors of models that no longer serve."""

from django.db import connection

from rag.embeddings import collections, serving_model, vector_indexes
from rag.models import EmbeddedCollection, EmbeddingFailure, EmbeddingModel

#: Rows of one statement, so that none runs for long.
BATCH = 50_000


def drop_all_but(name: str) -> list[str]:
    """Drops all of every other model, and says which those were. Raises `Overtaken` if that model does not serve."""
    # First, so that nobody begins to make new ones.
    forgotten = serving_model.delete_all_but(name)
    begun = EmbeddedCollection.objects.exclude(model=name).values_list("model", flat=True).distinct()
    dropped = sorted({*forgotten, *begun})
    for model in dropped:
        _drop(model, wait=True)
    return dropped


def drop_forgotten() -> None:
    """Drops what a process wrote for a model while others dropped it, and what is left of collections that are gone."""
    collections.forget_gone()
    known = EmbeddingModel.objects.values("name")
    for model in EmbeddedCollection.objects.exclude(model__in=known).values_list("model", flat=True).distinct():
        _drop(model, wait=False)
    vector_indexes.drop_forgotten()
    collections.drop_forgotten()


def _drop(model: str, *, wait: bool) -> None:
    """Drops a model's vectors; without `wait` it ends early if another index is built, and the next pass goes on."""
    EmbeddingFailure.objects.filter(model=model).delete()
    indexed = EmbeddedCollection.objects.filter(model=model, indexed=True)
    for collection in list(indexed.values_list("collection", flat=True)):
        if not vector_indexes.drop(collection, model, wait=wait):
            return
    while _delete_some(model):
        pass
    # Last: who is interrupted finds by it what is left.
    EmbeddedCollection.objects.filter(model=model).delete()


def _delete_some(model: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM rag_embedding WHERE id = ANY(ARRAY("
            "SELECT id FROM rag_embedding WHERE model = %s ORDER BY collection LIMIT %s))",
            [model, BATCH],
        )
        return int(cursor.rowcount)
