"""Keeps all vectors true in the background: what changed since a model last looked, and what failed and is due.

The history is the queue: a graph waits while its version is above the one its vectors are true for.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import OperationalError
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from django.utils import timezone
from psycopg.errors import DiskFull, OutOfMemory

from graphs.models import Graph
from rag.embeddings import registry, serving_model
from rag.embeddings.base import BROKEN, Embedder, EmbeddingFailed
from rag.embeddings.dropping import drop_forgotten
from rag.embeddings.failing import LONGEST_PAUSE, pause
from rag.embeddings.locks import held
from rag.embeddings.metering import OverBudget, account_of
from rag.embeddings.nodes import BATCH, Manner, Progress, embed_changes, embed_nodes, note_begin
from rag.embeddings.registry import EmbedderUnavailable
from rag.models import EmbeddedGraph, EmbeddingFailure, EmbeddingModel

#: Somebody may have raised the budget meanwhile.
LOOKED_AGAIN = timedelta(minutes=10)
#: So many times fewer texts at once after each failure of a model.
FEWER = 4

log = logging.getLogger("countersign.embeddings")


def work(until: float) -> None:
    """Embeds what waits, for every model whose vectors are kept, until the process's clock shows `until`."""
    for name, first in _names():
        try:
            _Turn(registry.by_name(name), first, until).take()
        except EmbedderUnavailable as problem:
            log.warning("%s", problem)
        except serving_model.Overtaken:
            log.info("%s was dropped", name)
        except EmbeddingFailed as failure:
            _note(name, failure)
    drop_forgotten()


def waiting(model: str) -> QuerySet[Graph]:
    """The graphs that changed since this model last looked at them, or that wait for their index."""
    ready = EmbeddedGraph.objects.filter(graph=OuterRef("pk"), model=model, version__gte=OuterRef("version"))
    return Graph.objects.exclude(Exists(ready.filter(fitted=True))).order_by("pk")


def paused(model: str) -> QuerySet[EmbeddedGraph]:
    """The graphs whose workspace may spend no more on this model for now."""
    return EmbeddedGraph.objects.filter(model=model, paused_until__gt=Now())


def _names() -> Iterator[tuple[str, bool]]:
    """Of the models that are kept and not paused. The configured one is the first where there is none."""
    wanted = registry.configured()
    if not wanted:
        return
    kept = list(EmbeddingModel.objects.exclude(dimensions=None, serves=False).values_list("name", flat=True))
    names = kept or [wanted]
    if not kept:
        serving_model.announce(wanted)
    # What the settings asked for once, and what never answered.
    EmbeddingModel.objects.filter(dimensions=None).exclude(name__in=names).delete()
    paused = set(EmbeddingModel.objects.filter(retry_at__gt=Now()).values_list("name", flat=True))
    for name in names:
        if name not in paused:
            yield name, not kept


class _Turn:
    """Of one model; `first` is the first of all. It is well from its first answer on, unless it fails later."""

    def __init__(self, embedder: Embedder, first: bool, until: float) -> None:
        self._embedder = embedder
        self._first = first
        self._until = until
        self._began = timezone.now()
        self._known_as_well = False
        broken = EmbeddingModel.objects.filter(name=embedder.name, code__in=BROKEN)
        failures = broken.values_list("failures", flat=True).first() or 0
        # Fewer texts at a time: the model may fail at one of them.
        self._manner = Manner(batch=max(1, BATCH // FEWER ** min(failures, BATCH)), background=True)

    def take(self) -> None:
        """Graphs that it knows, few changes first, then the others, then texts that failed.

        Raises `EmbeddingFailed`, and `served.Overtaken` where it was dropped meanwhile.
        """
        name = self._embedder.name
        known = EmbeddedGraph.objects.filter(graph=OuterRef("pk"), model=name, version__gt=0)
        may = waiting(name).exclude(pk__in=paused(name).values("graph"))
        changed = may.annotate(known=Subquery(known.values("version"))).exclude(known=None)
        self._embed(changed.order_by(F("version") - F("known")))
        self._embed(may.exclude(Exists(known)))
        if not waiting(name).exists():
            self._is_well()
        self._try_again()

    def _embed(self, graphs: QuerySet[Graph]) -> None:
        for graph_id in list(graphs.values_list("pk", flat=True)):
            if self._is_over():
                return
            with held(graph_id, self._embedder.name, wait=False) as ours, _pausing(graph_id, self._embedder):
                graph = Graph.objects.filter(pk=graph_id).first()
                if not ours or graph is None:
                    continue
                serving_model.keep(self._embedder, account_of(graph), anew=self._first, wait=False)
                self._first = False
                try:
                    self._follow(embed_changes(graph, self._embedder, self._manner))
                except OperationalError as error:
                    if not isinstance(error.__cause__, DiskFull | OutOfMemory):
                        raise
                    log.warning("Graph %s waits for room for its index: %s", graph_id, error)

    def _try_again(self) -> None:
        """The texts whose pause is over, some of each graph, one by one: each may be what the model fails at."""
        name = self._embedder.name
        due = EmbeddingFailure.objects.filter(model=name, retry_at__lte=Now())
        for graph in Graph.objects.filter(pk__in=due.values("graph")).exclude(pk__in=paused(name).values("graph")):
            if self._is_over():
                return
            ids = due.filter(graph=graph).order_by("retry_at").values_list("target_id", flat=True)[:BATCH]
            with held(graph.pk, name, wait=False) as ours, _pausing(graph.pk, self._embedder):
                if not ours:
                    continue
                serving_model.keep(self._embedder, account_of(graph), anew=False, wait=False)
                self._follow(embed_nodes(graph, self._embedder, list(ids), Manner(batch=1, background=True)))

    def _follow(self, steps: Iterator[Progress]) -> None:
        for progress in steps:
            if progress.embedded or progress.failed:
                self._is_well()
            if self._is_over():
                return

    def _is_over(self) -> bool:
        return time.monotonic() > self._until

    def _is_well(self) -> None:
        """Unless another process has found meanwhile that it is away."""
        if not self._known_as_well:
            over = Q(retry_at=None) | Q(retry_at__lte=self._began)
            failed = EmbeddingModel.objects.filter(over, name=self._embedder.name, failures__gt=0)
            failed.update(failures=0, code="", retry_at=None)
            self._known_as_well = True


@contextmanager
def _pausing(graph_id: int, embedder: Embedder) -> Iterator[None]:
    """What a budget does not pay for waits: this graph alone, those of other workspaces go on."""
    try:
        yield
    except OverBudget as refusal:
        log.info("Graph %s waits for a budget for %s: %s", graph_id, embedder.name, refusal)
        longest = LOOKED_AGAIN.total_seconds()
        pause_s = timedelta(seconds=min(refusal.retry_after or longest, longest))
        note_begin(graph_id, embedder.name)
        EmbeddedGraph.objects.filter(graph=graph_id, model=embedder.name).update(paused_until=Now() + pause_s)


def _note(name: str, failure: EmbeddingFailed) -> None:
    """Nobody asks the model again before its pause is over, which is a day at most, whatever a vendor says.

    Nothing for one that was dropped meanwhile.
    """
    row = EmbeddingModel.objects.filter(name=name).first()
    if row is None:
        return
    asked_for = timedelta(seconds=min(failure.retry_after or 0, LONGEST_PAUSE.total_seconds()))
    wanted = max(pause(row.failures + 1), asked_for)
    log.warning("%s fails (%s: %s); asked again in %s", name, failure.code, failure, wanted)
    EmbeddingModel.objects.filter(pk=row.pk).update(
        failures=F("failures") + 1, code=failure.code, retry_at=Now() + wanted
    )
