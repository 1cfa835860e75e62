"""`wait: true` of the API: an ASGI application around Django that waits for the run, without thread or connection."""

import asyncio
import json
import logging
import re
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from chat.access import identity, open_readers
from chat.access.checks import End, Reader, batched_checks
from chat.access.identity import Identity
from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.queries.answers import run_result
from chat.queries.streams import ReadableStream
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.api")

WAIT_S = 120
MAX_WAITING = 64
#: Of these one person has at most so many; others of theirs are answered 202 at once.
MAX_WAITING_OF_ONE = 8
#: More than any message takes; longer bodies are only for Django to refuse.
MAX_BODY_BYTES = 1_048_576
_PATHS = re.compile(
    r"/api/v1/(chat/(messages(/[^/]+/deepen)?|sessions/[^/]+/(resume|retry))|proposals/[^/]+/(decide|propose-again)"
    r"|prompts/[^/]+/versions/[^/]+/try)"
)

Receive = Callable[[], Awaitable[dict[str, Any]]]


_open: set[asyncio.Task[Any]] = set()
#: How many requests of each person wait.
_of_person: Counter[int] = Counter()


def close_all() -> None:
    """Lets nobody wait longer, because this process ends: they get the 202 and read on by the stream."""
    for task in list(_open):
        task.cancel()


class WaitForRun:
    """Wraps the application that answers 202 with a `runId`."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._waiting = 0

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Any) -> None:
        if scope["method"] != "POST" or not _PATHS.fullmatch(scope["path"]):
            await self._application(scope, receive, send)
            return
        received = await _received(receive)
        body = b"".join(message.get("body", b"") for message in received)
        if b'"wait"' not in body or len(body) > MAX_BODY_BYTES or self._waiting >= MAX_WAITING:
            await self._application(scope, _replay(received, receive), send)
            return
        self._waiting += 1
        try:
            answer = _Recorded()
            await self._application(scope, _replay(received, receive), answer)
            if answer.status in {200, 202} and json.loads(body).get("wait") is True:
                await _wait_if_possible(answer, scope)
            for message in answer.messages:
                await send(message)
        finally:
            self._waiting -= 1


async def _wait_if_possible(answer: "_Recorded", scope: dict[str, Any]) -> None:
    """Waits for the run. Whatever fails meanwhile, the 202 stands: the answer comes by the stream."""
    try:
        person = await identity.of_request(scope["headers"], scope["path"])
        if person is None or _of_person[person.user.pk] >= MAX_WAITING_OF_ONE:
            return
        _of_person[person.user.pk] += 1
        try:
            await _wait(answer, person)
        finally:
            _of_person[person.user.pk] -= 1
            if not _of_person[person.user.pk]:
                del _of_person[person.user.pk]
    except AWAY as error:
        log.warning("a request waits no longer, the database is away: %s", type(error).__name__)
    except runtime.NotServing:
        log.info("a request waits no longer, the process ends")
    except Exception:  # Any: the 202 is still true.
        log.exception("a request waits no longer")


class _Waiter:
    """A request that waits, whose access is checked like that of everyone who reads. It is not counted."""

    slot = None

    def __init__(self, person: Identity, stream: ReadableStream, resting: "asyncio.Task[Any]") -> None:
        self._person = person
        self._stream = stream
        self._resting = resting

    def reader(self) -> Reader:
        return Reader(self._person, {self._stream.workspace_id}, {self._stream.id})

    def end_access(self, _why: End) -> None:
        self._resting.cancel()

    def lose_streams(self, _stream_ids: Collection[int]) -> None:
        self._resting.cancel()


async def _wait(answer: "_Recorded", person: Identity) -> None:
    """Turns the answer into how the run ended, unless that takes too long or the person may not read any more."""
    accepted = answer.json()
    if "runId" not in accepted:
        return
    granted = (await batched_checks.answer(Reader(person, wishes=[accepted["streamId"]]))).granted
    if not granted:
        return
    run_id = uuid.UUID(accepted["runId"])
    resting = asyncio.create_task(_result(run_id, granted[0]))
    waiter = _Waiter(person, granted[0], resting)
    _open.add(resting)
    open_readers.add(waiter)
    try:
        await asyncio.wait([resting], timeout=WAIT_S)
        if resting.cancelled() or not resting.done():
            return
    finally:
        open_readers.remove(waiter)
        _open.discard(resting)
        resting.cancel()
    access = await batched_checks.answer(waiter.reader())
    if not access.end and not access.lost:
        answer.replace(200, {**accepted, **resting.result()})


async def _result(run_id: uuid.UUID, stream: ReadableStream) -> dict[str, Any]:
    """How the run ended, once it has."""
    last = stream.last_sequence
    watch = await runtime.current().hub.watch(stream.id, last, present=False, last=last)
    try:
        while (result := await in_db(run_result, run_id)) is None:
            while not any(event.run_id == run_id and event.type in {"done", "error"} for event in await watch.next()):
                pass
        return result
    finally:
        watch.close()


async def _received(receive: Receive) -> list[dict[str, Any]]:
    """What came of the request so far: all of it, or a little more than is of interest here."""
    messages: list[dict[str, Any]] = []
    size = 0
    while size <= MAX_BODY_BYTES:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
        if not messages[-1].get("more_body"):
            break
    return messages


def _replay(received: list[dict[str, Any]], receive: Receive) -> Receive:
    """Gives again what was received already, then goes on with what comes."""
    again = iter(received)

    async def replay() -> dict[str, Any]:
        message = next(again, None)
        return await receive() if message is None else message

    return replay


class _Recorded:
    """Takes a whole answer instead of sending it."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    async def __call__(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"]) if self.messages else 500

    def json(self) -> dict[str, Any]:
        return dict(json.loads(b"".join(message.get("body", b"") for message in self.messages[1:])))

    def replace(self, status: int, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        start = self.messages[0]
        headers = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
        headers.append((b"Content-Length", str(len(body)).encode()))
        self.messages = [
            {**start, "status": status, "headers": headers},
            {"type": "http.response.body", "body": body},
        ]
