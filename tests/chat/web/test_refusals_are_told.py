"""What is refused before Django is asked, or at a socket, is told like what views refuse."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.web import large_answers
from graphs.models import Graph
from graphs.site import refusal_events
from graphs.site.api.local_limits import LocalLimits
from tests.chat.inprocess import opened, request, run, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
HERE = "127.0.0.1"


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """User, address, door, status and code of each."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(refusal_events, "_told", LocalLimits())
    monkeypatch.setattr(refusal_events, "emit", lambda _name, **fields: found.append(tuple(fields.values())))
    return found


def test_server_sent_events(alice: User, nba: Graph, told: list[tuple[Any, ...]]) -> None:
    async def test() -> None:
        await request("GET", "/api/v1/streams/sse?streams=secret")
        await request("GET", "/api/v1/streams/sse?streams=secret", alice)

    run(test)
    door = "GET api/v1/streams/sse"
    assert [each[1:] for each in told] == [(HERE, door, 401, "not_authenticated"), (HERE, door, 404, "not_found")]


def test_large_answers(alice: User, nba: Graph, told: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_answers, "WAIT_S", 0.1)
    monkeypatch.setattr(large_answers, "MOST_OF_ONE", 0)

    async def test() -> None:
        await request("GET", "/api/v1/graphs/nba/export", alice)

    run(test)
    assert told == [(alice.pk, HERE, "GET api/v1/graphs/<key:key>/export", 429, "throttled")]


def test_frames_of_sockets(alice: User, nba: Graph, told: list[tuple[Any, ...]]) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send("ai:subscribe", _id=1, stream="secret")
            socket.send("secret", _id=2)
            await socket.until(lambda each: len(each.received) == 3)
        async with opened() as stranger:
            stranger.send_text("secret")
            await stranger.frame("ai:error")

    run(test)
    assert [(user, door, status) for user, _address, door, status, _code in told] == [
        (alice.pk, "ws ai", None), (alice.pk, "ws ai", None), (None, "ws ai", None),
    ]  # fmt: skip
    assert [code for *_rest, code in told] == ["not_found", "validation", "validation"]
    assert "secret" not in str(told)
