"""The group-commit writer: one per process, it stores what the engine streams before anyone sees it.

While one commit runs, new events queue; the next commit takes all of them in one statement for all streams. A stream
whose row somebody else holds is skipped and taken by the next batch, so that nobody waits for a stranger.
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import psycopg

from chat.events.append import Fenced
from chat.events.vocabulary import EVENT_VERSION, NewEvent, StoredEvent, to_json

log = logging.getLogger("countersign.writer")

#: Events that may wait in all before `put` makes its caller wait.
QUEUE_LIMIT = 5_000
#: Text of one merged event; a longer one is stored as several.
MERGE_LIMIT_CHARS = 16_384
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.003, 0.05
RECONNECT_PAUSE_S = 0.25

_COMMIT = f"""
WITH batch AS (
    SELECT * FROM unnest(
        %(stream)s::bigint[], %(number)s::int[], %(type)s::text[], %(data)s::text[],
        %(message)s::uuid[], %(run)s::uuid[]
    ) AS b(stream_id, number, type, data, message_id, run_id)
), wanted AS (
    SELECT * FROM unnest(%(ids)s::bigint[], %(epochs)s::bigint[], %(counts)s::int[]) AS w(id, epoch, count)
), locked AS (
    SELECT s.id, s.last_sequence AS base, w.count FROM chat_stream s JOIN wanted w ON w.id = s.id AND w.epoch = s.epoch
    ORDER BY s.id FOR NO KEY UPDATE OF s SKIP LOCKED
), raised AS (
    UPDATE chat_stream s SET last_sequence = l.base + l.count, writer = %(writer)s, batch = %(batch)s
    FROM locked l WHERE s.id = l.id RETURNING s.id, l.base
), stored AS (
    INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id)
    SELECT r.id, r.base + b.number, {EVENT_VERSION}, b.type, b.data::jsonb, b.message_id, b.run_id
    FROM raised r JOIN batch b ON b.stream_id = r.id
)
SELECT id, base, now() FROM raised
"""  # noqa: S608 - the only insertion is a constant number
_EPOCHS = "SELECT id, epoch FROM chat_stream WHERE id = ANY(%s)"
_WRITTEN = "SELECT id, last_sequence, now() FROM chat_stream WHERE id = ANY(%s) AND writer = %s AND batch = %s"


@dataclass(slots=True)
class _Line:
    """What waits for one stream. `in_flight` is being committed; `pending` came since."""

    epoch: int
    pending: list[NewEvent] = field(default_factory=list)
    in_flight: list[NewEvent] = field(default_factory=list)
    waiters: list[asyncio.Future[None]] = field(default_factory=list)
    fenced: bool = False

    @property
    def idle(self) -> bool:
        return not self.pending and not self.in_flight


class GroupWriter:
    """Stores events of many streams; `deliver` gets them, in order, once they are committed."""

    def __init__(
        self, conninfo: str, deliver: Callable[[Sequence[StoredEvent]], None], fail: Callable[[], None]
    ) -> None:
        """`fail` is called when writing broke in a way that cannot pass: the process has to end."""
        self._conninfo = conninfo
        self._deliver = deliver
        self._fail = fail
        self._id = uuid.uuid4()
        self._batch = 0
        self._connection: psycopg.AsyncConnection | None = None
        self._lines: dict[int, _Line] = {}
        self._queued = 0
        self._work = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._write_forever(), name="group-writer")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            log.critical("the event writer broke", exc_info=task.exception())
            self._fail()

    async def close(self) -> None:
        """Stops writing; call `flush` before for what must not be lost."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._connection is not None:
            await self._connection.close()

    async def put(self, stream_id: int, epoch: int, event: NewEvent) -> None:
        """Queues one event. Waits while too much is queued; raises `Fenced` when the stream has another owner."""
        await self._room.wait()
        line = self._line(stream_id, epoch)
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
        self._work.set()

    def _line(self, stream_id: int, epoch: int) -> _Line:
        line = self._lines.get(stream_id)
        if line is not None and line.epoch < epoch:
            self._fence(line)
            line = None
        if line is None:
            line = self._lines[stream_id] = _Line(epoch)
        return line

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

    def forget(self, stream_id: int, epoch: int) -> None:
        """Drops what is known of a stream whose run ended; a later owner's events stay."""
        line = self._lines.get(stream_id)
        if line is not None and line.epoch == epoch:
            del self._lines[stream_id]
            self._fence(line)

    async def _write_forever(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            await self._work.wait()
            self._work.clear()
            batch = self._take()
            if not batch:
                continue
            if await self._commit(batch):
                pause = FIRST_PAUSE_S
            else:
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    def _take(self) -> dict[int, _Line]:
        batch = {id_: line for id_, line in sorted(self._lines.items()) if line.pending and not line.fenced}
        for line in batch.values():
            line.in_flight, line.pending = line.pending, []
        return batch

    async def _commit(self, batch: dict[int, _Line]) -> bool:
        """True when at least one stream of the batch was written."""
        self._batch += 1
        written = await self._bases(batch)
        stored: list[StoredEvent] = []
        for stream_id, line in batch.items():
            if stream_id in written:
                stored += _numbered(stream_id, line.in_flight, *written[stream_id])
                self._count_out(len(line.in_flight))
                line.in_flight = []
        skipped = {stream_id: line for stream_id, line in batch.items() if stream_id not in written}
        if skipped:
            await self._put_back(skipped)
        if stored:
            self._deliver(stored)
        for line in batch.values():
            if line.idle or line.fenced:
                _release(line)
        return bool(written)

    async def _bases(self, batch: dict[int, _Line]) -> dict[int, tuple[int, datetime]]:
        """Commits the batch; for each stream written, the number before its first event and the time.

        When the answer to COMMIT is lost, the streams themselves tell whether it happened: they name writer and batch.
        """
        parameters = self._parameters(batch)
        uncertain = False
        while True:
            try:
                connection = await self._connected()
                if uncertain:
                    cursor = await connection.execute(_WRITTEN, [list(batch), self._id, self._batch])
                    rows = [(id_, last - len(batch[id_].in_flight), at) for id_, last, at in await cursor.fetchall()]
                    if rows:
                        break
                cursor = await connection.execute(_COMMIT, parameters)
                rows = await cursor.fetchall()
                break
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                log.warning("event log unreachable, trying again: %s", type(error).__name__)
                uncertain = True
                await self._disconnect()
                await asyncio.sleep(RECONNECT_PAUSE_S)
        return {id_: (base, at) for id_, base, at in rows}

    def _parameters(self, batch: dict[int, _Line]) -> dict[str, object]:
        events = [
            (stream_id, number, event)
            for stream_id, line in batch.items()
            for number, event in enumerate(line.in_flight, 1)
        ]
        return {
            "stream": [stream_id for stream_id, _, _ in events],
            "number": [number for _, number, _ in events],
            "type": [event.type for _, _, event in events],
            "data": [to_json(event.data) for _, _, event in events],
            "message": [event.message_id for _, _, event in events],
            "run": [event.run_id for _, _, event in events],
            "ids": list(batch),
            "epochs": [line.epoch for line in batch.values()],
            "counts": [len(line.in_flight) for line in batch.values()],
            "writer": self._id,
            "batch": self._batch,
        }

    async def _put_back(self, skipped: dict[int, _Line]) -> None:
        """Streams that were not written wait for the next batch, unless another process owns them now."""
        try:
            connection = await self._connected()
            cursor = await connection.execute(_EPOCHS, [list(skipped)])
            epochs = dict(await cursor.fetchall())
        except (psycopg.OperationalError, psycopg.InterfaceError):
            await self._disconnect()
            epochs = {stream_id: line.epoch for stream_id, line in skipped.items()}
        for stream_id, line in skipped.items():
            line.pending[:0] = line.in_flight
            line.in_flight = []
            if epochs.get(stream_id) != line.epoch:
                self._fence(line)
        self._work.set()

    def _fence(self, line: _Line) -> None:
        line.fenced = True
        self._count_out(len(line.pending))
        line.pending = []
        _release(line)

    def _count_out(self, events: int) -> None:
        self._queued -= events
        if self._queued < QUEUE_LIMIT:
            self._room.set()

    async def _connected(self) -> psycopg.AsyncConnection:
        if self._connection is None or self._connection.closed:
            self._connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)
        return self._connection

    async def _disconnect(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None


def _numbered(stream_id: int, events: Sequence[NewEvent], base: int, at: datetime) -> list[StoredEvent]:
    return [
        StoredEvent(stream_id, base + number, event.type, event.data, event.message_id, event.run_id, at)
        for number, event in enumerate(events, 1)
    ]


def _release(line: _Line) -> None:
    for waiter in line.waiters:
        if not waiter.done():
            waiter.set_result(None)
    line.waiters.clear()
