"""Folding old deltas changes nothing that anybody reads."""

import threading
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction

from chat.events import compaction, log_pages
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Run, RunStatus, Session, Stream, StreamEvent
from graphs.models import Workspace
from graphs.site.stored_json import UnknownVersion
from tests import checker
from tests.chat.events.logs import stored
from tests.chat.events.old_runs import a_run
from tests.rewriting import past_triggers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(alice: User, demo_workspace: Workspace) -> Session:
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=demo_workspace)
    return Session.objects.create(workspace=demo_workspace, owner=alice, stream=stream, title="Old")


def compact(days: int = 30) -> compaction.Folded:
    found = list(compaction.steps(days))
    return compaction.Folded(*(sum(getattr(step, name) for step in found) for name in ("events", "rows", "bytes")))


def rows(session: Session) -> int:
    return StreamEvent.objects.filter(stream=session.stream_id).count()


def test_neighbours_become_one_row_and_read_as_before(session: Session) -> None:
    a_run(session)
    before = stored(session.stream_id)
    done = compact()
    assert (done.events, done.rows) == (30, 27)
    assert done.bytes > 0
    assert rows(session) == len(before) - 27
    assert stored(session.stream_id) == before
    checker.check_database()


def test_a_second_time_changes_nothing(session: Session) -> None:
    a_run(session)
    compact()
    folded = list(StreamEvent.objects.order_by("sequence").values())
    assert compact() == compaction.Folded()
    assert list(StreamEvent.objects.order_by("sequence").values()) == folded


def test_what_is_younger_or_not_ended_stays(session: Session) -> None:
    a_run(session, days_ago=29)
    running = a_run(session)
    Run.objects.filter(pk=running.pk).update(ended_at=None, last_sequence=None, status=RunStatus.RUNNING)
    never_begun = a_run(session)
    Run.objects.filter(pk=never_begun.pk).update(first_sequence=None, last_sequence=None)
    assert compact() == compaction.Folded()
    assert compact(days=28).events == 30


def test_long_runs_are_folded_in_stretches_and_long_texts_in_pieces(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "STRETCH", 7)
    monkeypatch.setattr(compaction, "ROW_CHARS", 40)
    run = a_run(session)
    before = stored(session.stream_id)
    found = list(compaction.steps(30))
    assert len(found) == -(-(run.last_sequence - run.first_sequence + 1) // 7)
    assert 27 > sum(step.rows for step in found) > 10
    assert stored(session.stream_id) == before
    checker.check_database()


def test_it_may_be_interrupted_between_any_two_steps(session: Session) -> None:
    for seed in range(3):
        a_run(session, seed=seed)
    before = stored(session.stream_id)
    for _ in range(3):
        next(compaction.steps(30))
        assert stored(session.stream_id) == before
        checker.check_database()
    assert next(compaction.steps(30), None) is None


def every_read(stream_id: int, messages: list[uuid.UUID]) -> list[Any]:
    last = Stream.objects.get(pk=stream_id).last_sequence
    return [
        [
            log_pages.after({stream_id: cursor}, limit),
            [log_pages.of_message(stream_id, id_, cursor, limit) for id_ in messages],
        ]
        for cursor in range(last + 1)
        for limit in (1, 4, 1000)
    ]


def test_every_cursor_and_every_limit_give_the_same(session: Session) -> None:
    for seed in range(2):
        a_run(session, seed=seed)
    messages = list(session.messages.values_list("pk", flat=True))
    before = every_read(session.stream_id, messages)
    compact()
    assert every_read(session.stream_id, messages) == before


def test_streams_are_read_together_as_alone(session: Session, alice: User) -> None:
    stream = Stream.objects.create(name="session_other", workspace=session.workspace)
    other = Session.objects.create(workspace=session.workspace, owner=alice, stream=stream, title="Young")
    a_run(session)
    a_run(other, days_ago=1)
    cursors = {session.stream_id: 8, other.stream_id: 8}
    before = log_pages.after(cursors, 6)
    assert len(before) == 12
    compact()
    assert log_pages.after(cursors, 6) == before


def test_two_compactions_and_readers_at_once(session: Session, alice: User) -> None:
    sessions = [session]
    for number in range(5):
        stream = Stream.objects.create(name=f"session_{number}", workspace=session.workspace)
        sessions.append(Session.objects.create(workspace=session.workspace, owner=alice, stream=stream))
    for one in sessions:
        for seed in range(4):
            a_run(one, seed=seed)
    before = {one.pk: stored(one.stream_id) for one in sessions}
    totals: list[compaction.Folded] = []
    differences: list[uuid.UUID] = []
    finished = threading.Event()

    def fold() -> None:
        totals.append(compact())
        connections.close_all()

    def read() -> None:
        while not finished.is_set():
            differences.extend(one.pk for one in sessions if stored(one.stream_id) != before[one.pk])
        connections.close_all()

    folding, reader = [threading.Thread(target=fold) for _ in range(2)], threading.Thread(target=read)
    for thread in (reader, *folding):
        thread.start()
    for thread in folding:
        thread.join(60)
    finished.set()
    reader.join(30)
    assert sum(total.events for total in totals) == 6 * 4 * 30
    assert differences == []
    assert compact() == compaction.Folded()
    checker.check_database()


def test_a_run_that_somebody_holds_is_left_to_later(session: Session) -> None:
    run = a_run(session)
    found: list[compaction.Folded] = []

    def fold() -> None:
        found.append(compact())
        connections.close_all()

    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        thread = threading.Thread(target=fold)
        thread.start()
        thread.join(30)
    assert found == [compaction.Folded()]
    assert compact().events == 30


def test_a_page_is_bounded_by_bytes(session: Session) -> None:
    big = [NewEvent("content_delta", {"delta": "x" * 10_000}) for _ in range(40)]
    with transaction.atomic():
        append(session.stream_id, big)
    assert len(log_pages.after({session.stream_id: 0}, 500, 100_000)) == 10
    assert len(log_pages.after({session.stream_id: 0}, 500, 1)) == 1
    assert len(stored(session.stream_id)) == 40


def test_an_event_of_a_newer_version_is_refused(session: Session) -> None:
    a_run(session)
    with past_triggers():
        StreamEvent.objects.filter(stream=session.stream_id, sequence=5).update(version=2)
    assert len(log_pages.after({session.stream_id: 0}, 4)) == 4
    with pytest.raises(UnknownVersion, match="event of version 2"):
        log_pages.after({session.stream_id: 0}, 5)
    compact()
    with pytest.raises(UnknownVersion):
        stored(session.stream_id)
