"""Previews: a few at a time of a process and one of a person, and who waits keeps nobody else from anything."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from chat.models import Proposal
from graphs.history import changes
from graphs.models import Graph, Object, Workspace
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site import preview_places
from graphs.site.preview_places import MOST, TooManyPreviews, place
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
