"""`wait: true` of the API: an ASGI application around Django that waits for the run, without thread or connection."""

import asyncio
import json
import logging
import re
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from chat.access import begun, identity, open_readers
from chat.access.begun import Begun
from chat.access.checks import End, Reader, batched_checks, check_and_read_answer
from chat.access.identity import Identity
from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.events.watching import Watch
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
            answer, told = _Recorded(), begun.listen()
            await self._application(scope, _replay(received, receive), answer)
            if answer.status in {200, 202} and json.loads(body).get("wait") is True:
                await _wait_if_possible(answer, scope, told[0] if told else None)
            for message in answer.messages:
                await send(message)
        finally:
            self._waiting -= 1


async def _wait_if_possible(answer: "_Recorded", scope: dict[str, Any], told: Begun | None) -> None:
    """Waits for the run. Whatever fails meanwhile, the 202 stands: the answer comes by the stream.

    What is `told` of a run that was stored this moment is not asked for again.
    """
    try:
        person = told.person if told else await identity.of_request(scope["headers"], scope["path"])
        if person is None or _of_person[person.user.pk] >= MAX_WAITING_OF_ONE:
            return
        _of_person[person.user.pk] += 1
        try:
            await _wait(answer, person, told.stream if told else None)
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

    def __init__(self, reader: Reader, resting: "asyncio.Task[Any]") -> None:
        self._reader = reader
        self._resting = resting

    def reader(self) -> Reader:
        return self._reader

    def end_access(self, _why: End) -> None:
        self._resting.cancel()

    def lose_streams(self, _stream_ids: Collection[int]) -> None:
        self._resting.cancel()


async def _wait(answer: "_Recorded", person: Identity, begun_in: ReadableStream | None) -> None:
    """Turns the answer into how the run ended, unless that takes too long or the person may not read any more.

    Without the stream that the run has just `begun_in` it may have ended.
    """
    accepted = answer.json()
    if "runId" not in accepted:
        return
    stream = begun_in or await _readable(person, accepted["streamId"])
    if stream is None:
        return
    run_id = uuid.UUID(accepted["runId"])
    reader = Reader(person, {stream.workspace_id}, {stream.id})
    resting = asyncio.create_task(_result(run_id, reader, stream, begins=begun_in is not None))
    waiter = _Waiter(reader, resting)
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
    if result := resting.result():
        answer.replace(200, {**accepted, **result})


async def _readable(person: Identity, name: str) -> ReadableStream | None:
    """The stream of that name if the person may read it."""
    access = await batched_checks.answer(Reader(person, wishes=[name]))
    return access.granted[0] if access.granted else None


async def _result(run_id: uuid.UUID, reader: Reader, stream: ReadableStream, *, begins: bool) -> dict[str, Any] | None:
    """How the run ended, once it has; None if the reader may not read that any more.

    Of one that `begins` the end comes behind the last number of the stream.
    """
    last = stream.last_sequence
    watch = await runtime.current().hub.watch(stream.id, last, present=False, last=last)
    try:
        if begins:
            await _end_told(watch, run_id)
        while True:
            access, result = await in_db(check_and_read_answer, reader, run_id)
            if result is not None or access.end or access.lost:
                return result
            await _end_told(watch, run_id)
    finally:
        watch.close()


async def _end_told(watch: Watch, run_id: uuid.UUID) -> None:
    """Reads on until the stream tells that the run ended."""
    while not any(event.run_id == run_id and event.type in {"done", "error"} for event in await watch.next()):
        pass


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
