"""Requests that write: a few of one person at a time; the others wait, and nobody else for them."""

import asyncio
import io
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from chat.access import identity
from chat.concurrency import turns
from chat.concurrency.turns import MOST, Turns, Who
from chat.web import writing
from chat.web.large_answers import PLACE
from graphs.models import Graph, Workspace
from graphs.site.api import tokens
from tests.cast import draw_nba, signed_in
from tests.chat.inprocess import request, run

ALICE: Who = (1, "writes")
CHANGES = "/api/v1/graphs/nba/changes"
RENAME = {"actions": [{"action": "update_node", "arguments": {"nodeKey": "return", "updates": {"name": "End"}}}]}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "of_process", Turns())
    monkeypatch.setattr(turns, "WAIT_S", 0.2)
    writing._people.clear()


def of(test: Callable[[Turns], Awaitable[None]]) -> None:
    async def with_turns() -> None:
        await test(Turns())

    asyncio.run(with_turns())


def test_one_person_has_so_many_turns_and_another_their_own() -> None:
    async def test(turns: Turns) -> None:
        taken = [await turns.take(ALICE) for _ in range(MOST["writes"])]
        assert None not in taken
        assert await turns.take(ALICE) is None
        assert await turns.take((2, "writes")) is not None
        imports = [await turns.take((1, "imports")) for _ in range(MOST["imports"] + 1)]
        assert imports.index(None) == MOST["imports"]
        assert taken[0] is not None
        turns.end(taken[0])
        turns.end(taken[0])
        assert await turns.take(ALICE) is not None
        assert await turns.take(ALICE) is None

    of(test)


def test_who_waits_longest_is_next_and_who_left_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "WAIT_S", 20)

    async def test(turns: Turns) -> None:
        taken = [await turns.take(ALICE) for _ in range(MOST["writes"])]
        first, second, third = (asyncio.create_task(turns.take(ALICE)) for _ in range(3))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        assert taken[0] is not None
        turns.end(taken[0])
        await asyncio.wait([second, third], return_when=asyncio.FIRST_COMPLETED)
        assert (second.done(), third.done()) == (True, False)
        second_turn = second.result()
        assert second_turn is not None
        turns.end(second_turn)
        assert await third is not None

    of(test)


def test_who_leaves_with_a_turn_just_given_gives_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "WAIT_S", 20)

    async def test(turns: Turns) -> None:
        taken = [await turns.take(ALICE) for _ in range(MOST["writes"])]
        leaving, staying = (asyncio.create_task(turns.take(ALICE)) for _ in range(2))
        await asyncio.sleep(0)
        assert taken[0] is not None
        turns.end(taken[0])
        leaving.cancel()
        assert await staying is not None

    of(test)


class Busy:
    """Stands for a view that waits for whoever holds its object; counts who is in it."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.free = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, _request: HttpRequest) -> HttpResponse:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.free.wait(20)
        with self._lock:
            self.now -= 1
        return HttpResponse("done")


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Busy]:
    """What answers changes of graphs while it is there."""
    found = Busy()
    monkeypatch.setattr("graphs.api.changes.changed", lambda request, *_more: found(request))
    yield found
    found.free.set()


@pytest.mark.django_db(transaction=True)
def test_changes_of_one_person_wait_without_a_thread_and_those_of_others_are_made(
    alice: User, charlie: User, other_workspace: Workspace, nba: Graph, busy: Busy
) -> None:
    draw_nba(other_workspace)

    async def test() -> None:
        own = [asyncio.create_task(request("POST", CHANGES, alice, RENAME)) for _ in range(MOST["writes"] + 3)]
        done, waiting = await asyncio.wait(own, return_when=asyncio.FIRST_COMPLETED)
        while len(done) < 3:
            more, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            done |= more
        assert busy.most == MOST["writes"]
        for refused in (each.result() for each in done):
            assert (refused.status, refused.json()["code"]) == (429, "throttled")
            assert int(refused.headers["retry-after"]) > 0
            assert refused.headers["x-content-type-options"] == "nosniff"
            assert "no-store" in refused.headers["cache-control"]
        assert (await request("GET", "/api/v1/graphs/nba", alice)).status == 200
        other = asyncio.create_task(request("POST", CHANGES, charlie, RENAME))
        while busy.most == MOST["writes"]:
            await asyncio.sleep(0.01)
        busy.free.set()
        assert {each.status for each in await asyncio.gather(*waiting, other)} == {200}
        assert (await request("POST", CHANGES, alice, RENAME)).status == 200

    run(test)


def asks(method: str, path: str, headers: dict[str, str], **more: Any) -> ASGIRequest:
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    return ASGIRequest(
        {"type": "http", "method": method, "path": path, "query_string": b"", "headers": pairs, **more}, io.BytesIO()
    )


@pytest.mark.django_db(transaction=True)
def test_a_browser_is_looked_up_once_and_only_where_it_writes(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client: Client = signed_in(alice)
    looked_up: list[str] = []
    found = identity.of_request

    async def counted(headers: identity.Headers) -> identity.Identity | None:
        looked_up.append("x")
        return await found(headers)

    monkeypatch.setattr(identity, "of_request", counted)
    cookie = {"cookie": f"sessionid={client.cookies['sessionid'].value}"}

    async def test() -> None:
        for method, path in (("GET", CHANGES), ("POST", "/api/v1/chat/messages"), ("HEAD", "/")):
            assert await writing._writer(asks(method, path, cookie)) is None
        assert await writing._writer(asks("POST", "/api/v1/history/rollback", cookie, **{PLACE: object()})) is None
        assert looked_up == []
        for _time in range(3):
            assert await writing._writer(asks("POST", CHANGES, cookie)) == alice.pk
        assert looked_up == ["x"]
        assert await writing._writer(asks("POST", CHANGES, {"cookie": "sessionid=" + "x" * 32})) is None
        assert await writing._writer(asks("POST", CHANGES, {"authorization": "Bearer nonsense"})) is None
        assert await writing._writer(asks("POST", CHANGES, {})) is None

    run(test)


@pytest.mark.django_db(transaction=True)
def test_a_program_is_known_by_its_token_alone(alice: User) -> None:
    bearer = {"authorization": f"Bearer {tokens.issue(alice).access}"}
    with CaptureQueriesContext(connection) as statements:
        assert asyncio.run(writing._writer(asks("POST", CHANGES, bearer))) == alice.pk
    assert len(statements) == 0


@pytest.mark.django_db(transaction=True)
def test_imports_have_turns_of_their_own(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[str] = []
    take = Turns.take

    async def noted(turns: Turns, who: Who) -> Any:
        kinds.append(who[1])
        return await take(turns, who)

    monkeypatch.setattr(Turns, "take", noted)

    async def test() -> None:
        tables = ("/api/v1/objects/company/import", "/objects/company/import/")
        for path in ("/api/v1/graphs/import", "/import/", *tables, CHANGES, "/api/v1/objects/company/import/changes"):
            await request("POST", path, alice, {})

    run(test)
    assert kinds == [*["imports"] * 4, "writes", "writes"]
