"""The doors through a real web process: handshakes, sizes, readers that stall, and another process to go on with."""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from graphs.models import Graph
from graphs.site.api import tokens
from tests import cast
from tests.web_process import WebProcess, web_processes

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.processes]
PATIENCE_S = 30


@pytest.fixture
def web(alice: User, nba: Graph) -> Iterator[WebProcess]:
    with web_processes() as [process]:
        yield process


@contextmanager
def signed_in(process: WebProcess, user: User, **options: Any) -> Iterator[ClientConnection]:
    with connect(process.chat_url, origin=None, compression=None, max_size=2**22, **options) as connection:
        send(connection, "ai:authenticate", token=tokens.issue(user).access)
        frame(connection, "ai:authenticated")
        yield connection


def send(connection: ClientConnection, type_: str, **values: Any) -> None:
    connection.send(json.dumps({"type": type_, **values}))


def frame(connection: ClientConnection, type_: str) -> dict[str, Any]:
    """The next frame of this type; those before it are dropped."""
    while True:
        found = json.loads(connection.recv(timeout=PATIENCE_S))
        if found["type"] == type_:
            return found


def until_closed(connection: ClientConnection) -> tuple[int | None, list[dict[str, Any]]]:
    """What still comes before the connection ends, and the code it ends with (None when it broke off)."""
    frames: list[dict[str, Any]] = []
    while True:
        try:
            frames.append(json.loads(connection.recv(timeout=PATIENCE_S)))
        except ConnectionClosed as closed:
            return (closed.rcvd.code if closed.rcvd else None), frames


def eventually(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def test_it_answers_a_question_over_a_socket_by_cookie(web: WebProcess, alice: User) -> None:
    cookie = {"Cookie": f"sessionid={cast.signed_in(alice).cookies['sessionid'].value}"}
    for origin in ("null", "http://evil.example", f"https://127.0.0.1:{web.port}", "http://127.0.0.1"):
        with pytest.raises(InvalidStatus) as refused:
            connect(web.chat_url, origin=origin, additional_headers=cookie)
        assert refused.value.response.status_code == 403
    with connect(web.chat_url, origin=web.url, additional_headers=cookie) as connection:
        send(connection, "ai:chat", _id=1, message="What does fetch-api do?", context={"type": "graph", "id": "nba"})
        accepted = frame(connection, "ai:accepted")
        complete = frame(connection, "ai:complete")
        assert complete["messageId"] == accepted["messageId"]
        assert "fetch-api" in complete["fullText"]
    with connect(web.chat_url, origin=None, additional_headers=cookie) as connection:
        send(connection, "ai:subscribe", _id=1, stream=accepted["stream"])
        assert until_closed(connection)[0] == 4401


def test_it_refuses_a_handshake_where_nothing_is(web: WebProcess) -> None:
    for path in ("/", "/ws/chat", "/ws/graphs/", "/ws/graphs/nba", "/ws/graphs/a/b/", "/healthz"):
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{web.port}{path}", origin=None)
        assert refused.value.response.status_code == 403
    time.sleep(2)  # Daphne looks every second what became of its applications.
    assert "Exception inside application" not in web.log()


def test_a_client_does_not_move_the_root_of_addresses(web: WebProcess, alice: User) -> None:
    elsewhere = {"Daphne-Root-Path": "/elsewhere"}
    with signed_in(web, alice, additional_headers=elsewhere):
        pass
    with urlopen(Request(f"{web.url}/healthz", headers=elsewhere), timeout=PATIENCE_S) as answer:
        assert json.load(answer) == {"status": "ok"}
    with pytest.raises(HTTPError) as unknown:
        urlopen(Request(f"{web.url}/api/v1/streams/sse", headers=elsewhere), timeout=PATIENCE_S)
    assert unknown.value.code == 401


def test_it_refuses_frames_that_are_too_big(web: WebProcess, alice: User) -> None:
    with signed_in(web, alice) as connection:
        connection.send("x" * 1_048_000)
        assert frame(connection, "ai:error")["code"] == "validation"
        connection.send("x" * 1_048_577)
        assert until_closed(connection)[0] == 1009
    with signed_in(web, alice) as connection:
        connection.send(["x" * 400_000 for _ in range(3)])
        assert until_closed(connection)[0] == 1009


def test_what_it_says_may_be_longer_than_what_it_takes(alice: User, nba: Graph) -> None:
    """An answer, which ended the socket and each one that came back for it."""
    with web_processes(MAX_FRAME_BYTES="1024") as [web], signed_in(web, alice) as connection:
        send(connection, "ai:chat", _id=1, message="help", context={"type": "graph", "id": "nba"})
        accepted = frame(connection, "ai:accepted")
        complete = frame(connection, "ai:complete")
        assert len(json.dumps(complete)) > 1024
        send(connection, "ai:subscribe", _id=2, sessionId=accepted["sessionId"], after=0)
        assert frame(connection, "ai:complete")["fullText"] == complete["fullText"]
        connection.send("x" * 1_025)
        assert until_closed(connection)[0] == 1009


def test_it_slows_down_who_sends_faster_than_allowed_and_ends_who_goes_on(web: WebProcess, alice: User) -> None:
    with signed_in(web, alice) as connection:
        with suppress(ConnectionClosed):
            for number in range(2000):
                send(
                    connection, "ai:nothing", _id=number
                )  # answered without the database: faster than allowed anywhere
        code, frames = until_closed(connection)
    codes = [each["code"] for each in frames]
    assert {"validation", "throttled"} == set(codes)
    assert codes.count("validation") >= 40
    assert 99 <= codes.count("throttled") < 1000
    assert code == 4429


def slow_socket(web: WebProcess) -> socket.socket:
    """A connection of somebody who hardly reads."""
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.settimeout(PATIENCE_S)
    slow.connect(("127.0.0.1", web.port))
    return slow


@pytest.mark.skipif(not os.environ.get("FULL"), reason="takes twice as long as a reader may stall")
def test_who_sends_without_reading_is_not_listened_to(alice: User) -> None:
    """As fast as nobody may by default: that would be a flood, which ends sooner."""
    with web_processes(LIMIT_FRAMES="1000000/s") as [web]:
        before = web.resident_kib()
        slow = slow_socket(web)
        slow.sendall(
            f"GET /ws/chat/ HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        introduction = json.dumps({"type": "ai:authenticate", "token": tokens.issue(alice).access}).encode()
        assert b"101 Switching" in slow.recv(1000)
        slow.sendall(masked(introduction))
        assert b"ai:authenticated" in slow.recv(1000)
        many = masked(b"{}") * 5_000
        with suppress(ConnectionError, TimeoutError):
            for _ in range(200):
                slow.sendall(many)
        eventually(lambda: "too slowly" in web.log())
        slow.close()
        assert web.resident_kib() - before < 60_000
        with signed_in(web, alice):
            pass


def masked(payload: bytes) -> bytes:
    """A text frame with a mask of zeros."""
    short = len(payload) < 126
    length = bytes([0x80 | len(payload)]) if short else b"\xfe" + len(payload).to_bytes(2, "big")
    return b"\x81" + length + b"\0\0\0\0" + payload


def test_another_process_goes_on_where_the_first_one_was_read(alice: User, nba: Graph) -> None:
    with web_processes(2) as [first, second], signed_in(first, alice) as asking:
        send(asking, "ai:chat", _id=1, message="What does fetch-api do?", context={"type": "graph", "id": "nba"})
        accepted = frame(asking, "ai:accepted")
        token = frame(asking, "ai:token")
        with signed_in(second, alice) as watching:
            send(watching, "ai:subscribe", _id=1, sessionId=accepted["sessionId"], after=token["sequence"])
            frame(watching, "ai:subscribed")
            rest = []
            while not rest or rest[-1]["type"] != "ai:complete":
                rest.append(json.loads(watching.recv(timeout=PATIENCE_S)))
            send(watching, "ai:chat", _id=2, message="And root?", sessionId=accepted["sessionId"])
            again = frame(watching, "ai:accepted")
            frame(watching, "ai:complete")
        assert [each["sequence"] for each in rest] == list(
            range(token["sequence"] + 1, token["sequence"] + 1 + len(rest))
        )
        assert rest[-1]["fullText"].endswith("".join(each["token"] for each in rest if each["type"] == "ai:token"))
        done = frame(asking, "ai:complete")
        while done["runId"] != again["runId"]:
            done = frame(asking, "ai:complete")
