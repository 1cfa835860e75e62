"""One open response of server-sent events over all its streams."""

import asyncio
import json
import logging
from collections.abc import Collection, Sequence
from typing import Any

from chat.access.checks import End, Reader
from chat.access.connections import Slot
from chat.access.identity import Headers, Identity
from chat.events.vocabulary import event_json
from chat.events.watching import Watch
from chat.queries.streams import ReadableStream
from chat.sockets.backpressure import Gate, TooSlow, response_gate
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.sse")

PING_EVERY_S = 15.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class _AccessEnded(Exception):
    """The reader may not read on."""


class Response:
    """An open response. `cursors`: the number that each stream (by id) is read from; `slot`: what it counts as;

    `headers`: those that protect its reader.
    """

    def __init__(
        self,
        send: Any,
        person: Identity,
        streams: Sequence[ReadableStream],
        cursors: dict[int, int],
        slot: Slot,
        headers: Headers,
    ) -> None:
        self._send = send
        self.slot = slot
        self._headers = [*_HEADERS, *headers]
        self._person = person
        self._names = {stream.id: stream.name for stream in streams}
        self._workspaces = {stream.workspace_id for stream in streams}
        self._cursors = dict(cursors)
        self._gate = Gate()
        self._one_at_a_time = asyncio.Lock()
        self._ended = asyncio.Event()

    def reader(self) -> Reader:
        return Reader(self._person, self._workspaces, self._names)

    def end_access(self, _why: End) -> None:
        self._ended.set()

    def lose_streams(self, _stream_ids: Collection[int]) -> None:
        self._ended.set()

    async def begin(self) -> None:
        """Sends the status. Whatever ends the stream from here on, the response ends as a whole one."""
        await self._send({"type": "http.response.start", "status": 200, "headers": self._headers})
        self._gate = response_gate(self._send)
        await self._write(": hello\nretry: 1000\n\n")

    async def stream_forever(self, watches: Sequence[Watch]) -> None:
        """Sends what the watches give until the reader may not read on, or takes nothing any more."""
        try:
            async with asyncio.TaskGroup() as group:
                for watch in watches:
                    group.create_task(self._pump(watch))
                group.create_task(self._ping_forever())
                group.create_task(self._until_ended())
        except* TooSlow:
            log.warning(
                "server-sent events of user %s cut off: 4408, their reader took nothing for a while",
                self._person.user.pk,
            )
            self._gate.cut()
        except* _AccessEnded:
            log.info("reader of user %s lost access", self._person.user.pk)
        except* AWAY:
            log.warning("the database is away; the reader of user %s may come back", self._person.user.pk)

    async def _pump(self, watch: Watch) -> None:
        while True:
            for event in await watch.next():
                await self._gate.passed()
                async with self._one_at_a_time:
                    self._cursors[event.stream_id] = event.sequence
                    cursor = ".".join(f"{stream}-{number}" for stream, number in self._cursors.items())
                    shown = event_json(event, self._names[event.stream_id])
                    body = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
                    await self._write(f"id: {cursor}\ndata: {body}\n\n")

    async def _ping_forever(self) -> None:
        while True:
            await asyncio.sleep(PING_EVERY_S)
            await self._gate.passed()
            await self._write(": ping\n\n")

    async def _until_ended(self) -> None:
        await self._ended.wait()
        raise _AccessEnded

    async def _write(self, text: str) -> None:
        await self._send({"type": "http.response.body", "body": text.encode(), "more_body": True})
