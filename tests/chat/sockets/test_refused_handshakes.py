"""A handshake that is refused is answered like any other request that is, and nothing of it is sent back."""

import json
from typing import Any, cast

import pytest

from chat.sockets.flood import LimitedSocketFactory
from graphs.site.security_headers import past_django
from tests.chat.web.test_request_size import Connection

KEY = b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
VERSION = b"Sec-WebSocket-Version: 13"
#: What is no handshake, with what may not be sent back.
REFUSED = {
    "a key": [b"Sec-WebSocket-Key: x<y>z", VERSION],
    "a key of other letters": [b"Sec-WebSocket-Key: x<y>zGhlIHNhbXBsZSBub2==", VERSION],
    "no key": [VERSION],
    "two keys": [KEY, KEY, VERSION],
    "a version": [KEY, b"Sec-WebSocket-Version: x<y>z"],
    "another version": [KEY, b"Sec-WebSocket-Version: 99"],
    "no version": [KEY],
    "a protocol twice": [KEY, VERSION, b"Sec-WebSocket-Protocol: x<y>z, x<y>z"],
    "an origin": [KEY, VERSION, b"Origin: x<y>z://"],
}


class Handshake(Connection):
    def __init__(self) -> None:
        super().__init__()
        server, transport = cast(Any, self.server), cast(Any, self.transport)
        transport.resumeProducing = lambda: None  # a real one that is being closed raises nothing, either
        server.ws_factory = LimitedSocketFactory(server, server="Daphne")
        server.ws_factory.setProtocolOptions(openHandshakeTimeout=0, closeHandshakeTimeout=0, allowNullOrigin=True)

    def ask(self, *lines: bytes, upgrades: bytes = b"Upgrade") -> None:
        first = [b"GET /ws/chat/ HTTP/1.1", b"Host: testserver", b"Upgrade: websocket", b"Connection: " + upgrades]
        self.send(b"\r\n".join([*first, *lines]) + b"\r\n\r\n")

    @property
    def socket(self) -> Any:
        """What answers once the application has said what becomes of it."""
        return cast(Any, self.transport).protocol

    def refusal(self) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Status, headers and problem of an answer that is a refusal as all are."""
        sent = self.transport.value()
        head, _blank, body = sent.partition(b"\r\n\r\n")
        first, *lines = head.decode("ascii").split("\r\n")
        headers = {name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines)}
        assert b"<y>" not in sent
        assert b"aphne" not in sent
        assert headers["content-type"] == "application/problem+json"
        assert int(headers["content-length"]) == len(body)
        assert "no-store" in headers["cache-control"]
        assert headers["connection"] == "close"
        for name, value in past_django(encrypted=False).items():
            assert headers[name.lower()] == value
        problem = json.loads(body)
        assert first == f"HTTP/1.1 {problem['status']} {problem['title']}"
        assert self.transport.disconnecting
        return problem["status"], headers, problem


@pytest.mark.parametrize("lines", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_handshake_is_refused_like_anything_else(lines: list[bytes]) -> None:
    handshake = Handshake()
    handshake.ask(*lines)
    status, _headers, problem = handshake.refusal()
    assert (status, problem["code"]) == (400, "bad_request")


def test_what_does_not_want_to_be_a_socket_is_refused_too() -> None:
    handshake = Handshake()
    handshake.ask(KEY, VERSION, upgrades=b"x<y>z")
    assert handshake.refusal()[0] == 400


def test_which_versions_there_are_is_told() -> None:
    handshake = Handshake()
    handshake.ask(*REFUSED["another version"])
    assert "13" in handshake.refusal()[1]["sec-websocket-version"].split(",")


def test_where_no_socket_is_the_refusal_is_one_of_ours() -> None:
    handshake = Handshake()
    handshake.ask(KEY, VERSION)
    assert handshake.transport.value() == b""
    handshake.socket.handle_reply({"type": "websocket.close"})
    status, _headers, problem = handshake.refusal()
    assert (status, problem["code"]) == (403, "forbidden")


def test_a_fault_of_ours_tells_no_more_than_where_it_was_logged(caplog: pytest.LogCaptureFixture) -> None:
    handshake = Handshake()
    handshake.ask(KEY, VERSION)
    handshake.socket.handle_exception(ValueError("x<y>z"))
    status, _headers, problem = handshake.refusal()
    assert (status, problem["code"]) == (500, "internal")
    assert problem["instance"].removeprefix("urn:uuid:") in caplog.text


def test_a_handshake_that_is_taken_is_answered_as_before() -> None:
    handshake = Handshake()
    handshake.ask(KEY, VERSION)
    handshake.socket.handle_reply({"type": "websocket.accept"})
    head = handshake.transport.value()
    assert head.startswith(b"HTTP/1.1 101 ")
    assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head
