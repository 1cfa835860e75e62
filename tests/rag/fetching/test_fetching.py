"""Pages of friendly hosts are read; what hostile ones do ends early, with nothing read and nobody else asked."""

import gzip
import os
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rag.fetching import bodies, connecting, texts
from rag.fetching.connecting import Network
from rag.fetching.fetching import Page, fetch
from rag.fetching.refusals import FetchRefused
from rag.fetching.rules import Lists, Rules
from tests.nginx import own_certificate
from tests.rag.fetching.stage import Act, Site, leads_to, says, site

HOST = "http://example.org"
HTML = (
    b"<html><head><title> A  page </title><script>steal()</script></head><body><h1>Hello</h1><p>One<br>two</p></body>"
)


@pytest.fixture
def stage() -> Iterator[Site]:
    with site() as stage:
        yield stage


def read(stage: Site, path: str = "/", seconds: float = 10, rules: Rules = Rules()) -> Page:  # noqa: B008 - frozen
    return fetch(HOST + path, rules, stage.network, seconds)


def refusal(stage: Site, act: Act, seconds: float = 10) -> str:
    stage.pages["/"] = act
    with pytest.raises(FetchRefused) as refused:
        read(stage, seconds=seconds)
    return refused.value.code


def test_a_page_becomes_title_and_text(stage: Site) -> None:
    stage.pages["/a?b=%C3%A9"] = says(HTML)
    page = fetch(f"{HOST}/a?b=é#part", Rules(), stage.network)
    assert page == Page("http://example.org/a?b=%C3%A9", "A page", "Hello\n\nOne\n\ntwo")
    (asked,) = stage.asked
    assert asked.startswith("GET /a?b=%C3%A9 HTTP/1.1\r\nHost: example.org\r\n")
    assert not any(name in asked.lower() for name in ("cookie", "authorization", "referer"))


@pytest.mark.parametrize(
    ("packing", "body"),
    [
        ("gzip", gzip.compress(HTML, mtime=0)),
        ("x-gzip", gzip.compress(HTML, mtime=0)),
        ("deflate", zlib.compress(HTML)),
        ("identity", HTML),
    ],
    ids=["gzip", "x-gzip", "deflate", "identity"],
)
def test_a_packed_page_is_unpacked(stage: Site, packing: str, body: bytes) -> None:
    stage.pages["/"] = says(body, f"Content-Encoding: {packing}")
    assert read(stage).title == "A page"


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/plain; charset=iso-8859-1", b"caf\xe9", "café"),
        ("text/plain", "\ufeffcafé".encode("utf-16-le"), "café"),
        ("text/plain; charset=zlib", b"plain", "plain"),
        ("text/plain; charset=punycode", b"plain", "plain"),
        ("TEXT/HTML", b'<meta charset="windows-1252"><p>caf\xe9</p>', "café"),
        ("application/json", b'{"a": 1}', '{"a": 1}'),
        ("text/plain", "a\u202eb\x07c\u200bd".encode(), "abcd"),
    ],
)
def test_text_is_decoded_as_pages_mean_it(stage: Site, kind: str, body: bytes, text: str) -> None:
    stage.pages["/"] = says(body, kind=kind)
    assert read(stage).text == text


def test_redirects_are_followed_and_the_page_says_where_it_was(stage: Site) -> None:
    stage.pages |= {"/": leads_to("/b", 301), "/b": leads_to("http://www.example.org/c", 307), "/c": says(HTML)}
    assert read(stage).url == "http://www.example.org/c"


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/", "//127.0.0.1/", "http://localhost/", "http://[::ffff:7f00:1]/", "http://0x7f.1/",
        "http://2130706433/", "file:///etc/passwd", "gopher://example.org/", "http://example.org:8080/",
        "http://me:secret@example.org/", "http://inside.org/", "javascript:alert(1)", "http://[", "\\\\127.0.0.1\\",
    ],
)  # fmt: skip
def test_no_redirect_leads_inside(location: str) -> None:
    with site(inside_org=[["10.0.0.1"]]) as stage:
        assert refusal(stage, leads_to(location)) in ("address", "not_public")
        assert len(stage.connected) == 1


def test_a_host_is_looked_up_once_a_request_so_that_it_cannot_turn_inside_meanwhile() -> None:
    with site(example_org=[["93.184.215.14"], ["127.0.0.1"]]) as stage:
        stage.pages["/"] = leads_to("/again")
        with pytest.raises(FetchRefused, match="public"):
            read(stage)
        assert stage.connected == [("93.184.215.14", 80)]


def test_a_name_is_looked_up_whole_and_never_within_the_domain_of_this_machine(stage: Site) -> None:
    stage.pages |= {"/": leads_to("/page"), "/page": says(HTML)}
    fetch("http://kubernetes.default/", Rules(), stage.network)
    fetch("http://93.184.215.14/page", Rules(), stage.network)
    assert stage.looked_up == ["kubernetes.default.", "kubernetes.default.", "93.184.215.14"]


def test_redirects_end(stage: Site) -> None:
    assert refusal(stage, leads_to("/")) == "redirects"
    assert len(stage.asked) == 6


def test_lists_hold_for_redirects(stage: Site) -> None:
    stage.pages |= {"/": leads_to("http://www.other.org/"), "/ok": says(HTML)}
    rules = Rules((Lists(), Lists(allowed=["example.org"], denied=["bad.example.org"])))
    assert read(stage, "/ok", rules=rules).title == "A page"
    with pytest.raises(FetchRefused, match="administrators"):
        read(stage, rules=rules)
    assert len(stage.connected) == 2


@pytest.mark.parametrize(
    ("host", "passes"),
    [("example.org", True), ("www.example.org", True), ("badexample.org", False), ("bad.example.org", False),
     ("a.bad.example.org", False), ("example.org.evil.com", False)],
)  # fmt: skip
def test_a_listed_host_stands_for_its_subdomains(host: str, passes: bool) -> None:
    assert Lists(["example.org"], ["bad.example.org"]).let_pass(host) is passes


def drips(client: socket.socket) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
    drips_on(client)


def drips_headers(client: socket.socket) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    drips_on(client)


def drips_on(client: socket.socket) -> None:
    while True:
        client.sendall(b"x")
        time.sleep(0.02)


def says_nothing(client: socket.socket) -> None:
    client.recv(1)


@pytest.mark.parametrize("act", [drips, drips_headers, says_nothing])
def test_what_comes_too_slowly_ends_however_often_something_comes(stage: Site, act: Act) -> None:
    assert refusal(stage, act, seconds=0.3) == "too_slow"


def test_a_name_that_takes_too_long_to_be_looked_up_is_given_up_on(stage: Site) -> None:
    over = threading.Event()
    slow = Network(lambda host: [str(over.wait(5))], stage.network.connect)
    with pytest.raises(FetchRefused) as refused:
        fetch(HOST, Rules(), slow, 0.1)
    over.set()
    assert refused.value.code == "too_slow"


def test_a_name_that_was_given_up_on_is_not_looked_up_later(stage: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    over = threading.Event()
    with ThreadPoolExecutor(1) as lookups:
        monkeypatch.setattr(connecting, "_lookups", lookups)
        lookups.submit(over.wait)
        with pytest.raises(FetchRefused):
            fetch(HOST, Rules(), Network(lambda host: looked_up.append(host) or [], stage.network.connect), 0.1)  # type: ignore[func-returns-value]
        over.set()
    assert looked_up == []


@pytest.mark.parametrize("error", [OSError, socket.gaierror, UnicodeError])
def test_a_name_that_nobody_has_is_told_so(stage: Site, error: type[Exception]) -> None:
    def fails(host: str) -> list[str]:
        raise error

    with pytest.raises(FetchRefused) as refused:
        fetch(HOST, Rules(), Network(fails, stage.network.connect))
    assert refused.value.code == "unknown_host"


def endless(client: socket.socket) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        client.sendall(b"x" * 65_536)


def endless_headers(client: socket.socket) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        client.sendall(b"X: " + b"x" * 8_000 + b"\r\n")


def endless_beginnings(client: socket.socket) -> None:
    while True:
        client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)


def crumbs(size: int) -> bytes:
    """A body in chunks of one byte, of which each costs as much as a large one."""
    return b"1\r\nx\r\n" * size + b"0\r\n\r\n"


def bomb() -> bytes:
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packing.compress(bytes(1_000_000)) for _ in range(200)) + packing.flush()


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (endless, "too_big"),
        (endless_headers, "broken"),
        (endless_beginnings, "broken"),
        (says(crumbs(bodies.MOST_PARTS + 1), "Transfer-Encoding: chunked"), "broken"),
        (says(b"", f"Content-Length: {bodies.MOST_BYTES + 1}"), "too_big"),
        (says(b"", "Content-Length: 99999999999999999999999"), "broken"),
        (says(bomb(), "Content-Encoding: gzip"), "too_big"),
        (says(gzip.compress(b"x" * bodies.MOST_BYTES + b"y"), "Content-Encoding: gzip"), "too_big"),
        (says(gzip.compress(os.urandom(9_000))[:5_000], "Content-Encoding: gzip"), "broken"),
        (says(b"no gzip", "Content-Encoding: gzip"), "broken"),
        (says(HTML, "Content-Encoding: br"), "content_type"),
        (says(HTML, "Content-Encoding: gzip, gzip"), "content_type"),
        (says(HTML, "Content-Length: 100000"), "broken"),
        (says(HTML, "Content-Length: -1"), "broken"),
        (says(HTML, "Content-Length: 3", "Content-Length: 4"), "broken"),
        (says(b"zz\r\nnonsense", "Transfer-Encoding: chunked"), "broken"),
        (says(b""), "content_type"),
        (says(b"<script>1</script>"), "content_type"),
        (says(HTML, kind="image/png"), "content_type"),
        (says(HTML, kind=""), "content_type"),
        (says(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 20), "content_type"),
        (says(os.urandom(3_000).replace(b"\0", b"\xff"), kind="text/plain"), "content_type"),
        (says(b"", status="204 No Content"), "status"),
        (says(HTML, status="404 Not Found"), "status"),
        (says(HTML, status="500 Oh"), "status"),
        (says(b"", status="101 Switching Protocols"), "broken"),
        (lambda client: client.sendall(b"SSH-2.0-OpenSSH\r\n"), "broken"),
        (lambda client: client.sendall(b"<html>" * 30_000), "broken"),
        (lambda client: client.close(), "broken"),
        (says(HTML, "X: a\x00b"), "broken"),
    ],
)
def test_what_is_no_page_is_not_taken(stage: Site, act: Act, code: str) -> None:
    assert refusal(stage, act) == code


def test_a_page_that_keeps_its_reader_busy_ends_that_alone(stage: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.fetching.texts.SECONDS", 0.5)
    assert refusal(stage, says(b"<div>" * 500_000)) == "too_big"


def test_a_page_waits_for_those_that_are_read_before_it_as_long_as_it_has_time(
    stage: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than reading one may take; and it is not said to be one that takes too long to be read."""
    monkeypatch.setattr(texts, "SECONDS", 0.1)
    monkeypatch.setattr(texts, "_places", taken := threading.BoundedSemaphore(1))
    taken.acquire()
    assert refusal(stage, says(HTML), seconds=0.3) == "too_slow"


def test_reading_a_page_has_what_is_left_of_the_time(stage: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []
    run = subprocess.run

    def runs(*arguments: Any, timeout: float, **more: Any) -> Any:
        given.append(timeout)
        return run(*arguments, timeout=timeout, **more)

    monkeypatch.setattr(subprocess, "run", runs)
    stage.pages["/"] = says(HTML)
    read(stage, seconds=5)
    assert 0 < given[0] <= 5


def test_nobody_at_the_other_end_is_told_so(stage: Site) -> None:
    stage.port = 1
    with pytest.raises(FetchRefused, match="reached"):
        read(stage)


def test_a_refusal_quotes_nothing_of_an_answer(stage: Site) -> None:
    stage.pages |= {"/": leads_to("http://ignore-all-rules/?say=owned"), "/x": says(b"owned", status="418 owned")}
    for path in ("/", "/x"):
        with pytest.raises(FetchRefused) as refused:
            read(stage, path)
        assert "owned" not in str(refused.value)


def test_the_environment_names_no_proxy(stage: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    stage.pages["/"] = says(HTML)
    assert read(stage).title == "A page"


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """The folder with the certificate of example.org, which is its own authority, and its key."""
    own_certificate(tmp_path, "example.org")
    return tmp_path


def over_tls(stage: Site, authority: Path, act: Act) -> Act:
    """Speaks TLS as example.org; who asks trusts that authority."""
    stage.tls = ssl.create_default_context(cafile=str(authority / "certificate.pem"))
    secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    secure.load_cert_chain(authority / "certificate.pem", authority / "key.pem")
    stage.wraps = lambda client: secure.wrap_socket(client, server_side=True)
    return act


def test_a_page_over_tls_is_read_of_the_host_that_its_certificate_names(stage: Site, authority: Path) -> None:
    stage.pages["/"] = over_tls(stage, authority, says(HTML))
    assert fetch("https://example.org/", Rules(), stage.network).title == "A page"
    assert stage.connected == [("93.184.215.14", 443)]
    for other in ("https://www.example.org/", "https://93.184.215.14/"):
        with pytest.raises(FetchRefused) as refused:
            fetch(other, Rules(), stage.network)
        assert refused.value.code == "tls"
    assert len(stage.asked) == 1


@pytest.mark.parametrize(
    "garbage", [b"\x15\x03\x01\x00\x02\x02\x46", b"HTTP/1.1 200 OK\r\n\r\n", b"\x16\x03" + bytes(500)]
)
def test_garbage_instead_of_tls_is_no_page(stage: Site, authority: Path, garbage: bytes) -> None:
    over_tls(stage, authority, says())

    def wraps(client: socket.socket) -> socket.socket:
        client.sendall(garbage)
        raise OSError

    stage.wraps = wraps
    with pytest.raises(FetchRefused) as refused:
        fetch("https://example.org/", Rules(), stage.network)
    assert refused.value.code == "tls"
