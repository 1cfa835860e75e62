"""One WebSocket of a person: authentication, access checks, and frames one after the other."""

import asyncio
import logging
import uuid
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar
from urllib.parse import parse_qs

from channels.exceptions import DenyConnection
from django.contrib.auth.models import User
from django.utils import translation
from django.utils.translation import gettext as _
from pydantic import TypeAdapter

from chat.access import connections, identity, open_readers
from chat.access.checks import End, Reader, check_access
from chat.access.connections import Slot
from chat.access.identity import Identity
from chat.actions.refusals import Refused
from chat.concurrency import turns
from chat.concurrency.database import in_db
from chat.engine.runtime import NotServing
from chat.queries.streams import ReadableStream
from chat.sockets import frames, refusals, strangers
from chat.sockets.closing import ACCESS_CODES, NOT_AUTHENTICATED, TOO_MANY, Closing
from chat.sockets.connection import GatedConsumer
from chat.sockets.pace import Pace
from graphs.site import refusal_events
from graphs.site.api.problems import Problem
from graphs.site.database_away import AWAY
from graphs.site.json_input import parse_json

log = logging.getLogger("countersign.socket")

#: How long a client without a cookie may take to send its token.
AUTHENTICATE_WITHIN_S = 10
#: The longest frame of somebody unknown: a token fits.
LONGEST_INTRODUCTION = 10_000

P = ParamSpec("P")
T = TypeVar("T")


class PersonConsumer(GatedConsumer):
    """A person's socket. `identity` is None before they are known; `workspace` is the slug that the client named."""

    #: What the types of its frames begin with, and what a client may say.
    prefix: ClassVar[str]
    adapter: ClassVar[TypeAdapter[Any]]
    #: With which others of the person it is counted.
    sort: ClassVar[str] = "sockets"

    def __init__(self) -> None:
        super().__init__()
        self.identity: Identity | None = None
        self.workspace = ""
        self.slot: Slot | None = None
        self._pace = Pace(_now())

    async def connect(self) -> None:
        """Handshake: a browser needs an allowed Origin; its cookie is read once, here."""
        headers = self.scope["headers"]
        has_origin = identity.header(headers, b"origin") is not None
        if has_origin and not identity.origin_allowed(headers):
            raise DenyConnection
        query = parse_qs(self.scope.get("query_string", b"").decode("latin1"))
        self.workspace = query.get("workspace", [""])[0]
        proof = identity.cookie_proof(headers) if has_origin else None
        self.identity = await identity.identities.answer(proof) if proof else None
        translation.activate(identity.language_of(headers, query.get("language", [""])[0]))
        if self.identity is None and not await self._come_as_stranger():
            log.warning("socket refused: its address has too many that say not whose they are")
            raise DenyConnection
        await self.accept()
        open_readers.add(self)
        if self.identity is None:
            self.deadline = _now() + AUTHENTICATE_WITHIN_S
        else:
            await self._take_slot(self.identity)
            await self.authenticated()

    async def disconnect(self, code: int | None) -> None:
        await super().disconnect(code)
        open_readers.remove(self)
        if self.slot is not None:
            await asyncio.to_thread(connections.release, self.slot)

    async def authenticated(self) -> None:
        """Does what a socket does first. It is called once, when the person is known and may stay."""

    @abstractmethod
    async def handle(self, frame: Any) -> None:
        """Carries out one frame and answers it. Raises what refuses it, or `Closing` when the person may not stay."""

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Carries out one frame, or says why not; raises `Closing` when the connection ends over it."""
        data = None
        try:
            length = len(text_data or "")
            if not self._pace.allows(length, _now()):
                if self._pace.is_flood:
                    raise Closing(TOO_MANY)
                raise Refused("throttled", _("Too many frames at once. Send slower."))
            if text_data is None:
                raise Refused("validation", _("Frames are text that holds JSON."))
            if self.identity is None and length > LONGEST_INTRODUCTION:
                raise Closing(NOT_AUTHENTICATED)
            data = parse_json(text_data)
            frame = frames.read(data, self.adapter)
            if isinstance(frame, frames.Introduction):
                await self._authenticate(frame)
                return
            if self.identity is None:
                raise Closing(NOT_AUTHENTICATED)
            async with self.order:
                await self.handle(frame)
        except (Closing, NotServing):
            raise
        except Exception as error:  # Any: `refusals.described` logs what it does not know, and the socket stays open.
            if isinstance(error, AWAY) and not refusals.may_be_tried_again(error):
                raise
            own_id = frames.guessed_id(text_data) if data is None else frames.own_id(data)
            code, text, details = refusals.described(error)
            if code != "internal":
                user_id = self.identity.user.pk if self.identity else None
                refusal_events.tell(user_id, self._address(), f"ws {self.prefix}", code)
            await self.refuse(own_id, code, text, details)

    async def _authenticate(self, frame: frames.Introduction) -> None:
        proof, known = identity.token_proof(frame.token), self.identity
        person = await identity.identities.answer(proof) if proof else None
        if person is None or (known is not None and person.user.pk != known.user.pk):
            raise Closing(NOT_AUTHENTICATED)
        if known is None:
            await self._take_slot(person)
        self.identity, self.deadline = person, None
        await self.send_frame({"type": f"{self.prefix}:authenticated", "_id": frame.id})
        if known is None:
            await self.authenticated()

    async def refuse(
        self, own_id: int | str | None, code: str, text: str, details: Mapping[str, Any] | None = None
    ) -> None:
        frame = {"type": f"{self.prefix}:error", "_id": own_id, "error": text, "code": code}
        await self.send_frame({**frame, **(details or {})})

    async def _come_as_stranger(self) -> bool:
        """Counts the socket of somebody unknown; False if there are too many from its address."""
        self.slot = strangers.slot_of(self._address())
        if await strangers.come(self.slot):
            return True
        self.slot = None
        return False

    def _address(self) -> str:
        return strangers.address_of((self.scope.get("client") or [""])[0], self.scope["headers"])

    async def _take_slot(self, person: Identity) -> None:
        """Counts the socket as the person's, and no longer as that of somebody unknown."""
        before, self.slot = self.slot, Slot(person.user.pk, uuid.uuid4().hex, self.sort)
        if before is not None:
            connections.forget_here(before)
        if not await asyncio.to_thread(connections.take, self.slot, before):
            text = _("You have too many connections open. Close some tabs.")
            await self.refuse(None, "too_many_sockets", text)
            raise Closing(TOO_MANY)

    def reader(self) -> Reader | None:
        """The workspaces to check: the socket's, if the person is a member, and those of its streams."""
        if self.identity is None:
            return None
        streams = self.streams()
        own = self.identity.workspace_id(self.workspace)
        workspaces = {stream.workspace_id for stream in streams} | ({own} if own is not None else set())
        return Reader(self.identity, workspaces, {stream.id for stream in streams})

    def asking(self) -> Reader:
        """The person whose access to check before they do something, whatever they read meanwhile."""
        reader = self.reader()
        assert reader is not None
        return replace(reader, streams=())

    def streams(self) -> Collection[ReadableStream]:
        """The streams that are read."""
        return ()

    def end_access(self, why: End) -> None:
        self.close_soon(ACCESS_CODES[why])

    def lose_streams(self, stream_ids: Collection[int]) -> None:
        """Stops delivering these streams."""

    async def as_person(self, act: Callable[Concatenate[User, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`act(user, ...)` in the database, if the person still may be here: asked for every frame anew."""
        return await in_db(self._if_allowed(act, *args, **kwargs))

    async def as_writer(self, act: Callable[Concatenate[User, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`as_person`, a few at a time, for what waits for whoever holds an object. Raises `Problem` 429."""
        reader = self.reader()
        assert reader is not None
        turn = await turns.of_process.take((reader.identity.user.pk, "edits"))
        if turn is None:
            sentence = _("You have too much in progress here. Try again when some of it is done.")
            raise Problem(429, "throttled", sentence)
        return await turns.in_turn(turn, in_db, self._if_allowed(act, *args, **kwargs))

    def _if_allowed(self, act: Callable[Concatenate[User, P], T], *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        asking = self.asking()

        def act_if_allowed() -> T:
            if end := check_access([asking])[0].end:
                raise Closing(ACCESS_CODES[end])
            return act(asking.identity.user, *args, **kwargs)

        return act_if_allowed


def _now() -> float:
    return asyncio.get_running_loop().time()
