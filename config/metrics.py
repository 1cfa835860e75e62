"""GET /metrics: figures for Prometheus, to a request with METRICS_TOKEN; without that variable there is no page."""

import logging
import secrets
from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from chat.models import Proposal, ProposalStatus, Run, RunStatus
from graphs.site.database_away import AWAY
from rag.embeddings import collections, embedding_models
from rag.models import EmbeddingFailure, EmbeddingModel

log = logging.getLogger("countersign.metrics")

FORMAT = "text/plain; version=0.0.4; charset=utf-8"


@csrf_exempt
def show(request: HttpRequest) -> HttpResponse:
    """404 without a token in the settings, 401 without it in the request. A proxy's own address proves nothing."""
    token: str = settings.METRICS_TOKEN
    if not token:
        raise Http404
    if not secrets.compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
        return HttpResponse("A token is needed.\n", "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
    if request.method not in {"GET", "HEAD"}:
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
    from graphs.site.telemetry.metrics import exposition

    return HttpResponse(exposition() + _of_the_site().encode(), FORMAT, headers={"Cache-Control": "no-store"})


def _of_the_site() -> str:
    """Figures that are counted in the database, alike in every process; nothing while it is away."""
    try:
        return "".join(
            f"# HELP countersign_{name} {help_}\n# TYPE countersign_{name} gauge\ncountersign_{name} {count()}\n"
            for name, (help_, count) in _FIGURES.items()
        )
    except AWAY as error:
        log.warning("figures of the database are missing: %s", type(error).__name__)
        return ""


def _runs(status: RunStatus) -> int:
    return Run.objects.filter(status=status).count()


def _collections_to_embed() -> int:
    """Collections that changed since the model looked at them that serves, or shall be the first to serve."""
    wanted = embedding_models.configured()
    name = EmbeddingModel.objects.filter(serves=True).values_list("name", flat=True).first() or wanted
    return len(collections.waiting(name)) if wanted else 0


_FIGURES: dict[str, tuple[str, Callable[[], int]]] = {
    "running_runs": ("Runs under way", lambda: _runs(RunStatus.RUNNING)),
    "queued_runs": ("Runs that wait for a process", lambda: _runs(RunStatus.QUEUED)),
    "pending_proposals": (
        "Changes that wait for a person",
        lambda: Proposal.objects.filter(status=ProposalStatus.PENDING).count(),
    ),
    "embedding_queue_collections": ("Collections that wait for their vectors", _collections_to_embed),
    "embedding_failures": ("Texts that an embedder refused", lambda: EmbeddingFailure.objects.count()),
}
