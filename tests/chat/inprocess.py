"""The doors in this process: a runtime in the test's own loop, Channels' communicators as clients, a scripted model.

A test gives `run` a coroutine function; inside, everything is as in a web process but for Daphne.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

from channels.testing import ApplicationCommunicator, WebsocketCommunicator
from django.contrib.auth.models import User

from chat.engine.runtime import Runtime
from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Piece, TextDelta, TurnEnd, Usage, UsageReport
from chat.providers.provider import ProviderConfig
from config.asgi import application
from graphs.site.api import tokens
from tests.chat.starting import start

HOST = b"testserver"
#: How long a test waits for what has to come.
PATIENCE_S = 60


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def with_runtime() -> None:
        runtime = Runtime(lambda: None)
        await start(runtime)
        try:
            await test()
        finally:
            await runtime.close(drain_s=0)

    asyncio.run(with_runtime())


class Model:
    """A model that says what a test lets it: `say` gives it pieces, `end` ends its turn, an exception breaks it."""

    def __init__(self, config: ProviderConfig) -> None:
        self.config = config
        self.requests: list[ModelRequest] = []
        self._pieces: asyncio.Queue[Piece | Exception] = asyncio.Queue()

    def say(self, *pieces: Piece | Exception | str) -> None:
        for piece in pieces:
            self._pieces.put_nowait(TextDelta(piece) if isinstance(piece, str) else piece)

    def end(self) -> None:
        self.say(UsageReport(Usage(1, 1)), TurnEnd("stop"))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        self.requests.append(request)
        while True:
            piece = await self._pieces.get()
            if isinstance(piece, Exception):
                raise piece
            yield piece
            if isinstance(piece, TurnEnd):
                return

    async def close(self) -> None:
        """There is nothing to give back."""


class Socket:
    """The client's end of one chat socket."""

    def __init__(self, communicator: WebsocketCommunicator) -> None:
        self.accepted: bool | None = None
        self.close_code: int | None = None
        self.received: list[dict[str, Any]] = []
        self._to_server = communicator.input_queue
        self._news = asyncio.Event()

    def take(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.accept":
            self.accepted = True
        elif message["type"] == "websocket.close":
            self.accepted = bool(self.accepted)
            self.close_code = message.get("code")
        else:
            self.received.append(json.loads(message["text"]))
        self._news.set()

    def send(self, type_: str, **values: Any) -> None:
        self.send_text(json.dumps({"type": type_, **values}))

    def send_text(self, text: str) -> None:
        self._to_server.put_nowait({"type": "websocket.receive", "text": text})

    def send_bytes(self, data: bytes) -> None:
        self._to_server.put_nowait({"type": "websocket.receive", "bytes": data})

    async def until(self, condition: Callable[["Socket"], Any]) -> Any:
        """What the condition finds, as soon as it finds something."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                self._news.clear()
                if found := condition(self):
                    return found
                await self._news.wait()

    async def frame(self, type_: str, **values: Any) -> dict[str, Any]:
        """The first frame of this type with these values."""
        return await self.until(
            lambda socket: next(
                (
                    each
                    for each in socket.received
                    if each["type"] == type_ and all(each.get(name) == value for name, value in values.items())
                ),
                None,
            )
        )

    async def closed(self) -> int | None:
        await self.until(lambda socket: socket.accepted is False or socket.close_code is not None)
        return self.close_code

    def events(self, stream: str) -> list[dict[str, Any]]:
        return [each for each in self.received if each.get("stream") == stream and "sequence" in each]

    def text(self) -> str:
        return "".join(each["token"] for each in self.received if each["type"] == "ai:token")


@asynccontextmanager
async def opened(
    headers: Mapping[str, str] | None = None, query: str = "", path: str = "/ws/chat/"
) -> AsyncIterator[Socket]:
    """A socket after its handshake, which may have been refused."""
    given = {"host": HOST.decode(), **(headers or {})}
    pairs = [(name.lower().encode(), value.encode("latin1")) for name, value in given.items()]
    communicator = WebsocketCommunicator(application, f"{quote(path)}?{query}", pairs)
    communicator.scope["path"] = path  # whole: it takes what follows two slashes for a host
    communicator.scope["client"] = ("127.0.0.1", 5)
    socket = Socket(communicator)
    async with _called(communicator, socket.take, leave={"type": "websocket.disconnect", "code": 1000}):
        await communicator.send_input({"type": "websocket.connect"})
        await socket.until(lambda each: each.accepted is not None)
        yield socket


@asynccontextmanager
async def _called(
    communicator: ApplicationCommunicator, take: Callable[[dict[str, Any]], None], leave: dict[str, Any]
) -> AsyncIterator[None]:
    """Gives `take` all that the application sends until it has ended, which it has to when the client leaves."""

    async def take_all() -> None:
        while True:
            take(await communicator.output_queue.get())

    taking = asyncio.create_task(take_all())
    try:
        yield
    finally:
        await communicator.send_input(leave)
        async with asyncio.timeout(PATIENCE_S):
            await communicator.future
        taking.cancel()
        while not communicator.output_queue.empty():
            take(communicator.output_queue.get_nowait())


@asynccontextmanager
async def signed_in(user: User, query: str = "") -> AsyncIterator[Socket]:
    """A socket of this person, with a token."""
    token = (await asyncio.to_thread(tokens.issue, user)).access
    async with opened(query=query) as socket:
        socket.send("ai:authenticate", token=token)
        await socket.frame("ai:authenticated")
        yield socket


@asynccontextmanager
async def at_graph(user: User, key: str = "nba", query: str = "") -> AsyncIterator[Socket]:
    """A socket of this person at a graph, after `graph:authenticated`."""
    token = (await asyncio.to_thread(tokens.issue, user)).access
    async with opened(query=query, path=f"/ws/graphs/{key}/") as socket:
        socket.send("graph:authenticate", token=token)
        await socket.frame("graph:authenticated")
        yield socket


class Answer:
    """What an HTTP request got."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.complete = False
        self._news = asyncio.Event()

    def take(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
            self.complete = not message.get("more_body")
        self._news.set()

    def json(self) -> Any:
        return json.loads(self.body)

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """(cursor, event) of server-sent events."""
        found = []
        for block in self.body.decode().split("\n\n")[:-1]:
            lines = dict(line.split(": ", 1) for line in block.split("\n"))
            if "id" in lines:
                found.append((lines["id"], json.loads(lines["data"])))
        return found

    async def until(self, condition: Callable[["Answer"], Any]) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                self._news.clear()
                if found := condition(self):
                    return found
                await self._news.wait()


@asynccontextmanager
async def asked(
    method: str,
    path: str,
    user: User | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    more_headers: Sequence[tuple[bytes, bytes]] = (),
) -> AsyncIterator[Answer]:
    """An HTTP request under way; the client leaves at the end. A name may be there again in `more_headers`."""
    path, _mark, query = path.partition("?")
    given = {"host": HOST.decode(), **(headers or {})}
    if user is not None:
        given["authorization"] = f"Bearer {(await asyncio.to_thread(tokens.issue, user)).access}"
    data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    if body is not None:
        given = {"content-type": "application/json", "content-length": str(len(data)), **given}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "query_string": query.encode(),
        "headers": [
            *((name.lower().encode(), value.encode("latin1")) for name, value in given.items()),
            *more_headers,
        ],
        "client": ("127.0.0.1", 5),
        "server": ("testserver", 80),
    }
    communicator = ApplicationCommunicator(application, scope)
    answer = Answer()
    async with _called(communicator, answer.take, leave={"type": "http.disconnect"}):
        await communicator.send_input({"type": "http.request", "body": data, "more_body": False})
        yield answer


async def request(method: str, path: str, user: User | None = None, body: Any = None, **headers: str) -> Answer:
    """The whole answer to an HTTP request."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with asked(method, path, user, body, named) as answer:
        await answer.until(lambda each: each.complete)
        return answer
