"""`wait: true` of the API, as an ASGI application around Django: posts without it, then waits for the run to end.

While it waits it holds no thread and no database connection.
"""

import asyncio
import json
import re
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from chat import queries, runtime
from chat.database import in_db
from graphs.json_input import BadJSON, parse_json

WAIT_S = 120
MAX_WAITING = 64
#: More than a message may hold; longer bodies are Django's to refuse.
MAX_BODY_BYTES = 1_048_576
_PATHS = re.compile(r"/api/v1/chat/(messages|sessions/[^/]+/(resume|retry))")

Receive = Callable[[], Awaitable[dict[str, Any]]]


class WaitForRun:
    """Wraps the application that answers 202 with a `runId`."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._waiting = 0

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Any) -> None:
        if scope["method"] != "POST" or not _PATHS.fullmatch(scope["path"]):
            await self._application(scope, receive, send)
            return
        body, disconnected = await _body(receive)
        if disconnected:
            return
        shortened = _without_wait(body)
        if shortened is None or self._waiting >= MAX_WAITING:
            await self._application(scope, _replay(shortened or body, receive), send)
            return
        self._waiting += 1
        try:
            await self._answer_late(_with_length(scope, shortened), shortened, receive, send)
        finally:
            self._waiting -= 1

    async def _answer_late(self, scope: dict[str, Any], body: bytes, receive: Receive, send: Any) -> None:
        answer = _Recorded()
        await self._application(scope, _replay(body, receive), answer)
        accepted = answer.json() if answer.status == 202 else None
        if accepted is not None:
            result = await _result(accepted)
            if result is not None:
                answer.replace(200, {**accepted, **result})
        for message in answer.messages:
            await send(message)


async def _result(accepted: dict[str, Any]) -> dict[str, Any] | None:
    """How the run ended; None when it takes longer than anyone waits."""
    run_id = uuid.UUID(accepted["runId"])
    try:
        async with asyncio.timeout(WAIT_S):
            await _rested(run_id, accepted["streamId"])
    except TimeoutError:
        return None
    return await in_db(queries.run_result, run_id)


async def _rested(run_id: uuid.UUID, stream_name: str) -> None:
    stream_id, last = await in_db(queries.stream_position, stream_name)
    watch = await runtime.current().hub.watch(stream_id, last)
    try:
        while await in_db(queries.run_result, run_id) is None:
            while not any(event.run_id == run_id and event.type in {"done", "error"} for event in await watch.next()):
                pass
    finally:
        watch.close()


async def _body(receive: Receive) -> tuple[bytes, bool]:
    chunks: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"", True
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(chunks), False


def _without_wait(body: bytes) -> bytes | None:
    """The body without `wait: true`; None when it does not ask to wait (or is for Django to refuse)."""
    if len(body) > MAX_BODY_BYTES or b'"wait"' not in body:
        return None
    try:
        data = parse_json(body)
    except BadJSON:
        return None
    if not isinstance(data, dict) or data.get("wait") is not True:
        return None
    del data["wait"]
    return json.dumps(data).encode()


def _with_length(scope: dict[str, Any], body: bytes) -> dict[str, Any]:
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    return {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}


def _replay(body: bytes, receive: Receive) -> Receive:
    """Gives the body that was read already, then goes on with what comes."""
    given = False

    async def replay() -> dict[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

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
