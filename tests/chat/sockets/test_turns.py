"""What one person writes by sockets: a few at a time, so that threads are left to others."""

import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.concurrency import turns
from chat.concurrency.database import in_db
from chat.concurrency.turns import MOST, Turns
from graphs.models import Graph
from graphs.objects.actions import ChangeRefused
from tests.chat.inprocess import Socket, at_graph, run
from tests.chat.sockets.test_graph_commands import answer, rename

pytestmark = pytest.mark.django_db(transaction=True)


class Busy:
    """Stands for an edit that waits for whoever holds its graph."""

    def __init__(self) -> None:
        self.inside = 0
        self.free = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, *_given: Any) -> Any:
        with self._lock:
            self.inside += 1
        self.free.wait(20)
        raise ChangeRefused("It was free in the end.")


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Busy]:
    found = Busy()
    monkeypatch.setattr(turns, "of_process", Turns())
    monkeypatch.setattr("graphs.workflows.live.editing.edit", found)
    yield found
    found.free.set()


def test_edits_of_one_person_wait_and_leave_threads_to_others(
    alice: User, nba: Graph, busy: Busy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "WAIT_S", 0.2)

    async def test() -> None:
        async with AsyncExitStack() as open_ones:
            sockets: list[Socket] = []
            for _ in range(9):
                sockets.append(await open_ones.enter_async_context(at_graph(alice)))
            for number, socket in enumerate(sockets):
                socket.send("graph:edit", _id=f"edit-{number}", **rename("Get"))
            refused = [
                await answer(socket, f"edit-{number}")
                for number, socket in enumerate(sockets[MOST["edits"] :], MOST["edits"])
            ]
            assert {each["code"] for each in refused} == {"throttled"}
            assert busy.inside == MOST["edits"]
            assert await in_db(lambda: "a thread") == "a thread"
            busy.free.set()
            done = [await answer(socket, f"edit-{number}") for number, socket in enumerate(sockets[: MOST["edits"]])]
            assert {each["code"] for each in done} == {"refused"}

    run(test)


def test_a_turn_is_given_back_after_edits_that_are_made_and_refused(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with at_graph(alice) as socket:
            for number in range(MOST["edits"] + 1):
                for key, type_ in (("fetch-api", "graph:ack"), ("nowhere", "graph:error")):
                    socket.send("graph:edit", _id=f"{key}-{number}", **rename(f"Get {number}", key))
                    assert (await answer(socket, f"{key}-{number}"))["type"] == type_
        assert not turns.of_process._taken

    run(test)
