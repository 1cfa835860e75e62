"""A server that lets everyone in and never answers, as one that is stopped or paused."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class SilentServer:
    """`url` leads to it, `reached` counts who came so far."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._listener.setblocking(False)
        self._visitors: list[socket.socket] = []
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"

    def reached(self) -> int:
        with suppress(BlockingIOError):
            while True:
                self._visitors.append(self._listener.accept()[0])
        return len(self._visitors)

    def end(self) -> None:
        self.reached()
        for each in [self._listener, *self._visitors]:
            each.close()


@contextmanager
def silent_server() -> Iterator[SilentServer]:
    server = SilentServer()
    try:
        yield server
    finally:
        server.end()
