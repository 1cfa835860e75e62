"""Tells the worker that something is to be embedded, without making anybody wait for Valkey.

A wake-up that gets lost costs half a minute: the schedule wakes the worker too.
"""

import logging
import threading
import time
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from graphs.history.recording import Applied
from graphs.history.signals import changed
from graphs.models import Graph
from graphs.workflows.kinds import NODE
from rag.embeddings import registry
from rag.texts.node_text import CONTENT

TASK = "rag.tasks.keep_embeddings"
#: What changes within it is one wake-up.
TOGETHER_S = 0.5
#: Later the schedule has woken the worker anyway.
EXPIRES_S = 60

#: What has a text to embed when it changes: a field of a node, or a node that came.
_TEXTS = frozenset((NODE.name, field) for field in ("", *CONTENT))

log = logging.getLogger("countersign.embeddings")
_on_its_way = threading.Lock()
_sending = threading.Lock()


@receiver(post_save, sender=Graph)
def wake_for_new_graph(created: bool, raw: bool = False, **_kwargs: Any) -> None:
    if created and not raw:
        _after_commit()


@receiver(changed)
def wake_for_change(change: Applied, **_kwargs: Any) -> None:
    """Nobody is woken for edges, places and sizes."""
    if not change.touched.isdisjoint(_TEXTS):
        _after_commit()


def _after_commit() -> None:
    if registry.configured():
        transaction.on_commit(wake)


def wake() -> None:
    """Sends the task from a thread of its own, once for all who ask at about the same time."""
    if _on_its_way.acquire(blocking=False):
        threading.Thread(target=_send, name="embedding wake-up", daemon=True).start()


def _send() -> None:
    """At most two of these live, however long the broker is silent: one that sends, and one for who came since."""
    time.sleep(TOGETHER_S)
    with _sending:
        _on_its_way.release()
        try:
            current_app.send_task(TASK, retry=False, expires=EXPIRES_S)
        except Exception as error:  # Any: whatever the broker's library raises, the schedule wakes the worker.
            log.info("Embeddings wait for the schedule: %s", type(error).__name__)
