"""The least that a WebSocket client needs to note when each frame came. Used by the client process only."""

import asyncio
import base64
import os
import re
import time
from urllib.parse import urlsplit

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_ANY = re.compile(b"")


class Closed(Exception):
    """The server closed the connection, or refused it."""


class WebSocket(asyncio.Protocol):
    """`frames` are (time of arrival in ns, text), `received` the bytes of all that came; both may be emptied."""

    def __init__(self, path: str, host: str) -> None:
        self._path, self._host = path, host
        self.frames: list[tuple[int, bytes]] = []
        self.received = 0
        self._rest = b""
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wanted = _ANY
        self._found: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        now = time.time_ns()
        self.received += len(data)
        data = self._rest + data if self._rest else data
        start = 0 if self._open.done() else self._shake_hands(data)
        while self._open.done() and (found := frame_at(data, start)) is not None:
            opcode, payload, start = found
            self._take(now, opcode, payload)
        self._rest = data[start:]

    def _shake_hands(self, data: bytes) -> int:
        end = data.find(b"\r\n\r\n")
        if end < 0:
            return 0
        if data.startswith(b"HTTP/1.1 101"):
            self._open.set_result(None)
            self.received = 0
        else:
            self._open.set_exception(Closed(data[:end].decode("latin-1")))
        return end + 4

    def _take(self, now: int, opcode: int, payload: bytes) -> None:
        if opcode == _TEXT:
            self.frames.append((now, payload))
            if self._found is not None and self._wanted.search(payload):
                self._found.set_result((now, payload))
                self._found = None
        elif opcode == _PING:
            self._write(_PONG, payload)
        elif opcode == _CLOSE:
            self._end(f"closed with code {int.from_bytes(payload[:2])}")

    def connection_lost(self, exc: Exception | None) -> None:
        self._end("the connection was lost")

    def _end(self, why: str) -> None:
        for waiting in (self._open, self._found):
            if waiting is not None and not waiting.done():
                waiting.set_exception(Closed(why))
        self._found = None

    def send(self, text: str) -> None:
        self._write(_TEXT, text.encode())

    def _write(self, opcode: int, payload: bytes) -> None:
        """One frame; its mask is zero, which leaves the payload as it is."""
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2)
        self._transport.write(bytes([0x80 | opcode]) + length + bytes(4) + payload)

    async def opened(self) -> None:
        await self._open

    def next(self, wanted: re.Pattern[bytes]) -> "asyncio.Future[tuple[int, bytes]]":
        """The next frame that the pattern is found in; one wait at a time."""
        self._wanted = wanted
        self._found = asyncio.get_running_loop().create_future()
        return self._found

    def close(self) -> None:
        self._transport.close()


async def connect(url: str, kind: type[WebSocket] = WebSocket) -> WebSocket:
    """An open connection to ws://host:port/path?query."""
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    _, socket = await asyncio.get_running_loop().create_connection(
        lambda: kind(path, parts.netloc), parts.hostname, parts.port
    )
    await socket.opened()
    return socket


def frame_at(data: bytes, start: int) -> tuple[int, bytes, int] | None:
    """Opcode, payload and end of the frame that begins at `start`; None when it is not whole yet."""
    if len(data) < start + 2:
        return None
    size, at = data[start + 1] & 127, start + 2
    if size > 125:
        width = 2 if size == 126 else 8
        size, at = int.from_bytes(data[at : at + width]), at + width
    if len(data) < at + size:
        return None
    return data[start] & 15, data[at : at + size], at + size
