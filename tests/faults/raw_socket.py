"""A WebSocket by hand, for frames that no library sends."""

import json
import os
import socket
from types import TracebackType
from typing import Any

from tests.web_process import WebProcess

CONTINUED, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
PATIENCE_S = 60


def frame(opcode: int, payload: bytes = b"", *, final: bool = True, rsv: int = 0, mask: bool = True) -> bytes:
    """One frame, masked with zeros as a client has to."""
    first = (0x80 if final else 0) | rsv << 4 | opcode
    size = len(payload)
    if size < 126:
        length = bytes([size])
    else:
        length = b"\x7e" + size.to_bytes(2, "big") if size < 65_536 else b"\x7f" + size.to_bytes(8, "big")
    if mask:
        length = bytes([length[0] | 0x80]) + length[1:] + b"\0\0\0\0"
    return bytes([first]) + length + payload


class RawSocket:
    """Connected; `upgrade` makes it a chat socket. `close_code` is what the server closed with, if it said so."""

    def __init__(self, web: WebProcess, receive_bytes: int = 0) -> None:
        self.web = web
        self.close_code: int | None = None
        self._data = b""
        self._socket = socket.socket()
        if receive_bytes:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(("127.0.0.1", web.port))

    def __enter__(self) -> "RawSocket":
        return self

    def __exit__(self, _type: type | None, _value: BaseException | None, _traceback: TracebackType | None) -> None:
        self._socket.close()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def upgrade(self, *lines: bytes, origin: bytes = b"", path: bytes = b"/ws/chat/") -> int:
        """The handshake with these header lines besides; the status it is answered with, 0 where nobody answers."""
        own = [b"GET " + path + b" HTTP/1.1", b"Host: 127.0.0.1:%d" % self.web.port, b"Connection: Upgrade"]
        own += [b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
        own += [b"Origin: " + origin] if origin else []
        self.send(b"\r\n".join([*own, *lines]) + b"\r\n\r\n")
        return self.status()

    def status(self) -> int:
        while b"\r\n\r\n" not in self._data:
            if not self._more():
                break
        head, _end, rest = self._data.partition(b"\r\n\r\n")
        self.head, self._data = head, rest
        return int(head.split(b" ", 2)[1]) if head else 0

    def authenticate(self, token: str) -> None:
        self.send(frame(TEXT, json.dumps({"type": "ai:authenticate", "token": token}).encode()))
        assert self.answer()["type"] == "ai:authenticated"

    def answer(self) -> dict[str, Any]:
        """The next frame of text."""
        while True:
            opcode, payload = self.receive()
            if opcode == TEXT:
                return dict(json.loads(payload))
            assert opcode is not None, f"closed with {self.close_code}"

    def receive(self) -> tuple[int | None, bytes]:
        """The next frame; no opcode when the connection is over."""
        while (size := self._whole()) is None:
            if not self._more():
                return None, b""
        opcode, (start, end) = self._data[0] & 15, size
        payload, self._data = self._data[start:end], self._data[end:]
        if opcode == CLOSE:
            self.close_code = int.from_bytes(payload[:2], "big") if payload else None
        return opcode, payload

    def until_closed(self) -> int | None:
        """The code it is closed with; None when it breaks off."""
        while self.receive()[0] not in {None, CLOSE}:
            pass
        return self.close_code

    def _whole(self) -> tuple[int, int] | None:
        """Where the payload of the first frame is, once all of it has come. A server does not mask."""
        if len(self._data) < 2:
            return None
        size, start = self._data[1] & 127, 2
        if size > 125:
            start += 2 if size == 126 else 8
            size = int.from_bytes(self._data[2:start], "big")
        return (start, start + size) if len(self._data) >= start + size else None

    def _more(self) -> bool:
        try:
            data = self._socket.recv(65_536)
        except (ConnectionError, TimeoutError):
            return False
        self._data += data
        return bool(data)


def noise(size: int) -> bytes:
    return os.urandom(size)
