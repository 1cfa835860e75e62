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
from chat.web import large_answers, writing
from graphs.models import Graph, Workspace
from graphs.site.api import tokens
from tests.cast import draw_nba, signed_in
from tests.chat.inprocess import asked, request, run

ALICE: Who = (1, "writes")
CHANGES = "/api/v1/graphs/nba/changes"
ROLLBACK = "/api/v1/history/rollback"
PREVIEW = "/api/v1/proposals/00000000-0000-4000-8000-000000000000/preview"
TURN = {"scope": {"turn": "00000000-0000-4000-8000-000000000000"}}
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


def test_nothing_is_done_in_a_turn_that_was_given_back_as_its_thread_began() -> None:
    late, done = threading.Event(), list[str]()

    async def test() -> None:
        loop, begun = asyncio.get_running_loop(), asyncio.Event()

        def in_thread(act: Callable[[], None]) -> asyncio.Future[None]:
            def on_its_way() -> None:
                loop.call_soon_threadsafe(begun.set)
                late.wait(20)
                act()

            return loop.run_in_executor(None, on_its_way)

        turn = await turns.of_process.take(ALICE)
        assert turn is not None
        asking = asyncio.create_task(turns.in_turn(turn, in_thread, lambda: done.append("done")))
        await begun.wait()
        asking.cancel()
        await asyncio.wait([asking])
        assert not turns.of_process._taken
        late.set()
        await loop.shutdown_default_executor()

    asyncio.run(test())
    assert done == []


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
        async with asyncio.timeout(20):
            while busy.now < MOST["writes"]:  # Whoever has a turn may still be on the way to it.
                await asyncio.sleep(0.01)
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


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("address", "body", "waits"),
    [(ROLLBACK, TURN, "graphs.api.history._rolled_back"), (PREVIEW, {}, "chat.api.proposals.PreviewView.post")],
)
def test_rollbacks_and_previews_that_wait_leave_graphs_to_be_read_and_are_few_of_one_person(
    alice: User,
    bob: User,
    charlie: User,
    other_workspace: Workspace,
    nba: Graph,
    address: str,
    body: dict[str, Any],
    waits: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy = Busy()
    monkeypatch.setattr(waits, lambda *_given, **_ids: busy(HttpRequest()))
    monkeypatch.setattr(large_answers, "WAIT_S", 0.2)

    async def test() -> None:
        own = [asyncio.create_task(request("POST", address, alice, body)) for _ in range(MOST["writes"] + 1)]
        own.append(asyncio.create_task(request("POST", address, charlie, body)))
        try:
            (refused, *_more), waiting = await asyncio.wait(own, return_when=asyncio.FIRST_COMPLETED)
            while busy.now < MOST["writes"] + 1 and not all(each.done() for each in own):
                await asyncio.sleep(0.01)
            assert busy.most == MOST["writes"] + 1
            assert (refused.result().status, len(waiting)) == (429, MOST["writes"] + 1)
            for path in ("/api/v1/graphs/nba", "/api/v1/graphs/nba/export"):
                assert (await request("GET", path, bob)).status == 200
        finally:
            busy.free.set()
        assert {each.status for each in await asyncio.gather(*waiting)} == {200}

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

    async def counted(headers: identity.Headers, path: str) -> identity.Identity | None:
        looked_up.append("x")
        return await found(headers, path)

    monkeypatch.setattr(identity, "of_request", counted)
    cookie = {"cookie": f"sessionid={client.cookies['sessionid'].value}"}

    async def test() -> None:
        for method, path in (("GET", CHANGES), ("POST", "/api/v1/chat/messages"), ("HEAD", "/")):
            assert await writing._writer(asks(method, path, cookie)) is None
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


#: What a browser sends beside its cookie, and whether the API takes the cookie then.
SHOWN = [
    ((), True),
    (("Foo x",), True),
    (("",), True),
    (("Bearer\tx",), True),
    (("Foo x", "Bearer nonsense"), True),
    (("Bearer", "x"), True),
    (("Bearer",), False),
    (("Bearer nonsense",), False),
    (("\xa0bEARER nonsense",), False),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("authorization", "by_cookie"), SHOWN)
def test_who_asks_is_who_the_api_takes_them_for(
    alice: User, nba: Graph, authorization: tuple[str, ...], by_cookie: bool
) -> None:
    key = signed_in(alice).cookies["sessionid"].value
    # Of several headers Django makes one, in which the key is found.
    headers = [(b"cookie", b"theme="), (b"cookie", f"; sessionid={key}".encode())]
    headers += [(b"authorization", value.encode("latin1")) for value in authorization]

    async def test() -> None:
        async with asked("GET", "/api/v1/kinds", more_headers=headers) as answer:
            await answer.until(lambda each: each.complete)
        assert answer.status == (200 if by_cookie else 401)
        post: dict[str, Any] = {"type": "http", "method": "POST", "query_string": b"", "headers": headers}
        for path, known in ((CHANGES, by_cookie), ("/import/", True)):
            writes = ASGIRequest({**post, "path": path}, io.BytesIO())
            assert await writing._writer(writes) == (alice.pk if known else None), path
            person = await large_answers._person({**post, "path": path})
            assert (person and person.user.pk) == (alice.pk if known else None), path

    run(test)


@pytest.mark.django_db(transaction=True)
def test_pages_know_no_token(alice: User) -> None:
    bearer = {"authorization": f"Bearer {tokens.issue(alice).access}"}
    assert asyncio.run(writing._writer(asks("POST", "/import/", bearer))) is None


@pytest.mark.django_db(transaction=True)
def test_imports_have_turns_of_their_own(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[str] = []
    key = signed_in(alice).cookies["sessionid"].value
    take = Turns.take

    async def noted(turns: Turns, who: Who) -> Any:
        kinds.append(who[1])
        return await take(turns, who)

    monkeypatch.setattr(Turns, "take", noted)

    async def test() -> None:
        for path in ("/api/v1/graphs/import", "/api/v1/objects/company/import"):
            await request("POST", path, alice, {})
        for path in ("/import/", "/objects/company/import/"):
            await request("POST", path, None, {}, cookie=f"sessionid={key}")
        for path in (CHANGES, "/api/v1/objects/company/import/changes"):
            await request("POST", path, alice, {})

    run(test)
    assert kinds == [*["imports"] * 4, "writes", "writes"]
