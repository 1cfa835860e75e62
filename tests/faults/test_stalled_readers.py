"""Readers that stop in the middle of megabytes: they are cut off, cost little, miss nothing and disturb nobody."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from chat.actions.conversations import post_message
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Run, RunStatus, Stream
from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.api import tokens
from tests.flows.listener import Listener
from tests.site import site
from tests.web_process import WebProcess

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]

FULL = bool(os.environ.get("FULL"))
#: Half of them sockets, half server-sent events.
STALLED = 50 if FULL else 8
EVENTS = 20_000 if FULL else 5_000
EVENT_BYTES = 1_000
MORE_MEMORY_KIB = 50 * 1024
PATIENCE_S = 90
#: Goes on while the others stall, word by word.
LIVE = 'SCRIPT={"text": "' + "word " * 1_200 + '", "delay_s": 0.1}'


def long_stream(user: User) -> str:
    """A conversation with megabytes of events."""
    accepted = post_message(member_of(user), "Hello", context=Ref("graph", "nba"))
    Run.objects.update(status=RunStatus.SUCCEEDED)
    Message.objects.filter(role="assistant").update(status="complete")
    stream = Stream.objects.get(name=accepted.stream)
    while stream.last_sequence < EVENTS:
        with transaction.atomic():
            append(stream.pk, [NewEvent("content_delta", {"delta": "x" * EVENT_BYTES}, accepted.message_id)] * 1000)
        stream.refresh_from_db()
    return accepted.stream


def slow_socket(web: WebProcess) -> socket.socket:
    """A connection of somebody who hardly reads."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.settimeout(PATIENCE_S)
    slow.connect(("127.0.0.1", web.port))
    return slow


@contextmanager
def subscribed(web: WebProcess, token: str, stream: str, after: int = 0, **options: Any) -> Iterator[ClientConnection]:
    with connect(web.chat_url, compression=None, max_size=None, close_timeout=1, **options) as connection:
        connection.send(json.dumps({"type": "ai:authenticate", "token": token}))
        connection.send(json.dumps({"type": "ai:subscribe", "_id": 1, "stream": stream, "after": after}))
        yield connection


def stalled_sse(web: WebProcess, token: str, stream: str) -> socket.socket:
    request = slow_socket(web)
    request.sendall(
        f"GET /api/v1/streams/sse?streams={stream} HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n"
        f"Authorization: Bearer {token}\r\n\r\n".encode()
    )
    return request


def numbers_until(connection: ClientConnection, last: int) -> list[int]:
    """The numbers that come, up to one."""
    found: list[int] = []
    while not found or found[-1] < last:
        frame = json.loads(connection.recv(timeout=PATIENCE_S))
        found += [frame["sequence"]] if "sequence" in frame else []
    return found


def until_closed(connection: ClientConnection) -> tuple[int | None, list[int]]:
    """The close code that is seen (None when it broke off), and the numbers that still came."""
    found: list[int] = []
    while True:
        try:
            frame = json.loads(connection.recv(timeout=PATIENCE_S))
        except ConnectionClosed as closed:
            return (closed.rcvd.code if closed.rcvd else None), found
        found += [frame["sequence"]] if "sequence" in frame else []


class Memory:
    """The most that a process had in use since the beginning, more than then."""

    def __init__(self, web: WebProcess) -> None:
        self._web = web
        self._before = web.resident_kib()
        self.more_kib = 0

    def look(self) -> int:
        self.more_kib = max(self.more_kib, self._web.resident_kib() - self._before)
        return self.more_kib


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_readers_that_stall_are_cut_off_and_read_on_later(alice: User, bob: User, nba: Graph) -> None:
    stream = long_stream(alice)
    last = Stream.objects.get(name=stream).last_sequence
    token = tokens.issue(alice).access
    with site(1, LIMIT_SOCKETS="100") as here, ExitStack() as open_ones:
        web = here.web
        with subscribed(web, token, stream) as quick:
            assert numbers_until(quick, last) == list(range(1, last + 1))
        beside = Listener(web, "bob")
        beside.ask(LIVE)
        # Its question has loaded the model that searches by then: memory that no stalled reader costs.
        beside_reads(beside)
        memory = Memory(web)
        sockets = [
            open_ones.enter_context(subscribed(web, token, stream, sock=slow_socket(web), max_queue=1))
            for _ in range(STALLED // 2)
        ]
        requests = [open_ones.enter_context(stalled_sse(web, token, stream)) for _ in range(STALLED // 2)]
        until(lambda: beside_reads(beside) and memory.look() and web.log().count("cut off: 4408") >= STALLED)
        assert len(beside.events) > 20, "who reads beside them was kept waiting"
        assert memory.look() < MORE_MEMORY_KIB
        resumed = [until_closed(connection) for connection in sockets]
        assert [code for code, _numbers in resumed] == [4408] * len(sockets)
        for _code, numbers in resumed[:3]:
            assert len(numbers) < last
            with subscribed(web, token, stream, after=numbers[-1]) as again:
                assert numbers + numbers_until(again, last) == list(range(1, last + 1))
        for request in requests:
            with pytest.raises(ConnectionResetError):
                read_to_the_end(request)
        assert memory.look() < MORE_MEMORY_KIB
        print(f"\n{STALLED} stalled on {last} events: {memory.more_kib} KiB more")  # noqa: T201
        beside.close()
        assert "Traceback" not in web.log()


def beside_reads(listener: Listener) -> bool:
    """The listener has taken another word."""
    listener.until(lambda frame: frame["type"] == "ai:token")
    return True


def read_to_the_end(request: socket.socket) -> None:
    """What comes of server-sent events; nothing in a response can say why it ends, so it breaks off."""
    while request.recv(65536):
        pass
