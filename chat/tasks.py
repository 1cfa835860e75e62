"""Celery's doors."""

import logging
import time
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db.models.functions import Now

from chat.actions import deciding
from chat.engine import generation_worker
from chat.events import compaction
from chat.models import LIVE, IdempotencyKey, Presence, Process, Run, SessionType
from chat.sent_requests.keeping import forget_old
from chat.spending import crashed
from graphs.history import live_edits
from graphs.site import sign_ins

log = logging.getLogger("countersign.tasks")

#: What is left then is folded the next day.
LONGEST_COMPACTION_S = 3600
#: What is left then is forgotten by the next one.
LONGEST_FORGETTING_S = 600


@shared_task
def delete_leftovers() -> None:
    """Deletes what is left of dead processes, readers long gone, requests made once, live edits, and sign-ins."""
    Process.objects.filter(seen_at__lt=Now() - timedelta(minutes=10)).delete()
    Presence.objects.filter(seen_at__lt=Now() - timedelta(days=1)).delete()
    IdempotencyKey.objects.filter(created_at__lt=Now() - timedelta(days=1)).delete()
    live_edits.forget_old()
    sign_ins.forget_over()


@shared_task
def generate() -> None:
    """Lets this worker drive generations that wait."""
    generation_worker.wake()


@shared_task
def take_over_generations() -> None:
    """The same where generations wait, or are under way: jobs get lost, and workers are killed."""
    if Run.objects.filter(status__in=LIVE, session__type=SessionType.GENERATION).exists():
        generation_worker.wake()


@shared_task
def expire_proposals() -> None:
    """Closes proposals that nobody decided in time; their conversations hear of it."""
    deciding.expire_all()


@shared_task
def settle_crashed_calls() -> None:
    """Gives back what budgets set aside for calls whose process died, less what they took by the log."""
    if settled := crashed.settle_all():
        log.warning("settled %s calls whose process died", settled)


@shared_task
def compact_old_events() -> None:
    """Folds the deltas of answers that are older than `COMPACT_EVENTS_DAYS`."""
    total = compaction.Folded()
    end = time.monotonic() + LONGEST_COMPACTION_S
    for step in compaction.steps(settings.COMPACT_EVENTS_DAYS):
        total += step
        if time.monotonic() > end:
            break
    log.info("folded %s events: %s rows and %s bytes fewer", total.events, total.rows, total.bytes)


@shared_task
def forget_old_requests() -> None:
    """Deletes what models were sent longer than `AI_KEEP_REQUESTS_DAYS` ago."""
    forgotten = forget_old(until=time.monotonic() + LONGEST_FORGETTING_S)
    log.info("forgot %s requests to models", forgotten)
