"""What one chat socket reads: each stream is pumped by a task of its own, as fast as the reader takes it."""

import asyncio
import logging
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.engine import runtime
from chat.events.vocabulary import frame as event_frame
from chat.events.watching import Watch
from chat.queries import ReadableStream
from chat.sockets.backpressure import TooSlow
from chat.sockets.wire import RESTARTING, TOO_SLOW, Wire
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.socket")

MAX_SUBSCRIPTIONS = 50
#: Runs of which a socket remembers that it asked for them, to name its `_id` in their events.
REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class _Reading:
    stream: ReadableStream
    watch: Watch
    pump: asyncio.Task[None]


class Subscriptions:
    """`end` closes the connection with a code; a pump that cannot go on calls it."""

    __slots__ = ("_asked", "_end", "_readings", "_telling", "_wire")

    def __init__(self, wire: Wire, end: Callable[[int], None]) -> None:
        self._wire = wire
        self._end = end
        self._readings: dict[int, _Reading] = {}
        self._asked: dict[uuid.UUID, int | str] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def workspaces(self) -> set[int]:
        """The workspaces of everything that is read."""
        return {reading.stream.workspace_id for reading in self._readings.values()}

    def stream_ids(self) -> set[int]:
        return set(self._readings)

    def reads(self, session_id: str) -> bool:
        return any(str(reading.stream.session_id) == session_id for reading in self._readings.values())

    def remember(self, run_id: uuid.UUID, own_id: int | str) -> None:
        """Events of this run will carry the `_id` with which this socket asked for it."""
        self._asked[run_id] = own_id
        if len(self._asked) > REMEMBERED:
            del self._asked[next(iter(self._asked))]

    def require_room(self) -> None:
        if len(self._readings) >= MAX_SUBSCRIPTIONS:
            raise Refused("too_many", _("This connection reads too many streams. Unsubscribe from some."))

    async def watch(self, stream: ReadableStream, after: int) -> Watch:
        """Makes sure that the stream can be read from there; raises `CursorBeyondEnd`. Goes to `start` or is closed."""
        if stream.id not in self._readings:
            self.require_room()
        return await runtime.current().hub.watch(stream.id, after, last=stream.last_sequence)

    def start(self, stream: ReadableStream, watch: Watch) -> None:
        """Sends the stream from the watch's place on, instead of from wherever it was read before."""
        self.stop(stream.id)
        self._readings[stream.id] = _Reading(stream, watch, asyncio.create_task(self._pump(stream, watch)))

    def stop(self, stream_id: int) -> None:
        reading = self._readings.pop(stream_id, None)
        if reading is not None:
            reading.pump.cancel()
            reading.watch.close()

    def lose(self, stream_ids: Collection[int]) -> None:
        """Ends what may not be read any more, and says so."""
        for reading in [found for id_ in stream_ids if (found := self._readings.get(id_))]:
            self.stop(reading.stream.id)
            telling = asyncio.create_task(self._tell_lost(reading.stream))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def _tell_lost(self, stream: ReadableStream) -> None:
        session_id = str(stream.session_id) if stream.session_id else None
        try:
            await self._wire.gate.passed()
            async with self._wire.order:
                frame = {"type": "ai:unsubscribed", "_id": None, "sessionId": session_id, "stream": stream.name}
                await self._wire.frame(frame)
        except TooSlow:
            self._end(TOO_SLOW)

    def stop_all(self) -> None:
        for stream_id in list(self._readings):
            self.stop(stream_id)
        for telling in self._telling:
            telling.cancel()

    async def _pump(self, stream: ReadableStream, watch: Watch) -> None:
        session_id = str(stream.session_id) if stream.session_id else None
        try:
            while True:
                for event in await watch.next():
                    await self._wire.gate.passed()
                    async with self._wire.order:
                        own_id = self._asked.get(event.run_id) if event.run_id else None
                        await self._wire.text(event_frame(event, stream.name, session_id, own_id))
        except TooSlow:
            log.warning("stream %s cut off: 4408, its reader took nothing for a while", stream.name)
            self._end(TOO_SLOW)
        except AWAY:
            log.warning("stream %s not read, the database is away; its reader may come back", stream.name)
            self._end(RESTARTING)
        except Exception:  # Any: the reader comes back and reads on.
            log.exception("subscription to %s broke", stream.name)
            self._end(RESTARTING)
