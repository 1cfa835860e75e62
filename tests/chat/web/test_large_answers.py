"""The largest answers: few at a time, first come, first served, and nobody holds the places against the others."""

import asyncio
import threading
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from chat.concurrency.turns import Left
from chat.sockets.backpressure import Gate
from chat.web import large_answers
from chat.web.large_answers import MOST, MOST_MADE, MOST_OF_ONE, PLACE, Place, Places
from graphs.models import Graph
from graphs.workflows import listing
from tests.chat.inprocess import asked, request, run

EXPORT = "/api/v1/graphs/nba/export"


def quickly(monkeypatch: pytest.MonkeyPatch, wait_s: float = 0.1) -> None:
    monkeypatch.setattr(large_answers, "WAIT_S", wait_s)


def of(test: Callable[[Places], Awaitable[None]]) -> None:
    async def with_places() -> None:
        await test(Places())

    asyncio.run(with_places())


async def made(places: Places, user: int) -> Place:
    """A place whose answer is made and not sent yet."""
    place = await places.take(user)
    assert place is not None
    place.begin()
    place.end()
    await asyncio.sleep(0)
    return place


def test_so_many_are_made_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch)

    async def test(places: Places) -> None:
        taken = [await places.take(user) for user in range(MOST_MADE)]
        assert await places.take(90) is None
        assert taken[0] is not None
        taken[0].begin()
        taken[0].end()
        await asyncio.sleep(0)
        assert await places.take(91) is not None

    of(test)


def test_so_many_of_one_person_and_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch)

    async def test(places: Places) -> None:
        own = [await made(places, 1) for _ in range(MOST_OF_ONE)]
        assert await places.take(1) is None
        others = [await made(places, user) for user in range(2, 2 + MOST - MOST_OF_ONE)]
        assert await places.take(90) is None
        own[0].sent()
        assert await places.take(1) is not None
        assert len(others) + len(own) == MOST

    of(test)


def test_of_one_person_one_is_made_at_a_time_and_others_are_made_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch)

    async def test(places: Places) -> None:
        own = await places.take(1)
        assert await places.take(1) is None
        assert await places.take(2) is not None
        assert own is not None
        own.begin()
        own.end()
        await asyncio.sleep(0)
        assert await places.take(1) is not None

    of(test)


def test_who_waits_is_served_in_turn_and_passes_those_who_have_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(places: Places) -> None:
        own = [await made(places, 1) for _ in range(MOST_OF_ONE)]
        served: list[int] = []

        async def wait(user: int) -> None:
            await made(places, user)
            served.append(user)

        first, other, last = (asyncio.create_task(wait(user)) for user in (1, 2, 1))
        await asyncio.wait([other])
        assert served == [2]
        own[0].sent()
        await asyncio.wait([first])
        assert served == [2, 1]
        own[1].sent()
        await asyncio.wait([last])

    of(test)


def test_who_comes_as_a_place_gets_free_does_not_take_it_from_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch, wait_s=20)

    async def test(places: Places) -> None:
        taken = [await made(places, user) for user in range(MOST)]
        served: list[int] = []

        async def wait(user: int) -> None:
            await made(places, user)
            served.append(user)

        waiting = [asyncio.create_task(wait(user)) for user in (100, 101, 102)]
        await asyncio.sleep(0)
        for user, place in zip((200, 201, 202), taken, strict=False):
            waiting.append(asyncio.create_task(wait(user)))  # It has its turn before those whom the place wakes.
            place.sent()
        await asyncio.gather(*waiting[:3])
        assert served == [100, 101, 102]
        for place in taken[3:6]:
            place.sent()
        await asyncio.gather(*waiting[3:])
        assert served[3:] == [200, 201, 202]

    of(test)


def test_who_leaves_with_a_place_that_was_just_given_leaves_it_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch, wait_s=20)

    async def test(places: Places) -> None:
        taken = [await made(places, user) for user in range(MOST)]
        leaving, next_one = (asyncio.create_task(places.take(user)) for user in (100, 101))
        await asyncio.sleep(0)
        taken[0].sent()
        leaving.cancel()
        place = await next_one
        assert place is not None
        assert place.user_id == 101
        assert leaving.cancelled()

    of(test)


def test_a_reader_who_left_keeps_the_place_while_its_answer_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch)

    async def test(places: Places) -> None:
        left = [await places.take(user) for user in range(MOST_MADE)]
        for place in left:
            assert place is not None
            place.begin()
            place.sent()
        assert await places.take(90) is None
        assert left[0] is not None
        left[0].end()
        await asyncio.sleep(0)
        assert await places.take(90) is not None

    of(test)


def test_no_answer_is_made_for_who_left_as_its_thread_began(monkeypatch: pytest.MonkeyPatch) -> None:
    quickly(monkeypatch)
    made_for: list[str] = []

    def answer(request: HttpRequest) -> HttpResponse:
        made_for.append(request.path)
        return HttpResponse()

    async def test(places: Places) -> None:
        place = await places.take(1)
        assert place is not None
        request: Any = HttpRequest()
        request.scope = {PLACE: place}
        in_thread = large_answers.making(request, answer)
        place.sent()
        assert await places.take(1) is not None
        with pytest.raises(Left):
            in_thread(request)

    of(test)
    assert made_for == []


class Cut(Gate):
    """Notices that it is cut."""

    def __init__(self) -> None:
        super().__init__()
        self.is_cut = False

    def cut(self) -> None:
        self.is_cut = True


@pytest.mark.parametrize(("places_taken", "read_within_s", "cut"), [(MOST, -1, 1), (MOST, 60, 0), (MOST - 1, -1, 0)])
def test_the_slowest_reader_is_cut_where_somebody_waits_for_its_place(
    monkeypatch: pytest.MonkeyPatch, places_taken: int, read_within_s: float, cut: int
) -> None:
    quickly(monkeypatch)
    monkeypatch.setattr(large_answers, "READ_WITHIN_S", read_within_s)

    async def test(places: Places) -> None:
        slow = [await made(places, user) for user in range(places_taken)]
        gates = [Cut() for _ in slow]
        for place, gate in zip(slow, gates, strict=True):
            place.gate = gate
        await places.take(90)
        assert [gate.is_cut for gate in gates] == [True] * cut + [False] * (places_taken - cut)

    of(test)


@pytest.mark.django_db(transaction=True)
def test_too_many_are_told_to_come_again_and_others_are_answered(
    alice: User, bob: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly(monkeypatch)
    monkeypatch.setattr(large_answers, "MOST_OF_ONE", 0)

    async def test() -> None:
        for path in (
            EXPORT,
            "/api/v1/graphs/nba",
            "/api/v1/graphs?search=nba",
            "/api/v1/objects?type=graph&search=nba",
            "/api/v1/objects?type=nodeType",
            "/api/v1/objects/graph/nba",
            "/api/v1/node-types",
            "/api/v1/proposals",
            "/api/v1/history/versions?object=graph:nba&a=1",
            "/api/v1/history?object=graph:nba",
        ):
            refused = await request("GET", path, bob)
            assert (refused.status, refused.json()["code"]) == (429, "throttled"), path
            assert int(refused.headers["retry-after"]) > 0
            assert refused.headers["x-content-type-options"] == "nosniff"
            assert (await request("GET", path)).status == 401
        french = await request("GET", EXPORT, bob, accept_language="fr")
        assert french.json()["detail"].startswith("Trop de grandes réponses")
        assert (await request("POST", f"/api/v1/proposals/{uuid.uuid4()}/preview", bob, {})).status == 404
        assert (await request("GET", "/api/v1/graphs", bob)).status == 200
        assert (await request("GET", "/api/v1/kinds", bob)).status == 200
        assert (await request("POST", EXPORT, bob, {})).status == 405

    run(test)


@pytest.mark.django_db(transaction=True)
def test_places_are_free_after_answers_errors_and_readers_who_leave(
    alice: User, charlie: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly(monkeypatch, wait_s=20)

    async def test() -> None:
        for user, status in ((alice, 200), (charlie, 404)):
            for _ in range(MOST + 1):
                assert (await request("GET", EXPORT, user)).status == status
        for _ in range(MOST + 1):
            async with asked("GET", EXPORT, alice):
                pass
        assert (await request("GET", EXPORT, alice)).status == 200

    run(test)


@pytest.mark.django_db(transaction=True)
def test_no_more_are_made_in_threads_than_may_be(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_answers, "MOST_OF_ONE", MOST)
    made_now, most = 0, 0
    found = listing.graph_for

    def counted(*args: Any) -> Graph:
        nonlocal made_now, most
        made_now += 1
        most = max(most, made_now)
        try:
            return found(*args)
        finally:
            made_now -= 1

    monkeypatch.setattr("graphs.api.graphs.graph_for", counted)

    async def test() -> None:
        answers = await asyncio.gather(*(request("GET", EXPORT, alice) for _ in range(24)))
        assert {answer.status for answer in answers} == {200}
        assert 1 <= most <= MOST_MADE

    run(test)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_a_process_that_ends(
    alice: User, bob: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither who waits for a place nor whose answer is made; what its thread makes in the end is sent to nobody."""
    quickly(monkeypatch, wait_s=60)
    begun, free = threading.Event(), threading.Event()
    found = listing.graph_for

    def slow(*given: Any) -> Graph:
        begun.set()
        free.wait(60)
        return found(*given)

    monkeypatch.setattr("graphs.api.graphs.graph_for", slow)

    async def test() -> None:
        async with asked("GET", EXPORT, alice) as made, asked("GET", EXPORT, alice) as waits:
            await asyncio.to_thread(begun.wait, 20)
            async with asyncio.timeout(20):
                while len(large_answers._open) < 2:
                    await asyncio.sleep(0.01)
            while not (made.complete and waits.complete):
                large_answers.close_all()
                await asyncio.sleep(0.02)
            for answer in (made, waits):
                assert (answer.status, answer.json()["code"]) == (503, "unavailable")
                assert int(answer.headers["retry-after"]) > 0
                assert answer.headers["x-content-type-options"] == "nosniff"
            sent = made.body
            free.set()
            await asyncio.sleep(0.3)
            assert made.body == sent
        assert large_answers._open == set()
        assert (await request("GET", EXPORT, bob)).status == 200

    run(test)
