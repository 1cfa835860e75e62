"""Celery's doors. They take nothing: what is to be done stands in the database."""

import logging
import time
from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from graphs.site.database_away import AWAY
from rag.embeddings import background
from rag.embeddings.waking import wake
from rag.sources.objects import collection as objects

#: What is left then is done by the next one.
LONGEST_S = 300

log = logging.getLogger("countersign.embeddings")


@shared_task
def keep_embeddings() -> None:
    """Embeds what changed since the last time, and what failed and is due."""
    try:
        background.work(until=time.monotonic() + LONGEST_S)
    except AWAY as error:
        log.warning("Embeddings wait until the database is back: %s", type(error).__name__)


@shared_task
def look_at_objects() -> None:
    """Has the next pass look at all objects: other programs change rows without telling anybody."""
    background.look_at_everything(objects.FAMILY)


@worker_ready.connect
def begin(**_signal: Any) -> None:
    """What waited while no worker ran, such as the graphs of a new site, does not wait for the schedule."""
    wake()
