"""Celery's beat as a thread of a worker, where `BEAT_SCHEDULE` asks for it: a process of its own takes 70 MB."""

from threading import Thread
from typing import Any

from celery.beat import Service
from celery.signals import worker_ready, worker_shutting_down
from celery.worker.consumer import Consumer
from django.conf import settings

#: How long it may take to notice that the worker ends, in seconds.
LONGEST_SLEEP_S = 1


@worker_ready.connect
def send_what_is_due(sender: Consumer, **_signal: Any) -> None:
    """Sends tasks by their schedule until the worker ends; the file says when each was sent, also to the next one."""
    if not settings.BEAT_SCHEDULE:
        return
    beat = Service(sender.app, LONGEST_SLEEP_S, schedule_filename=settings.BEAT_SCHEDULE)
    Thread(target=beat.start, name="beat", daemon=True).start()
    worker_shutting_down.connect(lambda **_signal: beat.stop(wait=True), weak=False)
