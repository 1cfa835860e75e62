"""Celery's beat as a thread of a worker, where `BEAT_SCHEDULE` asks for it: a process of its own takes 70 MB."""

import logging
from threading import Event, Thread
from typing import Any

from celery import Celery
from celery.beat import Service
from celery.signals import worker_ready, worker_shutting_down
from celery.worker.consumer import Consumer
from django.conf import settings

#: How long it may take to notice that the worker ends, in seconds.
LONGEST_SLEEP_S = 1
#: After what ended it, in seconds: its file cannot be written, say.
PAUSE_S = 30

log = logging.getLogger("countersign.beat")


@worker_ready.connect
def send_what_is_due(sender: Consumer, **_signal: Any) -> None:
    """Sends tasks by their schedule until the worker ends; the file says when each was sent, also to the next one."""
    if settings.BEAT_SCHEDULE:
        beat = Beat(sender.app)
        beat.start()
        worker_shutting_down.connect(lambda **_signal: beat.end(), weak=False)


class Beat(Thread):
    """Begins again after whatever ended it."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="beat", daemon=True)
        self._app = app
        self._ending = Event()
        self._service = self._new_service()

    def _new_service(self) -> Service:
        return Service(self._app, LONGEST_SLEEP_S, schedule_filename=str(settings.BEAT_SCHEDULE))

    def run(self) -> None:
        while not self._ending.is_set():
            try:
                self._service.start()
            except Exception:
                log.exception("Beat has ended; it begins again in %s s.", PAUSE_S)
                self._ending.wait(PAUSE_S)
                self._service = self._new_service()

    def end(self) -> None:
        """Ends soon; waits for it no longer than that takes."""
        self._ending.set()
        self._service.stop()
        self.join(2 * LONGEST_SLEEP_S)
