"""What of a workspace takes long to be embedded: large collections, and those that are paused or whose model fails."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.utils import timezone

from rag.embeddings import locks
from rag.embeddings.collections import Collection, open_collection, waiting
from rag.embeddings.held_back import WITHOUT_END
from rag.models import EmbeddedCollection, Embedding, EmbeddingModel

#: So many texts without a vector take longer than anybody waits for.
LARGE = 500
#: Collections that are looked at; of more that wait the next ones are told when these are done.
MOST = 20


@dataclass(frozen=True, slots=True)
class LongWait:
    """A collection that a model still has to look at.

    `done` of its `total` targets have a vector. `runs`: a process is at it. `held_back` by a person; `unpaid_until`
    without a budget; `failing_until` the model is left alone.
    """

    collection: Collection
    model: str
    since: datetime
    done: int
    total: int
    runs: bool
    held_back: bool
    unpaid_until: datetime | None
    failing_until: datetime | None


def of_workspace(workspace_id: int) -> list[LongWait]:
    """What takes long, each collection once: with the model that answers questions, where it waits for that."""
    found: dict[str, LongWait] = {}
    for model in EmbeddingModel.objects.exclude(dimensions=None):
        for each in _of_model(model, workspace_id):
            found.setdefault(each.collection.name, each)
    return list(found.values())


def _of_model(model: EmbeddingModel, workspace_id: int) -> list[LongWait]:
    names = [each.name for each in waiting(model.name, workspace_id)]
    if not names:
        return []
    now = timezone.now()
    # What is paused keeps its place among the first: nothing else would tell of it.
    pauses = dict(
        EmbeddedCollection.objects.filter(model=model.name, collection__in=names, paused_until__gt=now).values_list(
            "collection", "paused_until"
        )
    )
    looked_at = sorted(names, key=lambda name: name not in pauses)[:MOST]
    done = _vectors(model.name, looked_at)
    held = locks.held_by_any([(name, model.name) for name in looked_at])
    failing = model.retry_at if model.retry_at is not None and model.retry_at > now else None
    waits = []
    for name in looked_at:
        collection, until = open_collection(name), pauses.get(name)
        if collection is None:
            continue
        total, has = collection.size(), done.get(name, 0)
        if total and (until or failing or total - has >= LARGE):
            by_person = until == WITHOUT_END
            unpaid = None if by_person else until
            runs = (name, model.name) in held
            at = (model.created_at, min(has, total), total, runs)
            waits.append(LongWait(collection, model.name, *at, by_person, unpaid, failing))
    return waits


def _vectors(model: str, names: Iterable[str]) -> dict[str, int]:
    """How many targets of these collections have a vector of the model."""
    rows = Embedding.objects.filter(model=model, collection__in=list(names), part=0).order_by()
    return dict(rows.values_list("collection").annotate(Count("pk")))
