"""When a process looks for runs that wait: after a run only if one waits for its end or for room, else by the clock."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.engine import claims, runner
from graphs.models import Graph
from tests.chat.engine.driving import Engine, ask, engine, rested, until
from tests.vendors import Script, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Every look: whether it found a run. The clock is out of the way."""
    monkeypatch.setattr(runner, "LOOK_EVERY_S", 600)
    claim, seen = claims.claim, []

    def counted(*given: Any, **named: Any) -> list[claims.ClaimedRun]:
        found = claim(*given, **named)
        seen.append(bool(found))
        return found

    monkeypatch.setattr(claims, "claim", counted)
    return seen


@pytest.fixture
def running(looks: list[bool], vendor: VendorServer) -> Iterator[Engine]:
    with engine() as started:
        yield started


def test_nobody_looks_where_nothing_waits(running: Engine, looks: list[bool], alice: User, nba: Graph) -> None:
    first = ask(alice, "SCRIPT:hello")
    rested(first.run_id)
    for _ in range(2):
        rested(ask(alice, "SCRIPT:hello", session_id=str(first.session_id)).run_id)
    assert looks == []


def test_what_waits_in_the_conversation_is_begun_at_once(
    running: Engine, vendor: VendorServer, looks: list[bool], alice: User, nba: Graph
) -> None:
    vendor.script(*[Script(text="One two three.", stall_at=2, goes_on=(asked := Event()))] * 3)
    first = ask(alice, "one")
    session_id = str(first.session_id)
    others = [ask(alice, text, session_id=session_id) for text in ("two", "three")]
    asked.set()
    for accepted in (first, *others):
        rested(accepted.run_id)
    assert looks.count(True) == 2


def test_what_waits_for_room_is_begun_at_once(
    running: Engine, vendor: VendorServer, looks: list[bool], alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "MAX_RUNS", 1)
    vendor.script(*[Script(text="One two three.", stall_at=2, goes_on=(asked := Event()))] * 2)
    first = ask(alice, "one")
    until(lambda: running.runtime.runner._running)
    second = ask(alice, "two")
    asked.set()
    for accepted in (first, second):
        rested(accepted.run_id)
    assert looks.count(True) == 1
