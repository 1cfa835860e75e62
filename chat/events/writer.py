"""The group-commit writer of a process: one statement stores all that came meanwhile, but for streams others hold."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from chat.events import wakeup
from chat.events.append import Fenced
from chat.events.committing import Committer
from chat.events.vocabulary import NewEvent, StoredEvent, numbered
from graphs.site.telemetry.events import measure

log = logging.getLogger("countersign.writer")

#: Events that may wait in all before `put` makes its caller wait.
QUEUE_LIMIT = 5_000
#: Text of one merged event; a longer one is stored as several.
MERGE_LIMIT_CHARS = 16_384
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.003, 0.05


@dataclass(slots=True)
class _Line:
    """What waits for a stream: `in_flight` is being committed, `pending` came since. `held`: others had its row."""

    epoch: int
    pending: list[NewEvent] = field(default_factory=list)
    in_flight: list[NewEvent] = field(default_factory=list)
    waiters: list[asyncio.Future[None]] = field(default_factory=list)
    fenced: bool = False
    held: bool = False

    @property
    def idle(self) -> bool:
        return not self.pending and not self.in_flight


class GroupWriter:
    """Stores events of many streams. `deliver` gets them once committed, unless the answer to COMMIT was lost."""

    def __init__(
        self, conninfo: str, deliver: Callable[[Sequence[StoredEvent]], None], fail: Callable[[], None]
    ) -> None:
        """`fail` is called when writing broke in a way that cannot pass: the process has to end."""
        self._committer = Committer(conninfo)
        self._deliver = deliver
        self._fail = fail
        self._lines: dict[int, _Line] = {}
        self._queued = 0
        self._work = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    def start(self, *, connects: bool = False) -> None:
        """Writes from now on. `connects`: nobody's event has to wait for a connection that knows the tables."""
        self._task = asyncio.create_task(self._write_forever(connects), name="group-writer")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            log.critical("the event writer broke", exc_info=task.exception())
            self._fail()

    async def close(self) -> None:
        """Stops writing; `flush` before for what must not be lost. Writers that still wait get `Fenced`."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for line in self._lines.values():
            self._fence(line)
        await self._committer.close()

    async def put(self, stream_id: int, epoch: int, event: NewEvent) -> None:
        """Queues an event, waiting while too much is queued; raises `Fenced`, and what `NewEvent.storable` raises."""
        event = event.storable()
        await self._room.wait()
        line = self._lines.get(stream_id)
        if line is not None and line.epoch < epoch:
            self._fence(line)
            line = None
        if line is None:
            line = self._lines[stream_id] = _Line(epoch)
        if line.fenced or line.epoch != epoch:
            raise Fenced
        merged = line.pending[-1].merged_with(event) if line.pending else None
        if merged is not None and len(merged.data["delta"]) <= MERGE_LIMIT_CHARS:
            line.pending[-1] = merged
        else:
            line.pending.append(event)
            self._queued += 1
        if self._queued >= QUEUE_LIMIT:
            self._room.clear()
        if not line.held:
            self._work.set()

    async def flush(self, stream_id: int) -> None:
        """Returns when everything put for the stream is committed; raises `Fenced` when it never will be."""
        line = self._lines.get(stream_id)
        if line is None:
            return
        if not line.idle and not line.fenced:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            line.waiters.append(done)
            await done
        if line.fenced:
            raise Fenced

    async def take_rest(self, stream_id: int) -> list[NewEvent]:
        """What was put for the stream and is not being committed, for a caller who stores it, once all before it is.

        Raises `Fenced` as `flush` does.
        """
        rest: list[NewEvent] = []
        if line := self._lines.get(stream_id):
            rest, line.pending = line.pending, rest
            self._count_out(len(rest))
        await self.flush(stream_id)
        return rest

    def forget(self, stream_id: int, epoch: int) -> None:
        """Drops what is known of a stream whose run ended; a later owner's events stay."""
        line = self._lines.get(stream_id)
        if line is not None and line.epoch == epoch:
            del self._lines[stream_id]
            self._fence(line)

    async def _write_forever(self, connects: bool) -> None:
        pause = FIRST_PAUSE_S
        held = False
        if connects:
            await self._committer.commit([])
        while True:
            # Streams that somebody holds are tried again after a pause, which new work of others cuts short.
            with suppress(TimeoutError):
                async with asyncio.timeout(pause if held else None):
                    await self._work.wait()
            self._work.clear()
            batch = dict(sorted((id_, line) for id_, line in self._lines.items() if line.pending and not line.fenced))
            for line in batch.values():
                line.in_flight, line.pending = line.pending, []
            await self._commit(batch)
            # Readers send what they were given before the next batch is made.
            await asyncio.sleep(0)
            held = any(line.held for line in batch.values())
            pause = min(2 * pause, LONGEST_PAUSE_S) if held else FIRST_PAUSE_S

    async def _commit(self, batch: dict[int, _Line]) -> None:
        if not batch:
            return
        stored: list[StoredEvent] = []
        began = time.monotonic()
        outcomes = await self._committer.commit([(id_, line.epoch, line.in_flight) for id_, line in batch.items()])
        measure("writer_commit_seconds", time.monotonic() - began)
        measure("writer_batch", sum(len(line.in_flight) for line in batch.values()))
        for stream_id, base, last, at, owned in outcomes:
            line = batch[stream_id]
            line.held = last is None and owned
            if last is None:
                # What was not written waits for the next batch, unless another process owns the stream now.
                line.pending[:0] = line.in_flight
                line.in_flight = []
                if line.fenced or not owned:
                    self._fence(line)
                continue
            if base is None:
                wakeup.wake_readers(stream_id, last)
            else:
                stored += numbered(stream_id, line.in_flight, base, at)
            self._count_out(len(line.in_flight))
            line.in_flight = []
            if line.pending:  # came while the line still counted as held, without a wake-up
                self._work.set()
        if stored:
            self._deliver(stored)
        for line in batch.values():
            if line.idle or line.fenced:
                _release(line)
        measure("writer_queue", self._queued)

    def _fence(self, line: _Line) -> None:
        line.fenced = True
        self._count_out(len(line.pending))
        line.pending = []
        _release(line)

    def _count_out(self, events: int) -> None:
        self._queued -= events
        if self._queued < QUEUE_LIMIT:
            self._room.set()


def _release(line: _Line) -> None:
    for waiter in line.waiters:
        if not waiter.done():
            waiter.set_result(None)
    line.waiters.clear()
