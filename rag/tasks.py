"""Celery's doors. They take nothing: what is to be done stands in the database."""

import time
from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from rag.embeddings import keeping

#: What is left then is done by the next one.
LONGEST_S = 300


@shared_task
def keep_embeddings() -> None:
    """Embeds what changed since the last time, and what failed and is due."""
    keeping.work(until=time.monotonic() + LONGEST_S)


@worker_ready.connect
def begin(**_signal: Any) -> None:
    """What waited while no worker ran, such as the graphs of a new site, does not wait for the schedule."""
    keep_embeddings.delay()
