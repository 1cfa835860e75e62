"""What one chat socket reads: each stream is sent by a task of its own, as fast as the reader takes it."""

import asyncio
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial

from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.engine import runtime
from chat.events.vocabulary import StoredEvent
from chat.events.vocabulary import frame as event_frame
from chat.events.watching import Watch
from chat.queries.streams import ReadableStream
from chat.sockets.backpressure import TooSlow
from chat.sockets.closing import TOO_SLOW
from chat.sockets.connection import GatedConsumer

MAX_SUBSCRIPTIONS = 50
#: Runs of which a socket remembers that it asked for them, to name its `_id` in their events.
REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class _Reading:
    stream: ReadableStream
    watch: Watch
    sending: asyncio.Task[None]


class Subscriptions:
    """The streams that one consumer reads, and whose events it is sent."""

    __slots__ = ("_asked", "_consumer", "_goodbyes", "readings")

    def __init__(self, consumer: GatedConsumer) -> None:
        self._consumer = consumer
        self.readings: dict[int, _Reading] = {}
        self._asked: dict[uuid.UUID, int | str] = {}
        self._goodbyes: set[asyncio.Task[None]] = set()

    def reads(self, session_id: str) -> bool:
        return any(reading.stream.session_id == session_id for reading in self.readings.values())

    def remember(self, run_id: uuid.UUID, own_id: int | str) -> None:
        """Makes events of this run carry the `_id` with which this socket asked for it."""
        self._asked[run_id] = own_id
        if len(self._asked) > REMEMBERED:
            del self._asked[next(iter(self._asked))]

    def require_room(self, session_id: str | None = None) -> None:
        """Refuses one stream too many; not that of a conversation that is read already."""
        if len(self.readings) >= MAX_SUBSCRIPTIONS and not (session_id and self.reads(session_id)):
            raise Refused("too_many", _("This connection reads too many streams. Unsubscribe from some."))

    async def watch(self, stream: ReadableStream, after: int, *, noted: bool = False) -> Watch:
        """Makes sure that the stream can be read from there; raises `CursorBeyondEnd`. Goes to `start` or is closed.

        `noted`: that somebody reads it here is stored already.
        """
        if stream.id not in self.readings:
            self.require_room()
        return await runtime.current().hub.watch(
            stream.id, after, present=not stream.reads_only, last=stream.last_sequence, noted=noted
        )

    def start(self, stream: ReadableStream, watch: Watch) -> None:
        """Sends the stream from the watch's cursor on, instead of from wherever it was read before."""
        self.stop(stream.id)
        text_of = partial(self._text_of, stream.name, stream.session_id)
        sending = asyncio.create_task(self._consumer.forward(f"stream {stream.name}", watch.next, text_of))
        self.readings[stream.id] = _Reading(stream, watch, sending)

    def _text_of(self, stream_name: str, session_id: str | None, event: StoredEvent) -> str:
        own_id = self._asked.get(event.run_id) if event.run_id else None
        return event_frame(event, stream_name, session_id, own_id)

    def stop(self, stream_id: int) -> None:
        reading = self.readings.pop(stream_id, None)
        if reading is not None:
            reading.sending.cancel()
            reading.watch.close()

    def lose(self, stream_ids: Collection[int]) -> None:
        """Ends what may not be read any more, and says so."""
        for reading in [found for id_ in stream_ids if (found := self.readings.get(id_))]:
            self.stop(reading.stream.id)
            goodbye = asyncio.create_task(self._say_lost(reading.stream))
            self._goodbyes.add(goodbye)
            goodbye.add_done_callback(self._goodbyes.discard)

    async def _say_lost(self, stream: ReadableStream) -> None:
        frame = {"type": "ai:unsubscribed", "_id": None, "sessionId": stream.session_id, "stream": stream.name}
        try:
            await self._consumer.gate.passed()
            async with self._consumer.order:
                await self._consumer.send_frame(frame)
        except TooSlow:
            self._consumer.close_soon(TOO_SLOW)

    def stop_all(self) -> None:
        for stream_id in list(self.readings):
            self.stop(stream_id)
        for goodbye in self._goodbyes:
            goodbye.cancel()
