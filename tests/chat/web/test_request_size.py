import json
from typing import Any

import pytest
from pytest_django import Settings
from twisted.internet.testing import StringTransport

from chat.web import request_size
from graphs.site.security_headers import past_django


class Recorder:
    """Daphne's server as far as a request sees it; keeps the bodies that applications would get."""

    proxy_forwarded_address_header = None
    root_path = server_name = ""
    request_buffer_size = 8192

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def protocol_connected(self, protocol: Any) -> None: ...

    def protocol_disconnected(self, protocol: Any) -> None: ...

    def log_action(self, *_args: Any) -> None: ...

    def discard_application(self, protocol: Any) -> None: ...

    def create_application(self, protocol: Any, scope: dict[str, Any]) -> Any:
        return self

    def put_nowait(self, message: dict[str, Any]) -> None:
        self.bodies.append(message.get("body", b""))


class Connection:
    def __init__(self) -> None:
        self.server = Recorder()
        self.transport = StringTransport()
        self.channel = request_size.LimitedFactory(self.server).buildProtocol(None)
        self.channel.makeConnection(self.transport)

    def send(self, data: bytes) -> None:
        self.channel.dataReceived(data)

    def answer(self) -> tuple[int, bytes]:
        head, _blank, body = self.transport.value().partition(b"\r\n\r\n")
        return int(head.split()[1]), body


def chunks(count: int) -> bytes:
    return b"3e8\r\n" + b"x" * 1000 + b"\r\n" if count == 1 else b"".join(chunks(1) for _chunk in range(count))


@pytest.fixture
def connection(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Connection:
    settings.MAX_IMPORT_BYTES = settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10_000
    monkeypatch.setattr(request_size, "FORM_BYTES", 0)
    return Connection()


def test_what_fits_reaches_the_application(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n" + b"x" * 10_000)
    assert b"".join(connection.server.bodies) == b"x" * 10_000


@pytest.mark.parametrize(
    "body", [b"--x--", b"--x\r\n\r\n", b"nonsense", b"--x\r\nContent-Disposition: \xff\r\n\r\n--x--"]
)
@pytest.mark.parametrize("boundary", [b"; boundary=x", b"; boundary=", b""])
def test_a_form_that_is_none_reaches_the_application(connection: Connection, body: bytes, boundary: bytes) -> None:
    head = b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data%s\r\nContent-Length: %d\r\n\r\n"
    connection.send(head % (boundary, len(body)) + body)
    assert (connection.server.bodies, connection.transport.value()) == ([body], b"")


def test_a_body_that_is_too_big_is_refused_and_not_kept(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10001\r\n\r\n" + b"x" * 10_001)
    status, body = connection.answer()
    assert (status, connection.server.bodies) == (413, [])
    assert b"too_big" in body
    assert b"application/problem+json" in connection.transport.value()


def test_a_body_without_a_length_is_counted(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks(11) + b"0\r\n\r\n")
    assert connection.answer()[0] == 413
    assert connection.server.bodies == []


def test_the_connection_works_on_after_a_refusal(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10001\r\n\r\n" + b"x" * 10_001)
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok")
    assert connection.server.bodies == [b"ok"]


def test_who_goes_on_and_on_is_cut_off(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks(41))
    assert connection.transport.disconnecting
    assert connection.answer()[0] == 413


def test_it_says_so_before_everything_was_sent(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" + b"x" * 10_001)
    status, body = connection.answer()
    assert (status, json.loads(body)["status"]) == (413, 413)
    connection.send(b"x" * 9_999 + b"POST /api/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok")
    assert connection.server.bodies == [b"ok"]


def test_its_refusal_is_a_whole_problem(connection: Connection) -> None:
    connection.send(b"POST /api/ HTTP/1.0\r\nContent-Length: 10001\r\n\r\n" + b"x" * 10_001)
    assert json.loads(connection.answer()[1])["status"] == 413


#: What is no request, each with a piece of what is sent back by nobody.
MALFORMED = {
    "no request line": b"nonsense\r\n\r\n",
    "no version": b"GET / FTP/7\r\n\r\n",
    "no header": b"GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
    "a header's name": b"GET / HTTP/1.1\r\nHost: x\r\na<b>c: d\r\n\r\n",
    "a header's value": b"GET / HTTP/1.1\r\nHost: x\r\na: b\x00c\r\n\r\n",
    "a path": b"GET /\xc3\xa4 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a query": b"GET /?\xc3\xa4 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a length": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    "a chunk": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
    "an encoding": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: nonsense\r\n\r\n",
    "a long line": b"GET /" + b"x" * 100_000,
    "many headers": b"GET / HTTP/1.1\r\n" + b"".join(b"h%d: x\r\n" % number for number in range(600)) + b"\r\n",
}


@pytest.mark.parametrize("sent", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_http_is_refused_like_anything_else(sent: bytes) -> None:
    connection = Connection()
    connection.send(sent)
    head, _blank, body = connection.transport.value().partition(b"\r\n\r\n")
    first, *lines = head.decode("ascii").split("\r\n")
    headers = {name.lower(): value.strip() for name, _colon, value in (line.partition(":") for line in lines)}
    assert first.split(" ", 2)[:2] == ["HTTP/1.1", "400"]
    assert headers["content-type"] == "application/problem+json"
    assert int(headers["content-length"]) == len(body)
    assert json.loads(body)["code"] == "bad_request"
    for name, value in past_django(encrypted=False).items():
        assert headers[name.lower()] == value
    assert "no-store" in headers["cache-control"]
    assert b"aphne" not in connection.transport.value()
    assert connection.server.bodies == []
