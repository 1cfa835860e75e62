"""Celery's doors. They take nothing: what is to be done stands in the database."""

import time

from celery import shared_task

from rag.embeddings import keeping

#: What is left then is done by the next one.
LONGEST_S = 300


@shared_task
def keep_embeddings() -> None:
    """Embeds what changed since the last time, and what failed and is due."""
    keeping.work(until=time.monotonic() + LONGEST_S)
