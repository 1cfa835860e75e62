"""The runner of a process: claims runs, drives them side by side, stops them, and proves that the process lives."""

import asyncio
import logging
import os
import socket
import uuid
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from functools import partial

import psycopg
from django.conf import settings
from django.db import Error as DatabaseTrouble

from chat.concurrency import background
from chat.concurrency.database import in_db
from chat.engine import claims, doorbell
from chat.engine.driver import Driver
from chat.engine.heartbeat import Heartbeat
from chat.events.writer import GroupWriter
from graphs.site import valkey
from graphs.site.telemetry.events import measure

log = logging.getLogger("countersign.runner")

#: Runs one process drives at a time; more wait for it or for another process.
MAX_RUNS = 200
LOOK_EVERY_S = 1.0
#: After a sign of life that could not be written.
AGAIN_S = 1.0


class Runner:
    """Starts with the process. `fail` is called when it has to exit: others took it for dead, or a job of its broke."""

    def __init__(
        self,
        heartbeat: Heartbeat,
        process_id: uuid.UUID,
        writer: GroupWriter,
        fail: Callable[[], None],
        others: bool = True,
        generations: bool = False,
    ) -> None:
        """Drives runs of conversations, those that begin in this process from there on; or only `generations`."""
        self.process_id = process_id
        self._heartbeat = heartbeat
        self._others = others
        self._generations = generations
        self._writer = writer
        self._fail = fail
        self._drivers: dict[uuid.UUID, Driver] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._bell = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._claiming = True
        self._loop = asyncio.get_running_loop()
        self._last_contact = self._loop.time()
        # It may begin as the database writes again: then everybody was silent.
        self._be_patient()

    async def start(self) -> None:
        await in_db(claims.register, self.process_id, f"{socket.gethostname()}:{os.getpid()}")
        hearing = valkey.listen_forever(doorbell.channel(), lambda _ring: self._bell.set())
        jobs = (self._look_forever(), self._beat_forever(), hearing)
        self._tasks = background.start(jobs, self._fail)
        if not self._generations:
            doorbell.local = self

    async def close(self, drain_s: float) -> None:
        """Claims nothing more, lets runs finish for a while, and hands over the rest."""
        self._claiming = False
        deadline = self._loop.time() + drain_s
        # A run may still be adopted that was being stored when this began.
        while self._running and (left := deadline - self._loop.time()) > 0:
            await asyncio.wait(self._running, timeout=left)
        for driver in list(self._drivers.values()):
            driver.stop("process ends")
        if self._running:
            await asyncio.wait(self._running, timeout=10)
        if doorbell.local is self:
            doorbell.local = None
        await background.end(self._tasks)
        await self._heartbeat.close()
        with suppress(DatabaseTrouble):
            await in_db(claims.leave, self.process_id)
        await asyncio.to_thread(doorbell.ring)

    def takes(self) -> bool:
        """Whether there is room for a run; never in a process that others may have taken for dead."""
        heard = self._loop.time() - self._heartbeat.last <= settings.PROCESS_SILENT_S / 2
        return heard and self._has_room()

    def adopt(self, run: claims.ClaimedRun) -> None:
        """Drives a run that was begun for this process. Called from any thread."""
        self._loop.call_soon_threadsafe(self._drive, run)

    def ring(self) -> None:
        """Says that there is something to claim or to stop. Called from any thread."""
        self._loop.call_soon_threadsafe(self._bell.set)

    def _has_room(self) -> bool:
        return self._claiming and len(self._running) < MAX_RUNS

    async def _look_forever(self) -> None:
        """Stops what is to be stopped and claims what waits, once a second and whenever the bell rings."""
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._bell.wait()
            except TimeoutError:
                pass
            self._bell.clear()
            try:
                if self._drivers:
                    for run_id, why in (await in_db(claims.to_stop, list(self._drivers))).items():
                        if run_id in self._drivers:
                            self._drivers[run_id].stop(why)
                if self._has_room():
                    limit, take_over = MAX_RUNS - len(self._running), self._may_take_over()
                    of_these = claims.claim_generations if self._generations else claims.claim
                    claim = partial(of_these, self.process_id, limit, take_over=take_over)
                    for run in await in_db(claim, others=self._others, driven=list(self._drivers)):
                        self._drive(run)
                self._last_contact = self._loop.time()
            except DatabaseTrouble as error:
                self._be_patient()
                log.warning("runs not looked at, trying again: %s", type(error).__name__)

    def _may_take_over(self) -> bool:
        """Whether others may be taken for dead; not at once after a while without the database."""
        if self._loop.time() - self._last_contact > settings.PROCESS_SILENT_S / 2:
            self._be_patient()
        return self._loop.time() >= self._patient_until

    def _be_patient(self) -> None:
        """Gives others time for a sign of life once the database is back, because nobody could give one meanwhile."""
        self._patient_until = self._loop.time() + settings.PROCESS_SILENT_S / 2

    def _drive(self, run: claims.ClaimedRun) -> None:
        """Drives a run in its own context: it must outlive the request that rang the bell."""
        known = self._drivers.get(run.id)
        if known is not None and known.run.epoch >= run.epoch:
            return
        driver = Driver(run, self._writer)
        self._drivers[run.id] = driver
        measure("driven_runs", len(self._drivers))
        task = driver.task = asyncio.create_task(driver.drive(), name=f"run {run.id}", context=Context())
        self._running.add(task)
        task.add_done_callback(lambda done: self._rested(driver, done))

    def _rested(self, driver: Driver, task: asyncio.Task[None]) -> None:
        """Looks at once for what waited for the run's end, or for room; once a second it looks anyway."""
        had_room = self._has_room()
        self._running.discard(task)
        if self._drivers.get(driver.run.id) is driver:
            del self._drivers[driver.run.id]
        measure("driven_runs", len(self._drivers))
        if not task.cancelled() and task.exception() is not None:
            log.error("run %s left its driver", driver.run.id, exc_info=task.exception())
            abandoning = asyncio.ensure_future(self._abandon(driver.run))
            self._running.add(abandoning)
            abandoning.add_done_callback(self._running.discard)
        if driver.awaited or not had_room:
            self._bell.set()

    async def _abandon(self, run: claims.ClaimedRun) -> None:
        """Gives up a run after a pause, so that a run that breaks every driver does not keep all processes busy."""
        await asyncio.sleep(LOOK_EVERY_S)
        await in_db(claims.abandon, run)

    async def _beat_forever(self) -> None:
        missed = False
        while True:
            try:
                alive = await self._heartbeat.beat()
            except (psycopg.Error, TimeoutError, OSError) as error:
                # A database that only reads may still be looked at: that others are silent there says nothing.
                self._be_patient()
                missed = True
                log.warning("heartbeat not written, trying again: %s", type(error).__name__)
                await asyncio.sleep(AGAIN_S)
                continue
            if missed:
                self._be_patient()
                missed = False
            if not alive:
                log.critical("others took this process for dead; its runs are theirs now, it exits")
                self._fail()
                return
            await asyncio.sleep(settings.HEARTBEAT_S)
