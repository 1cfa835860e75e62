"""Secrets of the site and of its visitors, with every error forced that could say them: they are written nowhere.

A secret of the site (keys, the database's password) must not reach a log, a row, a page or an answer. One of a visitor
(password, token, cookie, Idempotency-Key) was given by the visitor, and must not be kept or logged.
"""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse

from chat.models import ModelCall, Run, RunStatus, Session
from graphs.models import Graph
from tests.cast import PASSWORD
from tests.chat.engine.driving import until
from tests.flows.listener import Listener
from tests.site import Site, site
from tests.vendors import Script, ScriptedCall
from tests.vendors.scenarios import SCENARIOS
from tests.web_process import database_url

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

FULL = bool(os.environ.get("FULL"))
MODELS = ("custom", "anthropic") if FULL else ("custom",)
LIVE = [RunStatus.QUEUED, RunStatus.RUNNING]
KEY = "site-canary-key-4711"
#: Every row of these columns is the secret itself, by Django's design: who reads them can act for who is signed in.
KEPT = {"django_session"}


def echoes(key: str) -> list[Script]:
    """A vendor's failures, each of which says the key it was given."""
    body = {"error": {"message": f"bad {key}", "type": key, "code": key, "param": {key: [key]}}}
    found = [
        Script(status=401, error=f"Incorrect API key provided: {key}. Authorization: Bearer {key}"),
        Script(status=400, error=body, headers={"x-request-id": key, "www-authenticate": f"Bearer {key}"}),
        Script(raw=b"data: " + json.dumps(body).encode() + b"\n\n"),
        Script(text="Half an ans", finish=key),
        Script(raw=f"data: {{not json {key}\n\n".encode()),
    ]
    more = [
        Script(status=429, error=key, headers={"retry-after": "3600"}),
        Script(status=500, error=body),
        Script(status=302, error=key, headers={"location": f"http://127.0.0.1:1/{key}?key={key}"}),
        Script(raw=json.dumps(body).encode(), content_type="application/json"),
        Script(raw=f"<html>{key}</html>".encode(), content_type=f"text/html; {key}"),
        Script(raw=f"event: {key}\ndata: [1, 2\n\n".encode(), headers={"content-encoding": key}),
    ]
    return found + (more if FULL else [])


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each makes the vendor, a tool, or the engine fail with the key in its mouth."""
    asked = ["explode"]
    calls = (ScriptedCall("search_nodes", {"query": "explode"}), ScriptedCall("search_nodes", '{"query": '))
    scenarios = [[script] for script in echoes(KEY)]
    scenarios.append([Script(tool_calls=calls), Script(text="It failed.")])
    for letter, scripts in zip("abcdefghijklmnop", scenarios, strict=False):
        monkeypatch.setitem(SCENARIOS, f"leak_{letter}", scripts)
        asked.append(f"SCRIPT:leak_{letter}")
    return asked


@pytest.fixture
def leaky(transactional_db: None, alice: User, nba: Graph, questions: list[str]) -> Iterator[Site]:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    keys = {f"{name}_API_KEY": KEY for name in ("CUSTOM", "ANTHROPIC", "OPENAI", "DEEPSEEK")}
    with site(module="tests.faults.leaking", DATABASE_URL=database_url("site-canary-password"), **keys) as started:
        yield started


class Person:
    """Somebody with a browser's cookies; `seen` is all that was answered."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies = CookieJar()
        self.seen: list[str] = []
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            answer = self._opener.open(urllib.request.Request(f"{self.url}{path}", body, named), timeout=60)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            self.seen.append(f"{path}\n{answer.headers}\n{answer.read().decode()}")
        return int(answer.status)

    def post_form(self, path: str, **fields: str) -> int:
        fields = {"csrfmiddlewaretoken": self.cookie("csrftoken"), **fields}
        return self.ask(path, urlencode(fields).encode(), Referer=f"{self.url}{path}")

    def cookie(self, name: str) -> str:
        return next(str(cookie.value) for cookie in self.cookies if cookie.name == name)


def converse(leaky: Site, questions: list[str]) -> Listener:
    """Asks everything at once, each in a conversation of its own."""
    listener = Listener(leaky.web)
    for model in MODELS:
        for question in questions:
            graph = {"type": "graph", "id": "nba"}
            listener.send({"type": "ai:chat", "_id": question, "message": question, "context": graph, "model": model})
            listener.until(lambda frame: frame["type"] == "ai:accepted")
    until(lambda: not Run.objects.filter(status__in=LIVE).exists(), 60)
    ends = len(MODELS) * len(questions)
    while sum(frame["type"] in {"ai:complete", "ai:error"} for frame in listener.events) < ends:
        listener.until(lambda frame: frame["type"] in {"ai:complete", "ai:error"})
    return listener


def read_everything(person: Person) -> None:
    """Every page, export and answer about what was said."""
    person.ask("/?search=explode")
    for path in ("/", "/graphs/nba/", "/api/v1/chat/sessions", "/api/v1/chat/models", "/api/v1/graphs/nba/export"):
        assert person.ask(path) == 200, path
    for name in ("chat_session", "chat_modelcall", "chat_process", "auth_user", "graphs_graph"):
        assert person.ask(reverse(f"admin:{name}_changelist")) == 200, name
    for session in Session.objects.select_related("stream"):
        for path in (
            f"/api/v1/chat/sessions/{session.pk}",
            f"/api/v1/chat/sessions/{session.pk}/messages",
            f"/api/v1/streams/events/{session.stream.name}",
            reverse("admin:chat_session_change", args=[session.pk]),
            reverse("admin:chat_session_events", args=[session.pk]),
            reverse("admin:chat_session_seen", args=[session.pk]),
        ):
            assert person.ask(path) == 200, path
        # Where the vendor was left alone for a while nothing was sent.
        assert person.ask(reverse("admin:chat_session_seen_request", args=[session.pk])) in {200, 404}


def rows_with(word: str) -> list[str]:
    """The tables of which a row holds the word."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}" row WHERE row::text LIKE %s', [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def give_secrets(leaky: Site) -> list[str]:
    """Says secrets at every door that takes some, and at doors that do not; those that were said."""
    alice = Person(leaky.web.url)
    token, json_body = "/api/v1/auth/token", {"Content_Type": "application/json"}
    alice.ask("/accounts/login/")
    alice.post_form("/accounts/login/", username="alice", password="visitor-canary-wrong")
    alice.post_form("/accounts/login/", username="alice", password=PASSWORD)
    alice.post_form("/import/", csrfmiddlewaretoken="visitor-canary-csrf")
    alice.ask("/?token=visitor-canary-query&search=explode")
    alice.ask(token, json.dumps({"username": "alice", "password": "visitor-canary-2"}).encode(), **json_body)
    alice.ask(token, b'{"username": "alice", "password": "visitor-canary-3', **json_body)
    alice.ask(token, b'{"username": "alice", "password": ["visitor-canary-4"], "visitor-canary-5": 1}', **json_body)
    alice.ask("/api/v1/graphs", Authorization="Bearer visitor-canary-jwt")
    alice.ask("/api/v1/graphs?access_token=visitor-canary-in-url", Authorization="Basic dmlzaXRvci1jYW5hcnk=")
    bearer = Listener(leaky.web)
    message = json.dumps({"message": "explode", "context": {"type": "graph", "id": "nba"}}).encode()
    given = {"Authorization": f"Bearer {bearer.token}", **json_body}
    assert alice.ask("/api/v1/chat/messages", message, Idempotency_Key="visitor-canary-key", **given) == 202
    assert alice.ask("/api/v1/chat/messages", message, Idempotency_Key="visitor-canary-key" * 20, **given) == 400
    bearer.send({"visitor-canary-frame": "visitor-canary"})
    bearer.until(lambda frame: frame["type"] == "ai:error")
    bearer.send({"type": "ai:authenticate", "token": "visitor-canary-jwt"})
    assert bearer.until_closed() == 4401
    until(lambda: not Run.objects.filter(status__in=LIVE).exists(), 30)
    return [bearer.token, PASSWORD, alice.cookie("csrftoken"), alice.cookie("sessionid"), "visitor-canary"]


def test_secrets_are_neither_kept_nor_logged_nor_told(leaky: Site, questions: list[str]) -> None:
    listener = converse(leaky, questions)
    alice = Person(leaky.web.url)
    alice.ask("/accounts/login/")
    alice.post_form("/accounts/login/", username="alice", password=PASSWORD)
    read_everything(alice)
    assert ModelCall.objects.filter(outcome="auth_error").count() == len(MODELS)
    assert "Leaked: [" in leaky.logs()
    said = [leaky.logs(), json.dumps([listener.events, listener.answers]), *alice.seen]
    assert [text for text in said if "site-canary" in text] == []
    assert rows_with("site-canary") == []
    secrets = give_secrets(leaky)
    assert [secret for secret in secrets if secret in leaky.logs()] == []
    assert {table for secret in secrets for table in rows_with(secret)} <= KEPT
