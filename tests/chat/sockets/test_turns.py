"""What one person writes by sockets: a few at a time, so that threads are left to others."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.access.identity import Identity
from chat.concurrency import turns
from chat.concurrency.database import in_db
from chat.concurrency.turns import MOST, Turns
from chat.sockets.person import PersonConsumer
from graphs.models import Graph
from graphs.objects.actions import ChangeRefused
from graphs.site.api.problems import Problem
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
                await sockets[-1].frame("graph:opened")
            for number, socket in enumerate(sockets):
                socket.send("graph:edit", _id=f"edit-{number}", **rename("Get"))
            refused = [
                await answer(socket, f"edit-{number}")
                for number, socket in enumerate(sockets[MOST["edits"] :], MOST["edits"])
            ]
            assert {each["code"] for each in refused} == {"throttled"}
            async with asyncio.timeout(20):
                while busy.inside < MOST["edits"]:  # Whoever has a turn may still be on the way to it.
                    await asyncio.sleep(0.01)
            assert busy.inside == MOST["edits"]
            assert await in_db(lambda: "a thread") == "a thread"
            busy.free.set()
            done = [await answer(socket, f"edit-{number}") for number, socket in enumerate(sockets[: MOST["edits"]])]
            assert {each["code"] for each in done} == {"refused"}

    run(test)


def of_somebody(user: User) -> PersonConsumer:
    """A socket of this person, whose server ends what it does whenever it wants."""
    consumer = PersonConsumer()
    consumer.identity = Identity(user, user.password)
    return consumer


def test_an_edit_whose_socket_is_ended_keeps_its_turn_until_its_thread_has_ended(
    alice: User, busy: Busy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "WAIT_S", 0.2)

    async def test() -> None:
        left = [asyncio.create_task(of_somebody(alice).as_writer(busy)) for _ in range(MOST["edits"])]
        while busy.inside < MOST["edits"]:
            await asyncio.sleep(0.01)
        for each in left:
            each.cancel()
        await asyncio.wait(left)
        more = asyncio.create_task(of_somebody(alice).as_writer(busy))
        while not more.done() and busy.inside == MOST["edits"]:
            await asyncio.sleep(0.01)
        assert busy.inside == MOST["edits"]
        with pytest.raises(Problem) as refused:
            await more
        assert refused.value.code == "throttled"
        busy.free.set()
        while turns.of_process._taken:
            await asyncio.sleep(0.01)
        with pytest.raises(ChangeRefused):
            await of_somebody(alice).as_writer(busy)

    run(test)


def test_an_edit_that_is_ended_before_a_thread_is_free_gives_its_turn_back(alice: User, busy: Busy) -> None:
    held = threading.Event()

    async def test() -> None:
        threads = [asyncio.create_task(in_db(held.wait, 20)) for _ in range(in_db._pool._max_workers)]
        try:
            await asyncio.sleep(0)
            edit = asyncio.create_task(of_somebody(alice).as_writer(busy))
            while not turns.of_process._taken:
                await asyncio.sleep(0.01)
            edit.cancel()
            await asyncio.wait([edit])
            assert not turns.of_process._taken
        finally:
            held.set()
            await asyncio.gather(*threads)
        assert busy.inside == 0

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
