"""Hosts of the tests: names that lead to a server on this machine, under addresses that look public."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpcore2

from rag.fetching.connecting import Network

PUBLIC = "93.184.215.14"
#: What a host does with the connection of somebody who asked for a path.
Act = Callable[[socket.socket], None]


def says(body: bytes = b"<p>Hello</p>", *headers: str, status: str = "200 OK", kind: str = "text/html") -> Act:
    """Answers with this body, and its length unless the headers name one."""
    lines = [f"HTTP/1.1 {status}", *headers]
    named = {each.partition(":")[0].lower() for each in headers}
    if kind and "content-type" not in named:
        lines.append(f"Content-Type: {kind}")
    if not named & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    return lambda client: client.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def leads_to(location: str, status: int = 302) -> Act:
    return says(b"", f"Location: {location}", status=f"{status} Elsewhere")


@dataclass
class Site:
    """Answers each path; counts who connected, and keeps what was asked. `names` are looked up, each once a look."""

    pages: dict[str, Act] = field(default_factory=dict)
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)
    port: int = 0
    #: Whom those who ask trust, and how the server begins with each of them.
    tls: ssl.SSLContext | None = None
    wraps: Callable[[socket.socket], socket.socket] = lambda client: client

    @property
    def network(self) -> Network:
        return Network(self._look_up, self._connect, lambda: self.tls or ssl.create_default_context())

    def _look_up(self, host: str) -> list[str]:
        self.looked_up.append(host)
        answers = self.names.get(host.removesuffix("."), [[PUBLIC]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def _connect(self, address: str, port: int, timeout: float) -> httpcore2.NetworkStream:
        self.connected.append((address, port))
        return httpcore2.SyncBackend().connect_tcp("127.0.0.1", self.port, timeout)

    def serve(self, client: socket.socket) -> None:
        with suppress(OSError), client, self.wraps(client) as client:
            client.settimeout(10)
            head = b""
            while b"\r\n\r\n" not in head:
                if not (more := client.recv(65_536)):
                    return
                head += more
            self.asked.append(head.decode("latin-1"))
            self.pages.get(head.split()[1].decode(), says(b"", status="404 Not Found"))(client)


@contextmanager
def site(**names: list[list[str]]) -> Iterator[Site]:
    """A server on this machine for as long as the block lasts."""
    stage = Site(names={name.replace("_", "."): answers for name, answers in names.items()})
    with socket.create_server(("127.0.0.1", 0)) as server:
        stage.port = server.getsockname()[1]

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=stage.serve, args=(server.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield stage
        server.shutdown(socket.SHUT_RDWR)
