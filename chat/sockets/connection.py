"""One WebSocket of a person: who are you, may you stay, and frames one after the other, no faster than they are taken.

An ASGI application with a receive loop of its own: no channel layer and no middleware stack, which an idle socket pays.
What frames do is the desk's (`desk.Desk`): that of the chat socket or of a graph's.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection
from typing import Any
from urllib.parse import parse_qs

from django.utils import translation
from django.utils.translation import gettext as _

from chat.access import connections, identity, open_readers
from chat.access.checks import End, Reader
from chat.access.connections import Place
from chat.access.identity import Headers, Identity
from chat.actions.refusals import Refused
from chat.engine.runtime import NotServing
from chat.events.hub import CursorBeyondEnd
from chat.sockets import frames
from chat.sockets.backpressure import TooSlow
from chat.sockets.handler import ENDINGS, Desk
from chat.sockets.pace import Pace
from chat.sockets.wire import (
    NOT_AUTHENTICATED,
    RESTARTING,
    TOO_MANY,
    TOO_SLOW,
    Closing,
    Wire,
)
from graphs.site.access import Forbidden, NotFound
from graphs.site.api.problems import Problem
from graphs.site.database_away import AWAY
from graphs.site.json_input import BadJSON, parse_json
from graphs.site.telemetry.events import measure

log = logging.getLogger("countersign.socket")

#: How long a client without a cookie may take to send its token.
AUTHENTICATE_WITHIN_S = 10
#: The longest frame of somebody unknown: a token fits.
LONGEST_INTRODUCTION = 10_000

_open: set["Connection"] = set()


def close_all(code: int) -> None:
    """Says goodbye to every socket of this process."""
    for each in list(_open):
        each.close(code)


class Connection:
    """Frames are handled in order."""

    __slots__ = ("_close_code", "_desk", "_id", "_language", "_pace", "_receive", "_task", "_wire")

    def __init__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        wire: Wire,
        desk: Callable[["Connection", str], Desk],
    ) -> None:
        """`desk` gets the connection and the workspace that it named."""
        query = parse_qs(scope.get("query_string", b"").decode("latin1"))
        self._id = uuid.uuid4().hex
        self._receive = receive
        self._wire = wire
        self._language = query.get("language", [""])[0]
        self._desk = desk(self, query.get("workspace", [""])[0])
        self._pace = Pace(_now())
        self._task: asyncio.Task[Any] | None = None
        self._close_code: int | None = None

    @property
    def identity(self) -> Identity | None:
        return self._desk.identity

    def reader(self) -> Reader | None:
        return self._desk.reader() if self.identity else None

    def place(self) -> Place | None:
        return self._place(self.identity) if self.identity else None

    def _place(self, person: Identity) -> Place:
        return Place(person.user.pk, self._id, self._desk.at_graph)

    def end(self, why: End) -> None:
        self.close(ENDINGS[why])

    def lose(self, stream_ids: Collection[int]) -> None:
        self._desk.lose(stream_ids)

    def close(self, code: int) -> None:
        """Ends the connection with this code; the client may come back or not, as the code says."""
        if self._close_code is None and self._task is not None:
            self._close_code = code
            self._task.cancel()

    async def serve(self, headers: Headers) -> None:
        """From handshake to close."""
        self._task = asyncio.current_task()
        await self._receive()
        try:
            if await self._admitted(headers):
                await self._read_until_gone()
        except Closing as goodbye:
            await self._wire.close(goodbye.code)
        except AWAY:
            log.warning("the database is away; the socket may come back")
            await self._wire.close(RESTARTING)
        except NotServing:
            await self._wire.close(RESTARTING)
        except asyncio.CancelledError:
            if self._close_code is None:
                raise
            await self._wire.close(self._close_code)
        finally:
            self._task = None
            _open.discard(self)
            measure("open_sockets", len(_open))
            open_readers.leave(self)
            self._desk.leave()
            if place := self.place():
                await connections.release(place)

    async def _admitted(self, headers: Headers) -> bool:
        """Handshake: a browser needs an allowed Origin; its cookie is read once, here."""
        has_origin = identity.header(headers, b"origin") is not None
        if has_origin and not identity.origin_allowed(headers):
            await self._wire.close()
            return False
        proof = identity.cookie_proof(headers) if has_origin else None
        person = await identity.who.answer(proof) if proof else None
        translation.activate(identity.language_of(headers, self._language))
        if person is not None:
            self._desk.enter(person)
        await self._wire.accept()
        _open.add(self)
        measure("open_sockets", len(_open))
        open_readers.enter(self)
        if person is not None:
            await self._require_room(person)
            await self._desk.begin()
        return True

    async def _enter(self, person: Identity) -> None:
        await self._require_room(person)
        self._desk.enter(person)

    async def _require_room(self, person: Identity) -> None:
        if not await connections.take(self._place(person)):
            text = _("You have too many connections open. Close some tabs.")
            await self._wire.refuse(None, "too_many_sockets", text)
            raise Closing(TOO_MANY)

    async def _read_until_gone(self) -> None:
        deadline = _now() + AUTHENTICATE_WITHIN_S
        while True:
            try:
                async with asyncio.timeout_at(None if self.identity else deadline):
                    message = await self._receive()
            except TimeoutError:
                raise Closing(NOT_AUTHENTICATED) from None
            if message["type"] == "websocket.disconnect":
                return
            self._wire.gate.pause_reading()
            try:
                await self._wire.gate.passed()
                await self._handle(message.get("text"))
            except TooSlow:
                log.warning("socket cut off: 4408, it sends but reads too slowly")
                raise Closing(TOO_SLOW) from None
            finally:
                self._wire.gate.resume_reading()
            # Frames that wait already come without a pause: others of this process have their turn between them.
            await asyncio.sleep(0)

    async def _handle(self, text: str | None) -> None:
        """One frame; raises `Closing` when the connection ends over it."""
        data = None
        try:
            data = self._parsed(text)
            frame = self._desk.read(data)
            if isinstance(frame, frames.Introduction):
                await self._authenticate(frame)
                return
            if self.identity is None:
                raise Closing(NOT_AUTHENTICATED)
            async with self._wire.order:
                await self._desk.do(frame)
        except (Closing, *AWAY, NotServing):
            raise
        except Exception as error:  # Any: `_refusal` logs what it does not know, and the socket stays open.
            own_id = frames.guessed_id(text) if data is None else frames.own_id(data)
            await self._wire.refuse(own_id, *_refusal(error))

    def _parsed(self, text: str | None) -> Any:
        length = len(text or "")
        if not self._pace.allows(length, _now()):
            if self._pace.is_flood:
                raise Closing(TOO_MANY)
            raise Refused("throttled", _("Too many frames at once. Send slower."))
        if text is None:
            raise Refused("validation", _("Frames are text that holds JSON."))
        if self.identity is None and length > LONGEST_INTRODUCTION:
            raise Closing(NOT_AUTHENTICATED)
        return parse_json(text)

    async def _authenticate(self, frame: frames.Introduction) -> None:
        proof, known = identity.token_proof(frame.token), self.identity
        person = await identity.who.answer(proof) if proof else None
        if person is None or (known is not None and person.user.pk != known.user.pk):
            raise Closing(NOT_AUTHENTICATED)
        if known is None:
            await self._enter(person)
        else:
            self._desk.enter(person)
        await self._wire.frame({"type": f"{self._wire.prefix}:authenticated", "_id": frame.id})
        if known is None:
            await self._desk.begin()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _refusal(error: Exception) -> tuple[str, str] | tuple[str, str, dict[str, Any]]:
    """Code and sentence for what went wrong with a frame, and more for programs; what was not foreseen is logged."""
    match error:
        case Refused():
            return error.code, error.message, error.details
        case Problem():
            return error.code, str(error)
        case BadJSON():
            return "validation", error.message
        case NotFound():
            return "not_found", _("There is nothing here, or it is not open to you.")
        case Forbidden():
            return "forbidden", _("Your role in this workspace does not allow this.")
        case CursorBeyondEnd():
            return "cursor", _("The stream has not come so far. Read it from an earlier number.")
        case _:
            log.error("frame not handled", exc_info=error)
            return "internal", _("Something went wrong on the server. It was logged; try again.")
