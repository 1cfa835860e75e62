"""What drives generations in a worker process: a writer, a hub and a runner on a loop in a thread of their own.

The jobs of Celery are bells: the row of a run is what is claimed, by one process at a time, and taken over when that
one falls silent. So a generation holds no thread of the worker while it waits for its vendor.
"""

import asyncio
import logging
import threading
import uuid
from contextlib import suppress
from typing import Any

from celery.signals import worker_shutting_down
from django.conf import settings

from chat.concurrency.database import in_db
from chat.engine.available_models import close_providers
from chat.engine.heartbeat import Heartbeat
from chat.engine.runner import Runner
from chat.engine.runtime import conninfo
from chat.events.hub import Hub
from chat.events.writer import GroupWriter
from chat.spending import entered_prices

log = logging.getLogger("countersign.generations")

#: Seconds that starting and ending may take.
PATIENCE_S = 30
_starting = threading.Lock()
_worker: "GenerationWorker | None" = None


class GenerationWorker:
    """Claims generations, and drives them, until it is closed or others take it for dead."""

    def __init__(self) -> None:
        self.failed = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="generations", daemon=True)
        self._thread.start()
        self._on_loop(self._start())

    async def _start(self) -> None:
        process = uuid.uuid4()
        self.hub = Hub(process, self.failed.set)
        self.writer = GroupWriter(conninfo(), self.hub.deliver, self.failed.set)
        heartbeat = Heartbeat(conninfo(), process)
        self.runner = Runner(heartbeat, process, self.writer, self.failed.set, generations=True)
        self.hub.start()
        self.writer.start()
        await in_db(entered_prices.read)
        self._prices = asyncio.create_task(entered_prices.read_forever())
        await self.runner.start()

    def ring(self) -> None:
        """Lets it look for generations that wait."""
        self.runner.ring()

    def close(self, drain_s: float | None = None) -> None:
        """Gives back what is under way, to be begun anew by another process, and ends."""
        self._on_loop(self._close(settings.DRAIN_S if drain_s is None else drain_s))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)
        self._loop.close()

    async def _close(self, drain_s: float) -> None:
        self._prices.cancel()
        await self.runner.close(drain_s)
        await self.writer.close()
        await self.hub.close()
        await close_providers()

    def _on_loop(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(settings.DRAIN_S + PATIENCE_S)


def wake() -> None:
    """Lets the worker of this process look for generations; the first time, or after it failed, it starts it."""
    global _worker
    with _starting:
        if _worker is not None and _worker.failed.is_set():
            log.error("generations: others took this process for dead, or a part of it broke; it begins again")
            failed, _worker = _worker, None
            with suppress(Exception):  # Any: what broke may not even end in order, and others take over its runs.
                failed.close(0)
        if _worker is None:
            _worker = GenerationWorker()
            worker_shutting_down.connect(_end, weak=False)
            return
        _worker.ring()


def _end(**_signal: Any) -> None:
    global _worker
    with _starting:
        if _worker is not None:
            _worker.close(0)
            _worker = None
