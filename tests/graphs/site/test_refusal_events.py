"""Who is refused what is told, a few times, without a word of what they wrote."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from graphs.models import Graph
from graphs.site import refusal_events
from graphs.site.api.local_limits import LocalLimits
from graphs.site.telemetry import events
from graphs.site.telemetry.events import Listener, Moment
from tests.cast import signed_in
from tests.graphs.api.callers import post_json, with_token

pytestmark = pytest.mark.django_db

STRANGER = "192.0.2.66"
GRAPH = "api/v1/graphs/<key:key>"


class Heard(Listener):
    def __init__(self) -> None:
        self.fields: list[dict[str, Any]] = []

    def emitted(self, moment: Moment) -> None:
        if moment.name == "refused":
            self.fields.append({name: value for name, value in moment.fields.items() if name != "address"})


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Heard]:
    monkeypatch.setattr(refusal_events, "_told", LocalLimits())
    listener = Heard()
    events.listeners.append(listener)
    yield listener
    events.listeners.remove(listener)


REFUSED: dict[str, tuple[Callable[[Client], Any], str, int, str | None]] = {
    "not there": (lambda client: client.get("/api/v1/graphs/secret-of-others"), f"GET {GRAPH}", 404, "not_found"),
    "no body": (
        lambda client: client.post("/api/v1/chat/messages", "secret", content_type="application/json"),
        "POST api/v1/chat/messages",
        400,
        "bad_json",
    ),
    "another type": (
        lambda client: client.post("/api/v1/chat/messages", "secret", content_type="text/xml"),
        "POST api/v1/chat/messages",
        415,
        "unsupported_media_type",
    ),
    "a wrong field": (
        lambda client: post_json(client, f"/api/v1/{GRAPH[7:].replace('<key:key>', 'nba')}/changes", {"secret": 1}),
        f"POST {GRAPH}/changes",
        400,
        "validation",
    ),
    "no page": (lambda client: client.get("/secret/"), "GET", 404, None),
    "a graph without a page": (lambda client: client.get("/graphs/secret/"), "GET graphs/<key:key>/", 404, None),
    "no address of the API": (lambda client: client.get("/api/v2/secret"), "GET ^api/", 404, None),
    "another method": (lambda client: client.generic("SECRET", "/api/v1/graphs/secret"), f"? {GRAPH}", 405, None),
}


@pytest.mark.parametrize(("ask", "door", "status", "code"), REFUSED.values(), ids=REFUSED)
def test_who_is_refused_what_is_told(
    alice: User, nba: Graph, heard: Heard, ask: Callable[[Client], Any], door: str, status: int, code: str | None
) -> None:
    clients = [signed_in(alice), signed_in(alice) if door.startswith("GET graphs/") else with_token(alice)]
    for client in clients:
        assert ask(client).status_code == status
    told = [each for each in heard.fields if each["user"] in (alice.pk, None)]
    if status == 405:
        assert told == []
        return
    assert [(each["door"], each["status"], each["code"]) for each in told] == [(door, status, code)] * 2
    assert "secret" not in json.dumps(told).lower()


def test_a_role_that_is_too_small_is_told_with_its_person(bob: User, nba: Graph, heard: Heard) -> None:
    client = with_token(bob)
    post_json(client, "/api/v1/graphs/nba/changes", {"actions": []})
    assert heard.fields == [
        {"user": bob.pk, "door": f"POST {GRAPH}/changes", "status": 403, "code": "forbidden"},
    ]


def test_too_much_is_told(alice: User, nba: Graph, heard: Heard, settings: Settings) -> None:
    settings.LIMIT_WRITES = "1/hour"
    client = with_token(alice)
    for _time in range(3):
        client.put("/api/v1/graphs/nba/always-send", {"alwaysSend": True}, content_type="application/json")
    assert [(each["status"], each["code"]) for each in heard.fields] == [(429, "throttled")] * 2


def test_who_is_unknown_is_told_by_address_alone(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses: list[Any] = []
    monkeypatch.setattr(refusal_events, "emit", lambda _name, **fields: addresses.append(fields))
    Client(REMOTE_ADDR=STRANGER).get("/api/v1/graphs")
    assert addresses == [
        {"user": None, "address": STRANGER, "door": "GET api/v1/graphs", "status": 401, "code": "not_authenticated"}
    ]


def test_what_is_answered_is_not_told(alice: User, nba: Graph, heard: Heard) -> None:
    client = signed_in(alice)
    for address in ("/", "/graphs/nba/", "/api/v1/graphs/nba", "/account/", "/accounts/login/"):
        client.get(address)
    Client().get("/")  # is sent to sign in
    assert heard.fields == []


def test_nobody_fills_the_log_with_refusals(alice: User, bob: User, heard: Heard) -> None:
    mine, theirs = signed_in(alice), signed_in(bob)
    for _time in range(refusal_events.MOST_OF_ONE + 5):
        mine.get("/api/v1/graphs/absent")
    theirs.get("/api/v1/graphs/absent")
    assert [each["user"] for each in heard.fields] == [alice.pk] * refusal_events.MOST_OF_ONE + [bob.pk]
    for number in range(refusal_events.MOST + 20):
        Client(REMOTE_ADDR=f"192.0.2.{number}").get("/api/v1/graphs")
    assert len(heard.fields) == refusal_events.MOST


def test_it_asks_nobody_who_that_is(
    alice: User, heard: Heard, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(alice)
    with django_assert_num_queries(0):
        assert client.get("/api/v2/nothing").status_code == 404
    assert [each["user"] for each in heard.fields] == [None]
