"""`GET /api/v1/streams/sse`, up to eight streams: before Django, where each would hold a thread."""

import asyncio
import logging
import re
import uuid
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

from django.utils import translation
from django.utils.translation import gettext as _

from chat.access import connections, identity, open_readers
from chat.access.checks import Reader, batched_checks
from chat.access.connections import Slot
from chat.access.identity import Identity
from chat.engine import runtime
from chat.events.hub import CursorBeyondEnd
from chat.events.watching import Watch
from chat.queries.streams import ReadableStream
from chat.sockets.strangers import address_of
from chat.web.problem_answer import answer_problem, protecting
from chat.web.sse_response import Response
from graphs.site import refusal_events
from graphs.site.api import problems
from graphs.site.api.problems import Problem
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.sse")

MAX_STREAMS = 8
_CURSOR = re.compile(r"[0-9]{1,18}-[0-9]{1,18}(\.[0-9]{1,18}-[0-9]{1,18}){0,7}")

_open: set[asyncio.Task[None]] = set()


def close_all() -> None:
    """Ends every response of this process; clients come back to another one."""
    for task in list(_open):
        task.cancel()


async def sse(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
    """Serves one response; an ASGI application."""
    translation.activate(identity.language_of(scope["headers"]))
    watches: list[Watch] = []
    slot: Slot | None = None
    person: Identity | None = None
    try:
        person, streams, cursors = await _wish(scope)
        slot = Slot(person.user.pk, uuid.uuid4().hex)
        if not await asyncio.to_thread(connections.take, slot):
            raise Problem(429, "too_many", _("You have too many connections open. Close some tabs."))
        for stream in streams:
            watches.append(
                await runtime.current().hub.watch(stream.id, cursors[stream.id], present=not stream.reads_only)
            )
        response = Response(send, person, streams, cursors, slot, protecting(scope["headers"]))
        open_readers.add(response)
        try:
            await response.begin()
            await _serve_until_left(asyncio.create_task(response.stream_forever(watches)), receive)
        finally:
            open_readers.remove(response)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except CursorBeyondEnd:
        await answer_problem(_bad_cursor(), scope["headers"], send)
    except Problem as problem:
        address = address_of((scope.get("client") or [""])[0], scope["headers"])
        user_id = person.user.pk if person else None
        refusal_events.tell(user_id, address, "GET api/v1/streams/sse", problem.code, problem.status)
        await answer_problem(problem, scope["headers"], send)
    except (*AWAY, runtime.NotServing):
        await answer_problem(problems.unavailable(), scope["headers"], send)
    finally:
        for watch in watches:
            watch.close()
        if slot is not None:
            await asyncio.to_thread(connections.release, slot)


async def _serve_until_left(task: asyncio.Task[None], receive: Callable[[], Awaitable[Any]]) -> None:
    _open.add(task)
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait([task, leaving], return_when=asyncio.FIRST_COMPLETED)
    finally:
        _open.discard(task)
        task.cancel()
        leaving.cancel()
        (broken, _gone) = await asyncio.gather(task, leaving, return_exceptions=True)
    if isinstance(broken, Exception):
        log.error("server-sent events broke", exc_info=broken)


async def _left(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _wish(scope: dict[str, Any]) -> tuple[identity.Identity, list[ReadableStream], dict[int, int]]:
    """Person, streams, and the number to read each from. Raises `Problem` for what cannot be given."""
    if scope["method"] != "GET":
        raise Problem(405, "method_not_allowed", _("Only GET is possible here."), headers={"Allow": "GET"})
    person = await identity.of_request(scope["headers"], scope["path"])
    if person is None:
        raise Problem(401, "not_authenticated", _("Sign in first."), headers={"WWW-Authenticate": 'Bearer realm="api"'})
    query = parse_qs(scope.get("query_string", b"").decode("latin1"), keep_blank_values=True)
    names = list(dict.fromkeys(name for text in query.get("streams", []) for name in text.split(",") if name))
    if not 1 <= len(names) <= MAX_STREAMS:
        raise problems.invalid("streams", _("“streams” names one to eight streams, separated by commas."))
    granted = {stream.name: stream for stream in (await batched_checks.answer(Reader(person, wishes=names))).granted}
    if len(granted) < len(names):
        raise problems.not_found()
    streams = [granted[name] for name in names]
    cursor = identity.header(scope["headers"], b"last-event-id") or query.get("cursor", [""])[0]
    return person, streams, _positions(cursor, streams)


def _positions(cursor: str, streams: list[ReadableStream]) -> dict[int, int]:
    """The number to read each stream from; a cursor of other streams or from the future is refused in full."""
    if not cursor:
        return {stream.id: 0 for stream in streams}
    if not _CURSOR.fullmatch(cursor):
        raise _bad_cursor()
    pairs = [part.split("-") for part in cursor.split(".")]
    if sorted(int(stream_id) for stream_id, _sequence in pairs) != sorted(stream.id for stream in streams):
        raise _bad_cursor()
    positions = {int(stream_id): int(sequence) for stream_id, sequence in pairs}
    if any(positions[stream.id] > stream.last_sequence for stream in streams):
        raise _bad_cursor()
    return positions


def _bad_cursor() -> Problem:
    sentence = _("The cursor is not one of these streams. Read them again without it.")
    return Problem(400, "cursor", sentence, errors={"cursor": [sentence]})
