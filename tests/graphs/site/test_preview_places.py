"""Previews: a few at a time of a process and one of a person, and who waits keeps nobody else from anything."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from chat.models import Proposal
from graphs.history import changes, diffs
from graphs.models import Graph, Node, Object, Workspace
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site import preview_places
from graphs.site.preview_places import MOST, PreviewEnded, TooManyPreviews, place, require_time
from tests.cast import draw_nba, signed_in
from tests.chat.engine.driving import until
from tests.graphs.api.callers import post_json, problem
from tests.graphs.history.test_rollback import by
from tests.proposed import RENAME, waiting

pytestmark = pytest.mark.django_db(transaction=True)
ROLLBACK = "/api/v1/history/{}/rollback"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview_places, "WAIT_S", 0.2)
    monkeypatch.setattr(preview_places, "WAIT_HOLDING_S", 0.1)


@pytest.fixture
def threads() -> Iterator[Callable[..., "Future[object]"]]:
    """Does something in a thread of its own, which gives its connection back."""
    pool = ThreadPoolExecutor()

    def start(deed: Callable[..., object], *given: object) -> "Future[object]":
        def done() -> object:
            try:
                return deed(*given)
            finally:
                connection.close()

        return pool.submit(done)

    yield start
    pool.shutdown()


@contextmanager
def held(of: Object) -> Iterator[None]:
    """Somebody holds the object, and does not let go."""
    with transaction.atomic():
        Object.objects.select_for_update().get(pk=of.pk)
        yield


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])


def test_few_have_a_place_and_one_person_has_one() -> None:
    with place(1):
        with pytest.raises(TooManyPreviews), place(1):
            pass
        with place(2):
            with pytest.raises(TooManyPreviews), place(3):
                pass
            assert sorted(preview_places._taken) == [1, 2]
        with place(3):
            pass
    assert MOST == 2
    assert list(preview_places._taken) == []


def test_a_place_is_free_after_a_failure_and_goes_to_who_waits(
    monkeypatch: pytest.MonkeyPatch, threads: Callable[..., "Future[object]"]
) -> None:
    monkeypatch.setattr(preview_places, "WAIT_S", 20)

    def waiting_for_it() -> bool:
        connection.ensure_connection()
        with place(1):
            return connection.connection is None

    def failing() -> None:
        with place(1):
            ready.set()
            assert failed.wait(20)
            raise ZeroDivisionError

    ready, failed = threading.Event(), threading.Event()
    fails = threads(failing)
    ready.wait(20)
    waits = threads(waiting_for_it)
    until(lambda: bool(preview_places._free._waiters))  # type: ignore[attr-defined]
    failed.set()
    assert isinstance(fails.exception(20), ZeroDivisionError)
    assert waits.result(20) is True  # it waited without a connection


def test_a_place_that_is_held_for_too_long_is_free_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    with place(1), place(2):
        with pytest.raises(TooManyPreviews), place(3):
            pass
        monkeypatch.setattr(preview_places, "LAPSES_S", 0.1)
        with place(3):
            monkeypatch.undo()
            assert list(preview_places._taken) == [3]
    assert list(preview_places._taken) == []


def test_who_is_late_gives_back_no_place_but_the_own(monkeypatch: pytest.MonkeyPatch) -> None:
    late, next_one = place(1), place(1)
    late.__enter__()
    monkeypatch.setattr(preview_places, "LAPSES_S", 0.0)
    next_one.__enter__()
    monkeypatch.undo()
    late.__exit__(None, None, None)
    assert list(preview_places._taken) == [1]
    next_one.__exit__(None, None, None)
    assert list(preview_places._taken) == []


def test_who_holds_something_waits_within_the_transaction() -> None:
    with place(1), transaction.atomic():
        with pytest.raises(TooManyPreviews), place(1):
            pass
        assert connection.connection is not None


@pytest.fixture
def changed(nba: Graph, other_workspace: Workspace) -> str:
    """The id of a change set of a graph with edits that the history has not yet."""
    done = changes.apply(nba, [Update(Ref("node", "return"), {"name": "Return"}, {"name": "End"})], by(None))
    Object.objects.filter(pk=nba.pk).update(unsaved_since="2026-01-01T00:00:00Z")
    return str(done.change_set_id)


def test_a_preview_of_a_rollback_that_waits_for_an_object_has_no_place(
    alice: User, nba: Graph, changed: str, threads: Callable[..., "Future[object]"]
) -> None:
    client = signed_in(alice)
    with held(nba):
        waits = threads(post_json, client, ROLLBACK.format(changed), {"preview": True})
        until(somebody_waits)
        assert list(preview_places._taken) == []
    assert waits.result(20).status_code == 200  # type: ignore[attr-defined]


def test_a_preview_of_a_proposal_that_waits_for_an_object_has_no_place(
    alice: User, nba: Graph, threads: Callable[..., "Future[object]"]
) -> None:
    (proposal,) = waiting(alice, nba, RENAME)
    client = signed_in(alice)
    with held(nba):
        waits = threads(post_json, client, f"/api/v1/proposals/{proposal.pk}/preview", {})
        until(somebody_waits)
        assert list(preview_places._taken) == []
    assert waits.result(20).status_code == 200  # type: ignore[attr-defined]


def doors(proposal: Proposal, change_set: str) -> list[tuple[str, dict[str, object]]]:
    return [
        (f"/api/v1/proposals/{proposal.pk}/preview", {}),
        (ROLLBACK.format(change_set), {"preview": True}),
        ("/api/v1/history/rollback", {"preview": True, "scope": {"changeSets": [change_set]}}),
    ]


def test_too_many_previews_are_told_to_come_again(alice: User, nba: Graph, changed: str) -> None:
    (proposal,) = waiting(alice, nba, RENAME)
    client = signed_in(alice)
    page = f"/admin/graphs/changeset/{changed}/rollback/"
    admin = Client()
    admin.force_login(User.objects.create_superuser("root", password="x"))
    with place(-1), place(-2):
        for address, body in doors(proposal, changed):
            refused = post_json(client, address, body)
            problem(refused, 429, "throttled")
            assert int(refused["Retry-After"]) > 0
        assert admin.get(page).status_code == 429
        assert client.get("/api/v1/graphs/nba").status_code == 200
        assert client.get("/api/v1/graphs/nba/export").status_code == 200
    for address, body in doors(proposal, changed):
        assert post_json(client, address, body).status_code == 200
    assert admin.get(page).status_code == 200
    assert list(preview_places._taken) == []


def test_foreign_and_absent_previews_take_no_place(charlie: User, other_workspace: Workspace, changed: str) -> None:
    draw_nba(other_workspace)
    client = signed_in(charlie)
    with place(-1), place(-2):
        problem(post_json(client, ROLLBACK.format(changed), {"preview": True}), 404, "not_found")


def statement_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        return str(cursor.fetchone()[0])


def work_for_ever() -> None:
    while True:
        require_time()


def sleep(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


def test_work_ends_when_its_place_lapses(monkeypatch: pytest.MonkeyPatch) -> None:
    require_time()
    monkeypatch.setattr(preview_places, "LAPSES_S", 0.2)
    with pytest.raises(PreviewEnded) as ended, place(1):
        work_for_ever()
    assert not ended.value.process_ends
    require_time()
    assert list(preview_places._taken) == []


@pytest.mark.parametrize("holding", [True, False])
def test_a_statement_ends_when_its_place_lapses(monkeypatch: pytest.MonkeyPatch, holding: bool) -> None:
    before = statement_timeout()
    monkeypatch.setattr(preview_places, "LAPSES_S", 0.3)
    with pytest.raises(PreviewEnded), transaction.atomic() if holding else nullcontext(), place(1):
        sleep(30)
    assert statement_timeout() == before
    sleep(0.5)  # nothing of it is left


def test_no_statement_begins_after_it(monkeypatch: pytest.MonkeyPatch, nba: Graph) -> None:
    with place(1):
        monkeypatch.setattr(preview_places, "monotonic", lambda: preview_places._since[1] + 61)
        with pytest.raises(PreviewEnded):
            Object.objects.get(pk=nba.pk)


def test_a_place_with_time_bounds_no_statement() -> None:
    before = statement_timeout()
    with place(1), transaction.atomic():
        assert statement_timeout() == before


def test_who_had_a_place_does_not_work_on_beside_who_has_it_now(
    monkeypatch: pytest.MonkeyPatch, threads: Callable[..., "Future[object]"]
) -> None:
    monkeypatch.setattr(preview_places, "WAIT_S", 20)
    monkeypatch.setattr(preview_places, "LAPSES_S", 0.5)
    begun: list[int] = []

    def endless(user_id: int) -> None:
        with place(user_id):
            begun.append(user_id)
            work_for_ever()

    late = [threads(endless, user_id) for user_id in (1, 2)]
    until(lambda: len(begun) == MOST)
    with place(3):
        assert {type(each.exception(20)) for each in late} == {PreviewEnded}
    assert list(preview_places._taken) == []


@pytest.fixture
def renamed_twenty(nba: Graph, other_workspace: Workspace) -> str:
    """The id of a change set of many nodes."""
    sheet = nba.sheets.get(key="main")
    Node.objects.bulk_create(Node(graph=nba, sheet=sheet, key=f"n{n}", name="0", type="html") for n in range(20))
    done = changes.apply(nba, [Update(Ref("node", f"n{n}"), {"name": "0"}, {"name": "1"}) for n in range(20)], by(None))
    return str(done.change_set_id)


def test_previews_that_take_too_long_say_so_at_every_door(
    alice: User, nba: Graph, renamed_twenty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (proposal,) = waiting(alice, nba, RENAME)
    client = signed_in(alice)
    admin = Client()
    admin.force_login(User.objects.create_superuser("root", password="x"))
    page = f"/admin/graphs/changeset/{renamed_twenty}/rollback/"
    monkeypatch.setattr(preview_places, "LAPSES_S", 0.0)
    for address, body in doors(proposal, renamed_twenty):
        refused = post_json(client, address, body)
        assert "over a minute" in problem(refused, 503, "unavailable")["detail"]
        assert int(refused["Retry-After"]) > 0
    told = admin.get(page)
    assert (told.status_code, int(told["Retry-After"]) > 0) == (503, True)
    assert "over a minute" in told.content.decode()
    monkeypatch.undo()
    for address, body in doors(proposal, renamed_twenty):
        assert post_json(client, address, body).status_code == 200
    assert Proposal.objects.get(pk=proposal.pk).status == "pending"


def test_a_preview_ends_in_the_middle_of_its_differences(
    alice: User, nba: Graph, renamed_twenty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, entry = [], diffs._entry

    def slow(*given: Any) -> Any:
        made.append(given)
        if len(made) == 3:
            monkeypatch.setattr(preview_places, "monotonic", lambda: preview_places._since[alice.pk] + 61)
        return entry(*given)

    monkeypatch.setattr(diffs, "_entry", slow)
    problem(post_json(signed_in(alice), ROLLBACK.format(renamed_twenty), {"preview": True}), 503, "unavailable")
    assert len(made) == 3


@pytest.fixture
def process_ends(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    monkeypatch.setattr(preview_places, "_process_ends", False)
    return preview_places.end_all


def test_when_the_process_ends_all_end_and_none_begins(
    alice: User, nba: Graph, changed: str, monkeypatch: pytest.MonkeyPatch, process_ends: Callable[[], None],
    threads: Callable[..., "Future[object]"],
) -> None:  # fmt: skip
    monkeypatch.setattr(preview_places, "WAIT_S", 60)
    ready = threading.Event()

    def endless() -> None:
        with place(1):
            ready.set()
            work_for_ever()

    def waiting_for_it() -> None:
        with place(1):
            pass

    works = threads(endless)
    assert ready.wait(20)
    waits = threads(waiting_for_it)
    until(lambda: bool(preview_places._free._waiters))  # type: ignore[attr-defined]
    process_ends()
    for each in (works, waits):
        ended = each.exception(20)
        assert isinstance(ended, PreviewEnded)
        assert ended.process_ends
    refused = post_json(signed_in(alice), ROLLBACK.format(changed), {"preview": True})
    assert "restarts" in problem(refused, 503, "unavailable")["detail"]
    assert int(refused["Retry-After"]) > 0
