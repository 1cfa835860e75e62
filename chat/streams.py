"""`GET /api/v1/streams/sse`: up to eight streams as server-sent events, on the same reads as everything else.

An ASGI application of its own, routed before Django: through Django each open stream would hold a thread.
"""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from django.utils.translation import gettext as _

from chat import identity, queries, runtime
from chat.backpressure import Gate, TooSlow, response_gate
from chat.database import in_db
from chat.events.hub import CursorBeyondEnd, Watch
from chat.events.vocabulary import StoredEvent, event_json
from graphs.access import NotFound
from graphs.api import problems
from graphs.api.problems import MEDIA_TYPE, Problem

log = logging.getLogger("countersign.sse")

MAX_STREAMS = 8
PING_EVERY_S = 15.0
CHECK_EVERY_S = 5.0
_CURSOR = re.compile(r"\d{1,18}-\d{1,18}(\.\d{1,18}-\d{1,18}){0,7}")

_open: set[asyncio.Task[Any]] = set()


def close_all() -> None:
    """Ends every response of this process; clients come back to another one."""
    for task in list(_open):
        task.cancel()


async def sse(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
    """The ASGI application."""
    try:
        person, streams, cursors = await in_db(_prepared, scope)
    except Problem as problem:
        await _answer_problem(problem, send)
        return
    watches: list[Watch] = []
    try:
        for stream in streams:
            watches.append(await runtime.current().hub.watch(stream.id, cursors[stream.id]))
    except CursorBeyondEnd:
        _close(watches)
        await _answer_problem(_bad_cursor(), send)
        return
    response = _Response(send, streams, cursors, watches, person)
    task = asyncio.create_task(response.stream_forever())
    _open.add(task)
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait([task, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        _open.discard(task)
        _close(watches)
        for each in (task, leaving):
            each.cancel()
        await asyncio.gather(task, leaving, return_exceptions=True)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _left(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _close(watches: list[Watch]) -> None:
    for watch in watches:
        watch.close()


def _prepared(scope: dict[str, Any]) -> tuple[identity.Identity, list[queries.ReadableStream], dict[int, int]]:
    """Who asks, for which streams, from where. Raises `Problem`."""
    headers = scope["headers"]
    if scope["method"] != "GET":
        raise Problem(405, "method_not_allowed", _("Only GET is possible here."), headers={"Allow": "GET"})
    person = identity.of_bearer(headers)
    if person is None and identity.header(headers, b"authorization") is None:
        person = identity.of_cookie(headers)
    if person is None:
        raise Problem(401, "not_authenticated", _("Sign in first."), headers={"WWW-Authenticate": 'Bearer realm="api"'})
    query = parse_qs(scope.get("query_string", b"").decode("latin1"), keep_blank_values=True)
    names = list(dict.fromkeys(name for text in query.get("streams", []) for name in text.split(",") if name))
    if not 1 <= len(names) <= MAX_STREAMS:
        sentence = _("“streams” names one to eight streams, separated by commas.")
        raise Problem(400, "validation", sentence, errors={"streams": [sentence]})
    try:
        streams = [queries.stream_for(person.user, name) for name in names]
    except NotFound:
        raise problems.not_found() from None
    cursor = identity.header(headers, b"last-event-id") or query.get("cursor", [""])[0]
    return person, streams, _positions(cursor, streams)


def _positions(cursor: str, streams: list[queries.ReadableStream]) -> dict[int, int]:
    """The number to read each stream from; a cursor of other streams is refused in full."""
    if not cursor:
        return {stream.id: 0 for stream in streams}
    if not _CURSOR.fullmatch(cursor):
        raise _bad_cursor()
    positions = dict(tuple(map(int, part.split("-"))) for part in cursor.split("."))  # type: ignore[misc]
    if set(positions) != {stream.id for stream in streams}:
        raise _bad_cursor()
    if any(positions[stream.id] > stream.last_sequence for stream in streams):
        raise _bad_cursor()
    return positions


def _bad_cursor() -> Problem:
    return Problem(400, "cursor", _("The cursor is not one of these streams. Read them again without it."))


async def _answer_problem(problem: Problem, send: Any) -> None:
    body = json.dumps(problem.document()).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Response:
    """One open response over all its streams."""

    def __init__(
        self,
        send: Any,
        streams: list[queries.ReadableStream],
        cursors: dict[int, int],
        watches: list[Watch],
        person: identity.Identity,
    ) -> None:
        self._send = send
        self._names = {stream.id: stream.name for stream in streams}
        self._cursors = dict(cursors)
        self._watches = watches
        self._person = person
        self._gate = Gate()
        self._one_at_a_time = asyncio.Lock()

    async def stream_forever(self) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"cache-control", b"no-cache"),
            (b"x-accel-buffering", b"no"),
            (b"x-content-type-options", b"nosniff"),
        ]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        self._gate = response_gate(self._send)
        await self._write(": hello\nretry: 1000\n\n")
        try:
            async with asyncio.TaskGroup() as group:
                for watch in self._watches:
                    group.create_task(self._pump(watch))
                group.create_task(self._ping_forever())
                group.create_task(self._check_forever())
        except* TooSlow:
            log.warning("reader of user %s cut off, it took nothing for a while", self._person.user.pk)
        except* NotFound:
            log.info("reader of user %s lost access", self._person.user.pk)

    async def _pump(self, watch: Watch) -> None:
        while True:
            for event in await watch.next():
                await self._gate.passed()
                async with self._one_at_a_time:
                    await self._event(event)

    async def _event(self, event: StoredEvent) -> None:
        self._cursors[event.stream_id] = event.sequence
        cursor = ".".join(f"{stream}-{number}" for stream, number in self._cursors.items())
        body = json.dumps(event_json(event, self._names[event.stream_id]), ensure_ascii=False, separators=(",", ":"))
        await self._write(f"id: {cursor}\ndata: {body}\n\n")

    async def _ping_forever(self) -> None:
        while True:
            await asyncio.sleep(PING_EVERY_S)
            await self._write(": ping\n\n")

    async def _check_forever(self) -> None:
        """Ends the response when its reader may not read any more."""
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            await in_db(self._require_access)

    def _require_access(self) -> None:
        if not identity.still_valid([self._person])[0]:
            raise NotFound
        for name in self._names.values():
            queries.stream_for(self._person.user, name)

    async def _write(self, text: str) -> None:
        await self._send({"type": "http.response.body", "body": text.encode(), "more_body": True})
