"""A process that is stopped until another one has taken over its run writes nothing about it when it wakes."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from chat.models import Message, Process, Run, RunStatus, Stream
from chat.tasks import delete_silent_processes
from graphs.models import Graph
from tests.chat.engine.driving import until
from tests.faults.crash_orders import Orders
from tests.faults.crash_points import Point
from tests.faults.crash_scenarios import asked
from tests.faults.crash_stage import MESSAGES, NBA, TAKEN_OVER_WITHIN_S, Stage
from tests.site import site

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

TELL = {"text": "It fetches the games of the day and gives them back to you.", "delay_s": 0.05}
#: Frozen before each of these; in a usual run at the first two.
PLACES = (
    Point("chat.actions:_store:on_commit"),  # it owns the run and has written nothing yet
    Point("chat.engine.records:finish"),  # in the middle of a transaction, with the rows of the run in its hands
    Point("chat.engine.records:_enrich"),
    Point("chat.engine.calling:perform"),
    Point("chat.events.writer:GroupWriter._commit"),
    Point("chat.engine.answer:Answer.show", nth=5),
)


@pytest.fixture
def stage(transactional_db: None, alice: User, nba: Graph, tmp_path: Path) -> Iterator[Stage]:
    with site(2, "tests.faults.crashing", CRASH_ORDERS=str(tmp_path)) as here:
        yield Stage(here, Orders(tmp_path))


def taken_over(stage: Stage, point: Point) -> Run:
    """A run whose process froze there, once it rests with another one."""
    stage.prepare(point.place, "before", point.nth, "SIGSTOP")
    stage.arm()
    stage.at_first("POST", MESSAGES, {"context": NBA, "message": asked(TELL)}, timeout=3)
    frozen = Process.objects.get(label__endswith=f":{stage.await_freeze().process.pid}")
    run = Run.objects.latest("created_at")
    stage.rests(str(run.session_id))
    run.refresh_from_db()
    assert run.process != frozen.pk
    assert run.attempts == 2
    return run


@pytest.mark.timeout(600)
def test_it_lets_go_of_what_was_taken_over(stage: Stage, subtests: pytest.Subtests) -> None:
    for point in PLACES if os.environ.get("FULL") else PLACES[:2]:
        with subtests.test(place=point.place):
            wakes_up(stage, taken_over(stage, point))


def wakes_up(stage: Stage, run: Run) -> None:
    assert stage.dead is not None
    frozen = stage.dead
    frozen.thaw()
    until(lambda: f"run {run.pk} was taken over" in frozen.log(), TAKEN_OVER_WITHIN_S)
    assert Stream.objects.get(session=run.session_id).last_sequence == run.last_sequence
    message = Message.objects.get(pk=run.message_id)
    assert TELL["text"].startswith(message.content), "two processes wrote one answer"
    assert run.status == RunStatus.FAILED or message.content == TELL["text"]
    stage.all_hangs_together(str(run.session_id))


def test_it_ends_when_it_was_forgotten(stage: Stage) -> None:
    """Frozen for so long that its row was deleted, it ends itself."""
    run = taken_over(stage, PLACES[0])
    frozen = stage.dead
    assert frozen is not None
    of_the_frozen = Process.objects.filter(label__endswith=f":{frozen.process.pid}")
    of_the_frozen.update(seen_at="2026-01-01T00:00:00Z")
    delete_silent_processes()
    assert not of_the_frozen.exists()
    frozen.thaw()
    assert frozen.process.wait(TAKEN_OVER_WITHIN_S) == 3
    stage.all_hangs_together(str(run.session_id))
