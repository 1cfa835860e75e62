"""One WebSocket as a Channels consumer. No channel layer and no middleware, which idle sockets would pay for."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from autobahn.exception import Disconnected
from channels.exceptions import DenyConnection
from channels.generic.websocket import AsyncWebsocketConsumer

from chat.access.identity import Headers
from chat.engine.runtime import NotServing
from chat.sockets.backpressure import Gate, TooSlow, mute, socket_gate
from chat.sockets.closing import NOT_AUTHENTICATED, RESTARTING, TOO_SLOW, Closing
from graphs.site.database_away import AWAY
from graphs.site.telemetry.events import measure

log = logging.getLogger("countersign.socket")

T = TypeVar("T")
Receive = Callable[[], Awaitable[Any]]

_open: set["GatedConsumer"] = set()


def close_all(code: int) -> None:
    """Says goodbye to every socket of this process."""
    for consumer in list(_open):
        consumer.close_soon(code)


class GatedConsumer(AsyncWebsocketConsumer):
    """Sends no faster than its reader takes: `gate` is closed meanwhile.

    `order` is held while an answer and what belongs to it is sent, so that no event comes between or before.
    Nobody waits for the next frame beyond `deadline`, on the clock of the loop.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()
        self.order = asyncio.Lock()
        self.deadline: float | None = None
        self._task: asyncio.Task[Any] | None = None
        self._close_code: int | None = None

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Any) -> None:
        """Serves from handshake to close. Channels' own loop would make a task, and change threads, for each frame."""
        self.scope, self.base_send = scope, send
        self._task = asyncio.current_task()
        await receive()
        try:
            await self.connect()
            await self._receive_until_gone(receive)
        except DenyConnection:
            await self.close()
        except Closing as closing:
            await self.close(closing.code)
        except AWAY:
            log.warning("the database is away; the socket may come back")
            await self.close(RESTARTING)
        except NotServing:
            await self.close(RESTARTING)
        except asyncio.CancelledError:
            if self._close_code is None:
                raise
            await self.close(self._close_code)
        finally:
            self._task = None
            await self.disconnect(self._close_code)

    async def _receive_until_gone(self, receive: Receive) -> None:
        while True:
            try:
                async with asyncio.timeout_at(self.deadline):
                    message = await receive()
            except TimeoutError:
                raise Closing(NOT_AUTHENTICATED) from None
            if message["type"] == "websocket.disconnect":
                return
            self.gate.pause_reading()
            try:
                await self.gate.passed()
                await self.receive(message.get("text"), message.get("bytes"))
            except TooSlow:
                log.warning("socket cut off: 4408, it sends but reads too slowly")
                raise Closing(TOO_SLOW) from None
            finally:
                self.gate.resume_reading()
            # Frames that wait already come without a pause: others of this process have their turn between them.
            await asyncio.sleep(0)

    async def accept(self, subprotocol: str | None = None, headers: Headers | None = None) -> None:
        """Lets the client in: from now on the socket is one of those that are open."""
        await super().accept(subprotocol, headers)
        self.gate = socket_gate(self.base_send)
        _open.add(self)
        measure("open_sockets", len(_open))

    async def disconnect(self, code: int | None) -> None:
        """Counts the socket no more. Channels calls it when the connection is gone, or was refused."""
        _open.discard(self)
        measure("open_sockets", len(_open))

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        """Says goodbye; without a code before the handshake is accepted, which is HTTP 403."""
        self._close_code = code
        await super().close(code, reason)
        mute(self.base_send)

    def close_soon(self, code: int) -> None:
        """Ends the connection, whatever it is doing; the client may come back or not, as the code says."""
        if self._close_code is None and self._task is not None:
            self._close_code = code
            self._task.cancel()

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        """Sends a frame; one to a client that has just left, which Daphne says only later, is dropped."""
        with suppress(Disconnected):
            await super().send(text_data, bytes_data, close)

    async def send_frame(self, frame: Mapping[str, Any]) -> None:
        await self.send(json.dumps(frame, ensure_ascii=False))

    async def forward(
        self, source: str, following: Callable[[], Awaitable[Iterable[T]]], text_of: Callable[[T], str]
    ) -> None:
        """Sends what follows in a source, as fast as the reader takes it; closes the socket if that cannot go on."""
        try:
            while True:
                for event in await following():
                    await self.gate.passed()
                    async with self.order:
                        await self.send(text_of(event))
        except TooSlow:
            log.warning("%s cut off: 4408, its reader took nothing for a while", source)
            self.close_soon(TOO_SLOW)
        except Closing as closing:
            self.close_soon(closing.code)
        except AWAY:
            log.warning("%s not read, the database is away; its reader may come back", source)
            self.close_soon(RESTARTING)
        except Exception:  # Any: the reader comes back and reads on.
            log.exception("%s cannot be sent", source)
            self.close_soon(RESTARTING)
