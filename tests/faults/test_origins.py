"""Handshakes from every kind of page: only one of this site comes in with its cookie; a token needs no page."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from graphs.models import Graph
from graphs.site.api import tokens
from tests import cast
from tests.faults.raw_socket import TEXT, RawSocket, frame
from tests.site import Api
from tests.web_process import WebProcess, web_processes

pytestmark = [
    pytest.mark.processes,
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]

#: With HOST for the host and port of the site, as 127.0.0.1:8000.
OWN = ["http://HOST", "HTTP://HOST"]
FOREIGN = {
    "null": ["null"],
    "other host": ["http://evil.example", "http://localhost:PORT", "http://127.0.0.2:PORT"],
    "suffix twin": ["http://HOST.evil.example", "http://127.0.0.1.evil.example:PORT"],
    "prefix twin": ["http://evil-HOST", "http://evil.example/HOST", "http://evil.example#HOST"],
    "other port": ["http://127.0.0.1", "http://127.0.0.1:1", "http://HOST0"],
    "other scheme": ["https://HOST", "ws://HOST", "file://", "chrome-extension://abcdefgh", "//HOST", "HOST"],
    "user": ["http://user@HOST", "http://HOST@evil.example", "http://evil.example:x@HOST"],
    "trailing dot": ["http://127.0.0.1.:PORT"],
    "path": ["http://HOST/", "http://HOST/chat", "http://HOST?", "http://HOST\\.evil.example"],
    "IPv6": ["http://[::1]:PORT", "http://[::ffff:127.0.0.1]:PORT", "http://[HOST"],
    "other spelling": ["http://2130706433:PORT", "http://0x7f.1:PORT", "http://127.1:PORT"],
    "IDN": ["http://127。0。0。1:PORT", "http://xn--evil-9na.example", "http://１２７.0.0.1:PORT"],
    "several": ["http://HOST http://evil.example", "http://HOST, http://evil.example"],
}
BAD_COOKIE = b"Cookie: sessionid=" + b"a" * 32


@pytest.fixture
def web(alice: User, nba: Graph) -> Iterator[WebProcess]:
    with web_processes(1, LIMIT_SOCKETS="1000") as [process]:
        yield process
        assert "Traceback" not in process.log()


def spelled(origin: str, web: WebProcess) -> bytes:
    return origin.replace("HOST", f"127.0.0.1:{web.port}").replace("PORT", str(web.port)).encode()


def outcome(web: WebProcess, origin: bytes, cookie: bytes, token: str) -> str:
    """What becomes of somebody from this page with this cookie, who shows this token where there is one."""
    with RawSocket(web) as one:
        status = one.upgrade(*([cookie] if cookie else []), origin=origin)
        if status != 101:
            return str(status)
        if token:
            one.authenticate(token)
        one.send(frame(TEXT, b'{"type": "ai:subscribe", "_id": 1, "stream": "session_x"}'))
        opcode, payload = one.receive()
        return "in" if opcode == TEXT and b"not_found" in payload else str(one.close_code)


def test_only_a_page_of_this_site_comes_in_with_its_cookie(web: WebProcess, alice: User) -> None:
    cookie = f"Cookie: sessionid={cast.signed_in(alice).cookies['sessionid'].value}".encode()
    token = tokens.issue(alice).access
    for origin in OWN:
        page = spelled(origin, web)
        found = [outcome(web, page, *proof) for proof in ((cookie, ""), (BAD_COOKIE, ""), (b"", ""), (b"", token))]
        assert found == ["in", "4401", "4401", "in"], origin
    found = [outcome(web, b"", *proof) for proof in ((cookie, ""), (b"", ""), (b"", token), (cookie, token))]
    assert found == ["4401", "4401", "in", "in"]
    for kind, origins in FOREIGN.items():
        for origin in origins:
            page = spelled(origin, web)
            found = [outcome(web, page, *proof) for proof in ((cookie, ""), (b"", ""), (b"", token))]
            assert set(found) <= {"400", "403"}, (kind, origin)
    show_everywhere(web, alice)


def show_everywhere(web: WebProcess, alice: User) -> None:
    """What somebody shows, rightly or in an address, is in no log."""
    api = Api(web.url, "alice", cast.PASSWORD)
    cookie = cast.signed_in(alice).cookies["sessionid"].value
    shown = f"Cookie: sessionid={cookie}".encode()
    assert outcome(web, web.url.encode(), shown, api.token) == "in"
    for path in ("/ws/chat/", "/api/v1/streams/sse", "/api/v1/graphs", "/nothing/here", "/graphs/x/"):
        with RawSocket(web) as one:
            one.upgrade(path=f"{path}?token={api.token}&sessionid={cookie}".encode(), origin=web.url.encode())
    log = web.log()
    for secret in (api.token, api.token.rpartition(".")[2], cookie, cast.PASSWORD):
        assert secret not in log
