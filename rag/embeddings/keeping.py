"""Keeps all vectors true in the background: what changed since a model last looked, and what failed and is due.

The history is the queue: a graph waits while its version is above the one its vectors are true for.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import OperationalError
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now
from psycopg.errors import DiskFull, OutOfMemory

from graphs.models import Graph
from rag.embeddings import registry, served
from rag.embeddings.base import Embedder, EmbeddingFailed
from rag.embeddings.dropping import drop_forgotten
from rag.embeddings.failing import LONGEST_PAUSE, pause
from rag.embeddings.locks import held
from rag.embeddings.nodes import BATCH, embed_changes, embed_nodes
from rag.embeddings.registry import EmbedderUnavailable
from rag.metering import OverBudget
from rag.models import EmbeddedGraph, EmbeddingFailure, EmbeddingModel

#: Somebody may have raised the budget meanwhile.
LOOKED_AGAIN = timedelta(minutes=10)

log = logging.getLogger("countersign.embeddings")


def work(until: float) -> None:
    """Embeds what waits, for every model whose vectors are kept, until the process's clock shows `until`."""
    for name in _names():
        try:
            embedder = registry.by_name(name)
            served.keep(embedder)
            _keep(embedder, until)
        except EmbedderUnavailable as problem:
            log.warning("%s", problem)
        except EmbeddingFailed as failure:
            _note(name, failure)
        else:
            EmbeddingModel.objects.filter(name=name, failures__gt=0).update(failures=0, code="", retry_at=None)
    drop_forgotten()


def waiting(model: str) -> QuerySet[Graph]:
    """The graphs that changed since this model last looked at them."""
    known = EmbeddedGraph.objects.filter(graph=OuterRef("pk"), model=model).values("version")
    behind = Q(known__isnull=True) | Q(known__lt=F("version"))
    return Graph.objects.alias(known=Subquery(known)).filter(behind).order_by("pk")


def _names() -> Iterator[str]:
    """Of the models that are kept and not paused. The configured one is the first where there is none."""
    wanted = registry.configured()
    if not wanted:
        return
    kept = list(EmbeddingModel.objects.exclude(dimensions=None).values_list("name", flat=True))
    names = kept or [wanted]
    # What the settings asked for once, and what never answered.
    EmbeddingModel.objects.filter(dimensions=None).exclude(name__in=names).delete()
    paused = set(EmbeddingModel.objects.filter(retry_at__gt=Now()).values_list("name", flat=True))
    for name in names:
        # One may have been dropped while another one's graphs were embedded.
        if name not in paused and (not kept or EmbeddingModel.objects.filter(name=name).exists()):
            yield name


def paused(model: str) -> QuerySet[EmbeddedGraph]:
    """The graphs whose workspace may spend no more on this model for now."""
    return EmbeddedGraph.objects.filter(model=model, paused_until__gt=Now())


def _keep(embedder: Embedder, until: float) -> None:
    may = waiting(embedder.name).exclude(pk__in=paused(embedder.name).values("graph"))
    for graph_id in list(may.values_list("pk", flat=True)):
        with held(graph_id, embedder.name, wait=False) as ours, _pausing(graph_id, embedder):
            graph = Graph.objects.filter(pk=graph_id).first()
            if not ours or graph is None:
                continue
            try:
                for _progress in embed_changes(graph, embedder):
                    if time.monotonic() > until:
                        return
            except OperationalError as error:
                if not isinstance(error.__cause__, DiskFull | OutOfMemory):
                    raise
                log.warning("Graph %s waits for room for its index: %s", graph_id, error)
    _try_again(embedder, until)


@contextmanager
def _pausing(graph_id: int, embedder: Embedder) -> Iterator[None]:
    """What a budget does not pay for waits: this graph alone, those of other workspaces go on."""
    try:
        yield
    except OverBudget as refusal:
        log.info("Graph %s waits for a budget for %s: %s", graph_id, embedder.name, refusal)
        longest = LOOKED_AGAIN.total_seconds()
        pause_s = timedelta(seconds=min(refusal.retry_after or longest, longest))
        EmbeddedGraph.objects.update_or_create(
            graph_id=graph_id, model=embedder.name, defaults={"paused_until": Now() + pause_s}
        )


def _try_again(embedder: Embedder, until: float) -> None:
    """The texts whose pause is over, a batch of each graph."""
    due = EmbeddingFailure.objects.filter(model=embedder.name, retry_at__lte=Now())
    for graph in Graph.objects.filter(pk__in=due.values("graph")).exclude(pk__in=paused(embedder.name).values("graph")):
        if time.monotonic() > until:
            return
        ids = due.filter(graph=graph).order_by("retry_at").values_list("target_id", flat=True)[:BATCH]
        with held(graph.pk, embedder.name, wait=False) as ours, _pausing(graph.pk, embedder):
            if ours:
                for _progress in embed_nodes(graph, embedder, list(ids)):
                    pass


def _note(name: str, failure: EmbeddingFailed) -> None:
    """Nobody asks the model again before its pause is over, which is a day at most, whatever a vendor says.

    Nothing for one that was dropped meanwhile, when another one is kept.
    """
    row = EmbeddingModel.objects.filter(name=name).first()
    if row is None:
        if EmbeddingModel.objects.exists():
            return
        row, _ = EmbeddingModel.objects.get_or_create(name=name)
    asked_for = timedelta(seconds=min(failure.retry_after or 0, LONGEST_PAUSE.total_seconds()))
    wanted = max(pause(row.failures + 1), asked_for)
    log.warning("%s fails (%s: %s); asked again in %s", name, failure.code, failure, wanted)
    EmbeddingModel.objects.filter(pk=row.pk).update(
        failures=F("failures") + 1, code=failure.code, retry_at=Now() + wanted
    )
