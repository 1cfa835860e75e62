"""Bodies and headers that are not what they should be: on every door that takes a body, and through Daphne."""

import gzip
import json
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.contrib.auth.models import User
from django.test import Client

from graphs.models import Graph
from graphs.site.api import tokens
from tests.doors.matrix import client_of, ids_of
from tests.doors.test_mass_assignment import TAKING
from tests.doors.world import World
from tests.web_process import WebProcess, web_processes

JSON = "application/json"
#: What is sent as what, and what every door that takes JSON answers.
BODIES: dict[str, tuple[bytes, str, int]] = {
    "deep lists": (b"[" * 100_000, JSON, 400),
    "deep objects": (b'{"a":' * 100_000, JSON, 400),
    "deep and closed": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, JSON, 400),
    "wide": (b'{"message": [' + b"0," * 500_000 + b"0]}", JSON, 400),
    "many keys": (json.dumps({str(key): key for key in range(50_000)}).encode(), JSON, 400),
    "too big": (b'{"message": "' + b"x" * 3_000_000 + b'"}', JSON, 413),
    "cut off": (b'{"message": "Hel', JSON, 400),
    "a key twice": (b'{"message": "a", "message": "b"}', JSON, 400),
    "a number too big": (b'{"message": 1e400}', JSON, 400),
    "an integer too long": (b'{"message": ' + b"9" * 100_000 + b"}", JSON, 400),
    "no number": (b'{"message": NaN}', JSON, 400),
    "half a pair": (b'{"message": "\\ud800"}', JSON, 400),
    "NUL": (b'{"message": "\\u0000"}', JSON, 400),
    "no UTF-8": (b'{"message": "\xff\xfe"}', JSON, 400),
    "UTF-16": ('{"message": "Hello"}'.encode("utf-16"), f"{JSON}; charset=utf-16", 400),
    "packed": (gzip.compress(b'{"message": "Hello"}'), JSON, 400),
    "a list": (b"[]", JSON, 400),
    "a text": (b'"message"', JSON, 400),
    "null": (b"null", JSON, 400),
    "a form": (b"message=Hello", "application/x-www-form-urlencoded", 415),
    "a form of parts": (b"--x--", "multipart/form-data; boundary=x", 415),
    "a form without boundary": (b"--x--", "multipart/form-data", 415),
    "text": (b'{"message": "Hello"}', "text/plain", 415),
    "XML": (b"<message>Hello</message>", "application/xml", 415),
    "a type that is none": (b'{"message": "Hello"}', "nonsense", 415),
}


@pytest.mark.parametrize("name", BODIES)
def test_every_door_that_takes_json_refuses_other_bodies(everybody: World, name: str) -> None:
    body, content_type, status = BODIES[name]
    client = client_of(everybody, "editor", program=True)
    for door in TAKING:
        address = door.address.with_id(ids_of(everybody, "editor", door.address).get("own", ""))
        answer = client.generic(door.method, address, body, content_type=content_type)
        assert answer.status_code == status, (str(door), answer.content[:300])
        assert answer.json()["status"] == status
        assert len(answer.content) < 10_000, "a refusal is no bigger than somebody reads"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"", "multipart/form-data"),
        (b"", "multipart/form-data; boundary="),
        (b"", "multipart/form-data; boundary=" + "x" * 5_000),
        (b"--x\r\n\r\n", "multipart/form-data; boundary=x"),
        (b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--", "multipart/form-data; boundary=x"),
        (b"--x\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n--x--", "multipart/form-data; boundary=x"),
        (b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' * 2_000, "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="file"; filename="../../a"\r\n'
            b"Content-Transfer-Encoding: base64\r\n\r\n@@@\r\n--x--",
            "multipart/form-data; boundary=x",
        ),
    ],
    ids=["no boundary", "empty one", "long one", "nothing", "no name", "no file", "many parts", "no base64"],
)
def test_an_upload_that_is_none_is_refused(everybody: World, body: bytes, content_type: str) -> None:
    client = client_of(everybody, "editor", program=True)
    answer = client.generic("POST", "/api/v1/graphs/import", body, content_type=content_type)
    assert answer.status_code == 400, answer.content
    page = client_of(everybody, "editor", program=False).generic("POST", "/import/", body, content_type=content_type)
    assert page.status_code == 400, page.content


def test_what_stands_in_for_another_method_is_not_heard(everybody: World) -> None:
    client: Client = client_of(everybody, "editor", program=True)
    address = f"/api/v1/chat/sessions/{everybody.ids('editor', 'session_id')['own']}"
    headers = {"X-HTTP-Method-Override": "DELETE", "X-Method-Override": "DELETE", "X-HTTP-Method": "DELETE"}
    assert client.post(f"{address}?_method=DELETE", headers=headers).status_code == 405
    assert client.get(address, headers=headers).status_code == 200
    for name in ("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "Script-Name", "Daphne-Root-Path"):
        assert client.get("/healthz", headers={name: "/admin/"}).content == b'{"status": "ok"}'


@pytest.fixture
def web(alice: User, nba: Graph) -> Iterator[WebProcess]:
    with web_processes() as [process]:
        yield process


def raw(process: WebProcess, request: bytes, patience_s: float = 30) -> int:
    """The status of the first answer; 0 where the connection ended without one, or the server waits for more."""
    answer = b""
    address = ("127.0.0.1", process.port)
    with socket.create_connection(address, timeout=patience_s) as connection, suppress(TimeoutError, ConnectionError):
        connection.sendall(request)
        while b"\r\n" not in answer and (more := connection.recv(65_536)):
            answer += more
    return int(answer.split()[1]) if answer else 0


@pytest.mark.faults
@pytest.mark.processes
@pytest.mark.django_db(transaction=True)
def test_requests_that_are_none_are_refused_and_the_process_lives(web: WebProcess, alice: User) -> None:
    token = tokens.issue(alice).access.encode()
    head = b"POST /api/v1/chat/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + b"\r\n"
    typed = head + b"Content-Type: application/json\r\nConnection: close\r\n"
    body = b'{"message": "Hello"}'
    length = b"Content-Length: %d\r\n"
    accepted = raw(web, typed + length % len(body) + b"\r\n" + body)
    assert accepted == 202
    refused = {
        "no length": typed + b"\r\n" + body,
        "two lengths": typed + length % len(body) + length % 5 + b"\r\n" + body,
        "a length that is none": typed + b"Content-Length: twenty\r\n\r\n" + body,
        "a negative length": typed + b"Content-Length: -1\r\n\r\n" + body,
        "a length with a sign": typed + b"Content-Length: +20\r\n\r\n" + body,
        "too long a length": typed + length % (len(body) + 5) + b"\r\n" + body,
        "too short a length": typed + length % 5 + b"\r\n" + body,
        "length and chunks": typed + length % len(body) + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "chunks that are none": typed + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nHello\r\n0\r\n\r\n",
        "a coding of the transfer": typed + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "two hosts": b"GET /api/v1/graphs HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        "two tokens": b"GET /api/v1/graphs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        + b"Authorization: Bearer " + token + b"\r\nAuthorization: Bearer x\r\n\r\n",
        "a header that goes on": typed + b"X-Long: a\r\n b\r\n" + length % 5 + b"\r\n" + body,
        "a header without colon": typed + b"nonsense\r\n\r\n" + body,
        "a header too long": typed + b"X-Long: " + b"x" * 200_000 + b"\r\n\r\n" + body,
        "headers without end": typed + b"X-Many: x\r\n" * 5_000 + b"\r\n" + body,
        "NUL in a header": typed + b"X-Workspace: de\0mo\r\n" + length % 5 + b"\r\n" + body,
        "no host": b"GET /api/v1/graphs HTTP/1.1\r\n\r\n",
        "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        "another address": b"GET http://evil.example/api/v1/graphs HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "a way up": b"GET /static/../../manage.py HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "NUL in a static file": b"GET /static/%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "a long static file": b"GET /static/" + b"x" * 5_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "a hidden way up": b"GET /static/%2e%2e/%2e%2e/manage.py HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    }  # fmt: skip
    unfinished = {"too long a length", "headers without end"}
    form = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    form += length % 5 + b"\r\n--x--"
    refused |= {f"no form at {address.decode()}": form % address for address in (b"/login/", b"/api/v1/auth/token")}
    answers = {name: raw(web, request, 1 if name in unfinished else 30) for name, request in refused.items()}
    wrong = {name: status for name, status in answers.items() if status != 0 and not 400 <= status < 500}
    assert not wrong, answers
    assert raw(web, typed + b"Transfer-Encoding: chunked\r\n\r\n14\r\n" + body + b"\r\n0\r\n\r\n") == 202
    assert "Traceback" not in web.log()
