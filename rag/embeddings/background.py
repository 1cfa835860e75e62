"""Keeps all vectors true in the background: a collection waits while its version is above that of its vectors."""

import logging
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial

from django.db import OperationalError
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from psycopg.errors import DiskFull, OutOfMemory

from rag.embeddings import collections, embedding_models, held_back, serving_model
from rag.embeddings.collections import Collection, Targets, open_collection, waiting
from rag.embeddings.dropping import drop_forgotten
from rag.embeddings.embedder import BROKEN, Embedder, EmbeddingFailed
from rag.embeddings.embedding_models import EmbedderUnavailable
from rag.embeddings.failing import LONGEST_PAUSE, pause
from rag.embeddings.locks import held
from rag.embeddings.metering import OverBudget
from rag.embeddings.updating import BATCH, EmbedOptions, Progress, embed_changes, embed_targets, mark_begun
from rag.models import EmbeddedCollection, EmbeddingFailure, EmbeddingModel

#: Somebody may have raised the budget meanwhile.
LOOKED_AGAIN = timedelta(minutes=10)
#: So many times fewer texts at once after each failure of a model.
FEWER = 4

log = logging.getLogger("countersign.embeddings")


def work(until: float) -> None:
    """Embeds what waits, for every model whose vectors are kept, until the process's clock shows `until`."""
    if wanted := embedding_models.configured():
        collections.discover()
        kept = list(EmbeddingModel.objects.exclude(dimensions=None, serves=False).values_list("name", flat=True))
        names = kept or [wanted]
        if not kept:
            serving_model.add_pending(wanted)
        # What the settings asked for once, and what never answered.
        EmbeddingModel.objects.filter(dimensions=None).exclude(name__in=names).delete()
        resting = set(EmbeddingModel.objects.filter(retry_at__gt=Now()).values_list("name", flat=True))
        for name in names:
            if name in resting:
                continue
            try:
                ModelPass(embedding_models.by_name(name), not kept, until).run()
            except EmbedderUnavailable as problem:
                log.warning("%s", problem)
            except serving_model.Overtaken:
                log.info("%s was dropped", name)
            except EmbeddingFailed as failure:
                _record_failure(name, failure)
    drop_forgotten()


def look_at_everything(family: str) -> None:
    """Has the next pass look at all targets of a family of collections, also at those that no history names."""
    EmbeddedCollection.objects.filter(collection__startswith=f"{family}:").update(version=0)


def paused(model: str) -> QuerySet[EmbeddedCollection]:
    """The collections whose workspace may spend no more on this model for now."""
    return EmbeddedCollection.objects.filter(model=model, paused_until__gt=Now())


class ModelPass:
    """One pass over what waits for a model, whose first success resets its failures; `first`: it is the first model."""

    def __init__(self, embedder: Embedder, first: bool, until: float) -> None:
        self._embedder = embedder
        self._first = first
        self._until = until
        self._began = timezone.now()
        self._works = False
        broken = EmbeddingModel.objects.filter(name=embedder.name, code__in=BROKEN)
        failures = broken.values_list("failures", flat=True).first() or 0
        # Fewer texts at a time: the model may fail at one of them.
        self._options = EmbedOptions(batch=max(1, BATCH // FEWER ** min(failures, BATCH)), background=True)

    def run(self) -> None:
        """Embeds what waits, then texts that failed. Raises `EmbeddingFailed`, `serving_model.Overtaken`."""
        name = self._embedder.name
        not_now = set(paused(name).values_list("collection", flat=True))
        for each in waiting(name):
            if each.name not in not_now:
                self._embed(each.name, self._changed)
        if not waiting(name):
            self._record_success()
        self._first = False  # What is tried again belongs to a model that is known.
        due = EmbeddingFailure.objects.filter(model=name, retry_at__lte=Now())
        groups = due.order_by("collection", "target_type").values_list("collection", "target_type").distinct()
        for collection_name, type_ in list(groups):
            if collection_name not in not_now:
                self._embed(collection_name, partial(self._failed, due, type_))

    def _embed(self, collection_name: str, steps: Callable[[Collection], Iterator[Progress]]) -> None:
        """Takes the steps with a collection, as long as there is time, unless another process works on it."""
        name = self._embedder.name
        if self._is_over():
            return
        with held(collection_name, name, wait=False) as ours:
            collection = open_collection(collection_name)
            if not ours or collection is None:
                return
            try:
                serving_model.ensure_model(self._embedder, collection.account, anew=self._first, wait=False)
                self._first = False
                for progress in steps(collection):
                    if progress.embedded or progress.failed:
                        self._record_success()
                    if self._is_over() or held_back.holds(collection_name, name):
                        return
            except OverBudget as refusal:
                _pause(collection_name, name, refusal)

    def _changed(self, collection: Collection) -> Iterator[Progress]:
        """Embeds what changed of a collection."""
        try:
            yield from embed_changes(collection, self._embedder, self._options)
        except OperationalError as error:
            if not isinstance(error.__cause__, DiskFull | OutOfMemory):
                raise
            log.warning("%s waits for room for its index: %s", collection.name, error)

    def _failed(self, due: QuerySet[EmbeddingFailure], type_: str, collection: Collection) -> Iterator[Progress]:
        """Embeds texts whose pause is over, some of a collection, one by one: the model may fail at each of them."""
        failed = due.filter(collection=collection.name, target_type=type_).order_by("retry_at")
        targets = Targets(type_, list(failed.values_list("target_id", flat=True)[:BATCH]))
        return embed_targets(collection, self._embedder, targets, EmbedOptions(batch=1, background=True))

    def _is_over(self) -> bool:
        return time.monotonic() > self._until

    def _record_success(self) -> None:
        """Resets the count of failures, unless another process has found meanwhile that the model is away."""
        if not self._works:
            over = Q(retry_at=None) | Q(retry_at__lte=self._began)
            failed = EmbeddingModel.objects.filter(over, name=self._embedder.name, failures__gt=0)
            failed.update(failures=0, code="", retry_at=None)
            self._works = True


def _pause(collection: str, model: str, refusal: OverBudget) -> None:
    """Has a collection wait that no budget pays for; those of other workspaces go on."""
    log.info("%s waits for a budget for %s: %s", collection, model, refusal)
    longest = LOOKED_AGAIN.total_seconds()
    pause_s = timedelta(seconds=min(refusal.retry_after or longest, longest))
    mark_begun(collection, model)
    paused = held_back.none_of(EmbeddedCollection.objects.filter(collection=collection, model=model))
    paused.update(paused_until=Now() + pause_s)


def _record_failure(name: str, failure: EmbeddingFailed) -> None:
    """Has nobody ask the model again before its pause is over, which is a day at most, whatever a vendor says."""
    row = EmbeddingModel.objects.filter(name=name).first()
    if row is None:
        return
    asked_for = timedelta(seconds=min(failure.retry_after or 0, LONGEST_PAUSE.total_seconds()))
    wanted = max(pause(row.failures + 1), asked_for)
    log.warning("%s fails (%s: %s); asked again in %s", name, failure.code, failure, wanted)
    EmbeddingModel.objects.filter(pk=row.pk).update(
        failures=F("failures") + 1, code=failure.code, retry_at=Now() + wanted
    )
