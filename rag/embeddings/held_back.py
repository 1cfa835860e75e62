"""Collections that a person holds back: nobody embeds them in the background until somebody lets them go on."""

from datetime import UTC, datetime

from django.db.models import QuerySet
from django.db.models.functions import Now

from rag.embeddings.waking import wake
from rag.models import EmbeddedCollection, EmbeddingFailure, EmbeddingModel

#: A pause for want of a budget ends within minutes; this one does not end by itself.
WITHOUT_END = datetime(9999, 12, 31, tzinfo=UTC)


def hold_back(collection: str) -> None:
    """Has a collection wait, for every model; who embeds it stops within the next second or so."""
    models = EmbeddingModel.objects.exclude(dimensions=None).values_list("name", flat=True)
    rows = [EmbeddedCollection(collection=collection, model=name, paused_until=WITHOUT_END) for name in models]
    unique = ["collection", "model"]
    EmbeddedCollection.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=unique, update_fields=["paused_until"]
    )


def let_go_on(collection: str) -> None:
    """Ends every pause of a collection, and has the texts tried again that failed."""
    EmbeddedCollection.objects.filter(collection=collection).update(paused_until=None)
    EmbeddingFailure.objects.filter(collection=collection).update(retry_at=Now())
    wake()


def holds(collection: str, model: str) -> bool:
    """Whether a person holds it back."""
    return EmbeddedCollection.objects.filter(collection=collection, model=model, paused_until=WITHOUT_END).exists()


def none_of(collections: QuerySet[EmbeddedCollection]) -> QuerySet[EmbeddedCollection]:
    """Those that nobody holds back."""
    return collections.exclude(paused_until=WITHOUT_END)
