"""Clients that read from a real web process, many at once: chat sockets, server-sent events, requests that wait."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.cast import signed_in
from tests.web_process import WebProcess

#: How long anything may take that has to come, on a loaded machine.
PATIENCE_S = 60


@dataclass(frozen=True)
class Proof:
    """What a client shows: a browser's cookies with its page's Origin, or a token."""

    token: str = ""
    session: str = ""
    csrf: str = ""

    def headers(self, web: WebProcess) -> dict[str, str]:
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        cookies = f"sessionid={self.session}; csrftoken={self.csrf}"
        return {"Cookie": cookies, "Origin": web.url, "X-CSRFToken": self.csrf}


def cookie_proof(user: Any) -> Proof:
    """A new session of this person's browser."""
    return Proof(session=signed_in(user).cookies["sessionid"].value, csrf="c" * 32)


class SocketReader:
    """A chat socket; `events` are the numbered frames in order of arrival, `others` the rest."""

    def __init__(self, web: WebProcess, proof: Proof) -> None:
        self.web = web
        self.proof = proof
        self.events: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        self.close_code: int | None = None
        self.closed_at = 0.0
        self.news = asyncio.Event()
        self._connection: ClientConnection | None = None
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> "SocketReader":
        """Connects and shows the proof."""
        given = {} if self.proof.token else {"Cookie": self.proof.headers(self.web)["Cookie"]}
        origin: Any = None if self.proof.token else self.web.url
        self._connection = await connect(
            self.web.chat_url,
            origin=origin,
            additional_headers=given,
            compression=None,
            max_size=None,
            open_timeout=PATIENCE_S,
        )
        if self.proof.token:
            await self.send("ai:authenticate", token=self.proof.token)
        self._reading = asyncio.create_task(self._read(self._connection))
        return self

    async def send(self, type_: str, **values: Any) -> None:
        assert self._connection is not None
        with contextlib.suppress(ConnectionClosed):
            await self._connection.send(json.dumps({"type": type_, **values}))

    async def _read(self, connection: ClientConnection) -> None:
        try:
            async for text in connection:
                frame = json.loads(text)
                (self.events if "sequence" in frame else self.others).append(frame)
                self.news.set()
        except ConnectionClosed:
            pass
        finally:
            self.close_code, self.closed_at = connection.close_code, time.monotonic()
            self.news.set()

    @property
    def is_closed(self) -> bool:
        return self._reading is not None and self._reading.done()

    @property
    def last(self) -> int:
        return self.events[-1]["sequence"] if self.events else 0

    async def until(self, condition: Callable[["SocketReader"], Any], timeout: float = PATIENCE_S) -> Any:
        async with asyncio.timeout(timeout):
            while not (found := condition(self)):
                self.news.clear()
                await self.news.wait()
            return found

    async def answer(self, type_: str, timeout: float = PATIENCE_S) -> dict[str, Any]:
        """The first frame of this type without a number."""
        return await self.until(lambda one: next((each for each in one.others if each["type"] == type_), None), timeout)

    async def gone(self, timeout: float = PATIENCE_S) -> int | None:
        await self.until(lambda one: one.is_closed, timeout)
        return self.close_code

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
        if self._reading is not None:
            await asyncio.wait([self._reading])


class HttpReader:
    """A request over HTTP/1.0, whose answer is whatever comes until the server closes; `body` grows meanwhile."""

    def __init__(self, web: WebProcess, proof: Proof, method: str, path: str, body: Any = None) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.0", f"Host: 127.0.0.1:{web.port}", "Content-Type: application/json"]
        lines += [f"Content-Length: {len(content)}"]
        lines += [f"{name}: {value}" for name, value in proof.headers(web).items()]
        self._request = "\r\n".join(lines).encode() + b"\r\n\r\n" + content
        self._web = web
        self.received = b""
        self.ended_at = 0.0
        self.news = asyncio.Event()

    async def open(self) -> "HttpReader":
        reader, self._writer = await asyncio.open_connection("127.0.0.1", self._web.port)
        self._writer.write(self._request)
        self._reading = asyncio.create_task(self._read(reader))
        return self

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                self.received += data
                self.news.set()
        self.ended_at = time.monotonic()
        self.news.set()

    @property
    def status(self) -> int:
        return int(self.received.split(b" ", 2)[1]) if self.received else 0

    @property
    def body(self) -> bytes:
        return self.received.partition(b"\r\n\r\n")[2]

    @property
    def is_closed(self) -> bool:
        return self._reading.done()

    def events(self) -> list[dict[str, Any]]:
        """Server-sent events that came so far."""
        blocks = self.body.decode(errors="ignore").split("\n\n")[:-1]
        data = [line for block in blocks for line in block.split("\n") if line.startswith("data: ")]
        return [json.loads(line.removeprefix("data: ")) for line in data]

    async def until(self, condition: Callable[["HttpReader"], Any], timeout: float = PATIENCE_S) -> Any:
        async with asyncio.timeout(timeout):
            while not (found := condition(self)):
                self.news.clear()
                await self.news.wait()
            return found

    async def close(self) -> None:
        self._writer.close()
        await asyncio.wait([self._reading])


def sse(web: WebProcess, proof: Proof, stream: str) -> HttpReader:
    return HttpReader(web, proof, "GET", f"/api/v1/streams/sse?streams={stream}")


def waiting(web: WebProcess, proof: Proof, message: str) -> HttpReader:
    body = {"message": message, "context": {"type": "graph", "id": "nba"}, "wait": True}
    return HttpReader(web, proof, "POST", "/api/v1/chat/messages", body)
