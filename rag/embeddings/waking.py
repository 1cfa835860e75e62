"""Wakes the worker without making anybody wait for Valkey; what gets lost the schedule does half a minute later."""

import logging
import threading
import time

from celery import current_app

from rag.embeddings import embedding_models

TASK = "rag.tasks.keep_embeddings"
#: What changes within it is one wake-up.
TOGETHER_S = 0.5
#: Later the schedule has woken the worker anyway.
EXPIRES_S = 60

log = logging.getLogger("countersign.embeddings")
_on_its_way = threading.Lock()
_sending = threading.Lock()


def wake() -> None:
    """Sends the task from a thread of its own, once for all who ask within a moment. Call it after the commit."""
    if embedding_models.configured() and _on_its_way.acquire(blocking=False):
        threading.Thread(target=_send, name="embedding wake-up", daemon=True).start()


def _send() -> None:
    """Sends the task; two of these live at most, one that sends and one for what changed since."""
    time.sleep(TOGETHER_S)
    with _sending:
        _on_its_way.release()
        try:
            current_app.send_task(TASK, retry=False, expires=EXPIRES_S)
        except Exception as error:  # Any: whatever the broker's library raises, the schedule wakes the worker.
            log.info("Embeddings wait for the schedule: %s", type(error).__name__)
