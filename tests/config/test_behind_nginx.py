"""The nginx of docs/operations.md before a site: what comes through it, and whose address the site believes."""

import http.client
import json
import re
import socket
import ssl
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from websockets.sync.client import connect

from graphs.models import Graph
from tests import nginx
from tests.cast import PASSWORD
from tests.nginx import Proxy
from tests.site import Api, Site, site

pytestmark = [
    pytest.mark.processes,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not nginx.path(), reason=nginx.MISSING),
]

TOKEN = "/api/v1/auth/token"
#: A limit of three for a name from an address, and thirty for an address alone.
SETTINGS = {"HTTPS": "true", "TRUSTED_PROXIES": "127.0.0.1", "LIMIT_LOGIN": "3/hour", "MAX_IMPORT_BYTES": "4096"}
PERSON, STRANGER = "127.0.0.2", "127.0.0.3"


@pytest.fixture
def behind(alice: User, bob: User, nba: Graph, settings: Settings) -> Iterator[Site]:
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}:{uuid.uuid4().hex}"  # whose limits nobody has used yet
    with site(**SETTINGS) as started:
        yield started
        assert "Traceback" not in started.logs()


@pytest.fixture
def proxy(behind: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    with nginx.before(behind.web.port, tmp_path / "nginx") as started:
        monkeypatch.setenv("SSL_CERT_FILE", str(started.certificate))  # whom urllib and websockets trust
        yield started
        assert not re.search(r"\[(warn|error|crit|alert|emerg)\]", started.log()), started.log()


class Browser:
    """Somebody at an address of this machine, with cookies."""

    def __init__(self, proxy: Proxy, address: str) -> None:
        self.proxy = proxy
        self.address = address
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        """Status and text of an answer; names of headers have "_" for "-"."""
        trust = ssl.create_default_context(cafile=str(self.proxy.certificate))
        connection = http.client.HTTPSConnection(
            nginx.HOST, self.proxy.port, timeout=60, source_address=(self.address, 0), context=trust
        )
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        with closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            text = answer.read().decode()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _equals, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
            self.set_cookies.append(cookie)
        return answer.status, text

    def sign_in(self, name: str, password: str = PASSWORD) -> int:
        """At the page: 302 for who is in, 200 for who is not, 429 for who has to wait."""
        _status, page = self.ask("GET", "/accounts/login/")
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert found
        form = urlencode({"csrfmiddlewaretoken": found[1], "username": name, "password": password}).encode()
        kind = "application/x-www-form-urlencoded"
        return self.ask("POST", "/accounts/login/", form, Content_Type=kind, Origin=self.proxy.url)[0]

    def ask_for_tokens(self, name: str, password: str, **headers: str) -> int:
        body = json.dumps({"username": name, "password": password}).encode()
        return self.ask("POST", TOKEN, body, Content_Type="application/json", **headers)[0]


def test_somebody_signs_in_and_asks_from_a_page(behind: Site, proxy: Proxy) -> None:
    browser = Browser(proxy, PERSON)
    assert browser.sign_in("alice") == 302
    assert {"sessionid", "csrftoken"} <= browser.cookies.keys()
    assert all("; Secure" in cookie for cookie in browser.set_cookies)
    cookie = {"Cookie": f"sessionid={browser.cookies['sessionid']}"}
    with connect(proxy.chat_url, origin=proxy.url, additional_headers=cookie) as chat:  # type: ignore[arg-type]
        context = {"type": "graph", "id": "nba"}
        chat.send(json.dumps({"type": "ai:chat", "_id": 1, "message": "SCRIPT:hello", "context": context}))
        seen: list[dict[str, Any]] = []
        while not seen or seen[-1]["type"] != "ai:complete":
            seen.append(json.loads(chat.recv(30)))
            assert seen[-1]["type"] != "ai:error", seen[-1]
    assert any(frame["type"] == "ai:token" for frame in seen)


def test_a_page_of_another_site_does_not_come_in_with_the_cookie(behind: Site, proxy: Proxy) -> None:
    browser = Browser(proxy, PERSON)
    browser.sign_in("alice")
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    key = "AAAAAAAAAAAAAAAAAAAAAA=="
    for origin in ("https://evil.example", proxy.plain_url, proxy.url.replace("https", "http")):
        status, _text = browser.ask("GET", "/ws/chat/", Origin=origin, Sec_WebSocket_Key=key, **upgrade)
        assert status == 403, origin


def test_events_come_as_they_are_written(behind: Site, proxy: Proxy) -> None:
    api = Api(proxy.url, "alice", PASSWORD)
    body = {"message": 'SCRIPT={"text": "one two three", "stall_at": 3}', "context": {"type": "graph", "id": "nba"}}
    stream = api.post("/api/v1/chat/messages", body)["streamId"]
    request = urllib.request.Request(
        f"{proxy.url}/api/v1/streams/sse?streams={stream}", headers={"Authorization": f"Bearer {api.token}"}
    )
    # Whoever kept them until there are some kB would give nothing to this reader, whose answer does not end.
    with urllib.request.urlopen(request, timeout=60) as answer:
        while b'"one' not in (line := answer.readline()):
            assert line, "it ended before the first word"


def test_answers_that_are_waited_for_come_through(behind: Site, proxy: Proxy) -> None:
    api = Api(proxy.url, "alice", PASSWORD)
    body = {"message": "SCRIPT:hello", "context": {"type": "graph", "id": "nba"}, "wait": True}
    assert api.post("/api/v1/chat/messages", body)["message"] == "Hello! This is a scripted answer."


def test_what_is_too_large_gets_the_answer_of_the_site(behind: Site, proxy: Proxy) -> None:
    api = Api(proxy.url, "alice", PASSWORD)
    form = (
        b"--b\r\nContent-Disposition: form-data; name=file; filename=a.json\r\n\r\n" + b" " * 8_192 + b"\r\n--b--\r\n"
    )
    headers = {"Authorization": f"Bearer {api.token}", "Content_Type": "multipart/form-data; boundary=b"}
    status, text = Browser(proxy, PERSON).ask("POST", "/api/v1/graphs/import", form, **headers)
    assert (status, json.loads(text)["code"]) == (413, "too_big")


def test_who_comes_without_tls_is_sent_to_the_other_port(proxy: Proxy) -> None:
    """Whatever they say of themselves; but no program, which would send its token in the clear and never know."""

    def ask(path: str) -> tuple[int, str | None]:
        with closing(http.client.HTTPConnection(proxy.plain_url.removeprefix("http://"), timeout=60)) as connection:
            connection.request("GET", path, headers={"X-Forwarded-Proto": "https"})
            answer = connection.getresponse()
            return answer.status, answer.headers["Location"]

    assert ask("/accounts/login/?a=b") == (301, f"https://{nginx.HOST}/accounts/login/?a=b")
    assert ask("/api/v1/graphs") == ask("/ws/chat/") == ask("/metrics") == (403, None)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
@pytest.mark.parametrize(
    ("version", "ciphers"),
    [(ssl.TLSVersion.TLSv1_1, "ALL:@SECLEVEL=0"), (ssl.TLSVersion.TLSv1_2, "AES128-SHA:ECDHE-ECDSA-AES128-SHA")],
)
def test_old_versions_and_weak_ciphers_are_refused(proxy: Proxy, version: ssl.TLSVersion, ciphers: str) -> None:
    context = ssl.create_default_context(cafile=str(proxy.certificate))
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = version
    context.set_ciphers(ciphers)
    with socket.create_connection((nginx.HOST, proxy.port), 30) as connection, pytest.raises(ssl.SSLError):
        context.wrap_socket(connection, server_hostname=nginx.HOST)


def test_a_stranger_locks_nobody_out_who_is_elsewhere(proxy: Proxy) -> None:
    stranger = Browser(proxy, STRANGER)
    assert [stranger.ask_for_tokens("alice", "wrong") for _time in range(5)] == [401, 401, 401, 429, 429]
    assert stranger.sign_in("alice") == 429
    assert Browser(proxy, PERSON).sign_in("alice") == 302
    for number in range(40):
        stranger.ask_for_tokens(f"invented-{number}", "wrong")
    assert stranger.ask_for_tokens("invented-40", "wrong") == 429
    assert Browser(proxy, PERSON).ask_for_tokens("bob", PASSWORD) == 200


@pytest.mark.parametrize("address", [STRANGER, "127.0.0.1"], ids=["from outside", "from the machine of the proxy"])
def test_nobody_chooses_their_address(proxy: Proxy, address: str) -> None:
    stranger = Browser(proxy, address)
    forged = [f"198.51.100.{number}" for number in range(6)]
    statuses = [stranger.ask_for_tokens("alice", "wrong", X_Forwarded_For=hop) for hop in forged]
    assert statuses == [401, 401, 401, 429, 429, 429]
    for name in ("X_Real_IP", "Forwarded", "CF_Connecting_IP", "True_Client_IP"):
        assert stranger.ask_for_tokens("alice", "wrong", **{name: "198.51.100.9"}) == 429, name
    assert stranger.ask_for_tokens("alice", PASSWORD, X_Forwarded_For=f"127.0.0.1, {PERSON}") == 429
    assert Browser(proxy, PERSON).ask_for_tokens("alice", PASSWORD) == 200


def test_without_its_line_all_would_share_an_address(behind: Site, tmp_path: Path) -> None:
    """These tests would see it."""
    line = re.search(r"proxy_set_header X-Forwarded-For .+", nginx.example())
    assert line
    with nginx.before(behind.web.port, tmp_path / "other", nginx.example().replace(line[0], "")) as proxy:
        stranger = Browser(proxy, STRANGER)
        assert [stranger.ask_for_tokens("alice", "wrong") for _time in range(4)] == [401, 401, 401, 429]
        assert Browser(proxy, PERSON).ask_for_tokens("alice", PASSWORD) == 429
