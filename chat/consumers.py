"""The chat socket `/ws/chat/`: who are you, what do you want, and every event of the streams you read.

An ASGI application with a receive loop of its own: no channel layer and no middleware stack, which an idle socket pays.
"""

import asyncio
import json
import logging
import uuid
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from pydantic import ValidationError

from chat import actions, frames, identity, queries, runtime, socket_limit
from chat.backpressure import Gate, TooSlow, socket_gate
from chat.database import in_db
from chat.events.hub import CursorBeyondEnd, Watch
from chat.events.vocabulary import frame as event_frame
from chat.idempotency import once
from chat.refusals import Refused
from graphs.access import Forbidden, Member, NotFound, member_of
from graphs.api.bodies import errors_by_field
from graphs.api.limits import Rate, require
from graphs.api.problems import Problem
from graphs.json_input import BadJSON, parse_json

log = logging.getLogger("countersign.socket")

NOT_AUTHENTICATED, ACCESS_ENDED, TOO_SLOW, RESTARTING, TOO_MANY_SOCKETS = 4401, 4403, 4408, 4012, 4429
#: How long a client without a cookie may take to send its token.
AUTHENTICATE_WITHIN_S = 10
#: How often the people behind open sockets are checked.
CHECK_EVERY_S = 3.0
MAX_SUBSCRIPTIONS = 50

_open: set["ChatSocket"] = set()
_checker: asyncio.Task[None] | None = None


def close_all(code: int) -> None:
    """Says goodbye to every socket of this process."""
    for each in list(_open):
        each.close(code)


class ChatSocket:
    """One connection. Frames are handled in order; each subscription is pumped by a task of its own."""

    def __init__(self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        self._headers = scope["headers"]
        query = parse_qs(scope.get("query_string", b"").decode("latin1"))
        self._workspace = query.get("workspace", [""])[0][:50]
        self._receive = receive
        self._send = send
        self._gate = Gate()
        self._id = uuid.uuid4().hex
        self._pumps: dict[int, asyncio.Task[None]] = {}
        self._watches: dict[int, Watch] = {}
        self._asked: dict[uuid.UUID, int | str] = {}
        self._recent: deque[float] = deque()
        self._order = asyncio.Lock()
        self._reader: asyncio.Task[None] | None = None
        self._close_code: int | None = None
        self.identity: identity.Identity | None = None

    async def serve(self) -> None:
        """From handshake to close."""
        await self._receive()
        if not await self._admitted():
            return
        _open.add(self)
        self._reader = asyncio.create_task(self._read_forever())
        try:
            await self._reader
        except asyncio.CancelledError:
            if self._close_code is None:
                raise
            await self._send({"type": "websocket.close", "code": self._close_code})
        finally:
            _open.discard(self)
            for stream_id in list(self._pumps):
                self._unsubscribe(stream_id)
            if self.identity is not None:
                await socket_limit.release(self.identity.user.pk, self._id)

    def close(self, code: int) -> None:
        """Ends the connection with this code; the client may come back or not, as the code says."""
        if self._close_code is None and self._reader is not None:
            self._close_code = code
            self._reader.cancel()

    async def _admitted(self) -> bool:
        """Handshake: a browser needs an allowed Origin; its cookie is read once, here."""
        has_origin = identity.header(self._headers, b"origin") is not None
        if has_origin and not identity.origin_allowed(self._headers):
            await self._send({"type": "websocket.close"})
            return False
        if has_origin:
            self.identity = await in_db(identity.of_cookie, self._headers)
        language = translation.get_language_from_request(_LanguageRequest(self._headers))
        translation.activate(language)
        self._headers = []
        await self._send({"type": "websocket.accept"})
        self._gate = socket_gate(self._send)
        return self.identity is None or await self._within_limit()

    async def _within_limit(self) -> bool:
        assert self.identity is not None
        if await socket_limit.take(self.identity.user.pk, self._id):
            return True
        text = _("You have too many connections open. Close some tabs.")
        await self._write({"type": "ai:error", "error": text, "code": "too_many_sockets"})
        await self._send({"type": "websocket.close", "code": TOO_MANY_SOCKETS})
        self.identity = None
        return False

    async def _read_forever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(None if self.identity else AUTHENTICATE_WITHIN_S):
                    message = await self._receive()
            except TimeoutError:
                await self._send({"type": "websocket.close", "code": NOT_AUTHENTICATED})
                return
            if message["type"] == "websocket.disconnect":
                return
            if not await self._handle(message.get("text")):
                return

    async def _handle(self, text: str | None) -> bool:
        """One frame; False when the connection ended over it."""
        own_id = None
        try:
            self._require_pace()
            data = parse_json(text) if text is not None else None
            own_id = _own_id(data)
            frame = frames.frame_adapter.validate_python(data)
            if isinstance(frame, frames.Authenticate):
                return await self._authenticate(frame)
            if self.identity is None:
                await self._send({"type": "websocket.close", "code": NOT_AUTHENTICATED})
                return False
            async with self._order:
                await self._dispatch(frame)
        except ValidationError as error:
            await self._refuse(own_id, "validation", _readable(error))
        except BadJSON as error:
            await self._refuse(None, "validation", error.message)
        except NotFound:
            await self._refuse(own_id, "not_found", _("There is nothing here, or it is not open to you."))
        except Forbidden:
            await self._refuse(own_id, "forbidden", _("Your role in this workspace does not allow this."))
        except CursorBeyondEnd:
            await self._refuse(own_id, "cursor", _("The stream has not come so far. Read it from an earlier number."))
        except Refused as error:
            await self._refuse(own_id, error.code, error.message)
        except Problem as error:
            await self._refuse(own_id, error.code, error.detail)
        except Exception:
            log.exception("frame not handled")
            await self._refuse(own_id, "internal", _("Something went wrong on the server. It was logged; try again."))
        return True

    def _require_pace(self) -> None:
        rate = Rate.parse(settings.LIMIT_FRAMES)
        now = asyncio.get_running_loop().time()
        while self._recent and self._recent[0] <= now - rate.period:
            self._recent.popleft()
        if len(self._recent) >= rate.count:
            raise Refused("throttled", _("Too many frames at once. Send slower."))
        self._recent.append(now)

    async def _authenticate(self, frame: frames.Authenticate) -> bool:
        found = await in_db(identity.of_token, frame.token)
        if found is None or (self.identity is not None and found.user.pk != self.identity.user.pk):
            await self._send({"type": "websocket.close", "code": NOT_AUTHENTICATED})
            return False
        renewed = self.identity is not None
        self.identity = found
        if not renewed and not await self._within_limit():
            return False
        await self._write({"type": "ai:authenticated", "_id": frame.id})
        return True

    async def _dispatch(self, frame: Any) -> None:
        match frame:
            case frames.Chat():
                await self._chat(frame)
            case frames.Resume() | frames.Retry():
                await self._go_on(frame)
            case frames.Interrupt():
                await in_db(self._stop, frame.session_id)
                await self._write({"type": "ai:accepted", "_id": frame.id, "sessionId": frame.session_id})
            case frames.Subscribe():
                await self._subscribe_to(frame)
            case frames.Unsubscribe():
                stream = await in_db(self._readable, frame)
                self._unsubscribe(stream.id)

    async def _chat(self, frame: frames.Chat) -> None:
        if frame.id is None:
            raise Refused("validation", _("The frame needs an _id, so that the answer can name it."))
        accepted = await in_db(self._post, frame)
        await self._accept(frame, accepted)

    def _post(self, frame: frames.Chat) -> dict[str, Any]:
        assert self.identity is not None
        user = self.identity.user
        require("messages", str(user.pk), settings.LIMIT_MESSAGES)
        member = self._member(frame.session_id)
        context = actions.ObjectName(frame.context.type, frame.context.id) if frame.context else None
        body = frame.model_dump(mode="json", exclude={"id", "idempotency_key"})
        return once(
            user,
            frame.idempotency_key,
            body,
            lambda: actions.post_message(
                member,
                frame.message,
                session_id=frame.session_id or "",
                context=context,
                model=frame.model or "",
            ).to_json(),
        )

    async def _go_on(self, frame: frames.Resume | frames.Retry) -> None:
        accepted = await in_db(self._continue, frame)
        await self._accept(frame, accepted)

    def _continue(self, frame: frames.Resume | frames.Retry) -> dict[str, Any]:
        member = self._member(frame.session_id)
        if isinstance(frame, frames.Retry):
            return actions.retry(member, frame.session_id).to_json()
        if (frame.answer is None) == (frame.continue_ is None):
            raise Refused("validation", _("Say either “answer” or “continue”."))
        return actions.answer(member, frame.session_id, text=frame.answer, go_on=frame.continue_).to_json()

    def _stop(self, session_id: str) -> None:
        actions.stop(self._member(session_id), session_id)

    def _member(self, session_id: str | None) -> Member:
        """The person in the session's workspace, else in the socket's."""
        assert self.identity is not None
        if session_id:
            return queries.session_and_member(self.identity.user, session_id)[1]
        return member_of(self.identity.user, self._workspace or None)

    async def _accept(self, frame: frames.Frame, accepted: dict[str, Any]) -> None:
        """Answers, and makes sure that this socket sees everything about it."""
        if frame.id is not None:
            self._asked[uuid.UUID(accepted["runId"])] = frame.id
        shown = ("sessionId", "userMessageId", "messageId", "runId", "stream")
        answer = {name: accepted[name] for name in shown}
        await self._write({"type": "ai:accepted", "_id": frame.id, **answer, "streamId": accepted["stream"]})
        stream = await in_db(queries.stream_for, self._user(), accepted["stream"])
        if stream.id not in self._pumps:
            await self._subscribe(stream, accepted["after"])

    async def _subscribe_to(self, frame: frames.Subscribe) -> None:
        stream = await in_db(self._readable, frame)
        await self._subscribe(stream, frame.after)

    def _readable(self, frame: frames.Subscribe | frames.Unsubscribe) -> queries.ReadableStream:
        if (frame.session_id is None) == (frame.stream is None):
            raise Refused("validation", _("Name either “sessionId” or “stream”."))
        if frame.stream is not None:
            return queries.stream_for(self._user(), frame.stream)
        session, _member = queries.session_and_member(self._user(), frame.session_id or "")
        return queries.readable(session.stream)

    def _user(self) -> Any:
        assert self.identity is not None
        return self.identity.user

    async def _subscribe(self, stream: queries.ReadableStream, after: int) -> None:
        self._unsubscribe(stream.id)
        if len(self._pumps) >= MAX_SUBSCRIPTIONS:
            raise Refused("too_many", _("This connection reads too many streams. Unsubscribe from some."))
        watch = await runtime.current().hub.watch(stream.id, after)
        self._watches[stream.id] = watch
        self._pumps[stream.id] = asyncio.create_task(self._pump(watch, stream))

    def _unsubscribe(self, stream_id: int) -> None:
        pump, watch = self._pumps.pop(stream_id, None), self._watches.pop(stream_id, None)
        if pump is not None and watch is not None:
            pump.cancel()
            watch.close()

    async def _pump(self, watch: Watch, stream: queries.ReadableStream) -> None:
        """Every event after the cursor, in order, as fast as the reader takes them."""
        session_id = str(stream.session_id) if stream.session_id else None
        try:
            while True:
                for event in await watch.next():
                    await self._gate.passed()
                    async with self._order:
                        own_id = self._asked.get(event.run_id) if event.run_id else None
                        text = event_frame(event, stream.name, session_id, own_id)
                        await self._send({"type": "websocket.send", "text": text})
                    if event.run_id and event.type in {"done", "error"}:
                        self._asked.pop(event.run_id, None)
        except TooSlow:
            log.warning("socket of user %s cut off: 4408, it took nothing for a while", self._user().pk)
            self.close(TOO_SLOW)
        except Exception:
            log.exception("subscription broke")
            self.close(RESTARTING)

    async def _refuse(self, own_id: Any, code: str, text: str) -> None:
        await self._write({"type": "ai:error", "_id": own_id, "error": text, "code": code})

    async def _write(self, frame: dict[str, Any]) -> None:
        await self._send({"type": "websocket.send", "text": json.dumps(frame, ensure_ascii=False)})


class _LanguageRequest:
    """What Django needs of a request to find the reader's language."""

    def __init__(self, headers: identity.Headers) -> None:
        self.META = {"HTTP_ACCEPT_LANGUAGE": identity.header(headers, b"accept-language") or ""}
        self.COOKIES = {
            name.strip(): value
            for name, _, value in (
                part.partition("=") for part in (identity.header(headers, b"cookie") or "").split(";")
            )
        }


def _own_id(data: Any) -> int | str | None:
    own_id = data.get("_id") if isinstance(data, dict) else None
    return own_id if isinstance(own_id, int | str) and not isinstance(own_id, bool) else None


def _readable(error: ValidationError) -> str:
    found = errors_by_field(error)
    return "; ".join(f"{field}: {', '.join(sentences)}" for field, sentences in list(found.items())[:5])


async def _check_forever() -> None:
    """Closes the sockets of people who may not be here any more, in one look for all."""
    while True:
        await asyncio.sleep(CHECK_EVERY_S)
        present = [(each, each.identity) for each in list(_open) if each.identity is not None]
        try:
            valid = await in_db(identity.still_valid, [found for _, found in present])
        except Exception:
            log.warning("sockets not checked, trying again", exc_info=True)
            continue
        for (each, _identity), holds in zip(present, valid, strict=True):
            if not holds:
                each.close(ACCESS_ENDED)


async def chat_socket(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
    """The ASGI application of `/ws/chat/`."""
    global _checker
    if _checker is None or _checker.done():
        _checker = asyncio.create_task(_check_forever())
    await ChatSocket(scope, receive, send).serve()
