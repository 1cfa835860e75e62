"""A process that is stopped until another one has taken over its run writes nothing about it when it wakes."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import Message, Process, Run, RunStatus, Stream
from chat.tasks import delete_leftovers
from graphs.models import Graph
from tests.chat.engine.driving import until
from tests.faults.crash_orders import Orders
from tests.faults.crash_points import Point
from tests.faults.crash_scripts import asked
from tests.faults.crash_stage import MESSAGES, NBA, TAKEN_OVER_WITHIN_S, Stage
from tests.site import site
from tests.web_process import WebProcess

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.django_db(transaction=True)]

TELL = {"text": "It fetches the games of the day and gives them back to you.", "delay_s": 0.05}
#: Frozen before each of these; in a usual run at one of them, another one every day.
PLACES = (
    Point("chat.engine.runs:start:on_commit"),  # it owns the run and has written nothing yet
    Point("chat.engine.run_storage:finish"),  # in the middle of a transaction, with the rows of the run in its hands
    Point("chat.engine.enriching:enrich"),
    Point("chat.engine.calling:perform"),
    Point("chat.events.writer:GroupWriter._commit"),
    Point("chat.engine.answer:LiveAnswer.show", nth=5),
)


@pytest.fixture
def stage(transactional_db: None, alice: User, nba: Graph, tmp_path: Path) -> Iterator[Stage]:
    with site(2, "tests.faults.crashing", CRASH_ORDERS=str(tmp_path)) as here:
        yield Stage(here, Orders(tmp_path))


def taken_over(stage: Stage, point: Point) -> Run:
    """A run whose process froze there, once it rests with another one."""
    stage.prepare(point.place, "before", point.nth, "SIGSTOP")
    stage.arm()

    def ask() -> None:
        with suppress(HTTPError):  # It may answer when it wakes.
            stage.at_first("POST", MESSAGES, {"context": NBA, "message": asked(TELL)})

    Thread(target=ask, daemon=True).start()
    frozen = Process.objects.get(label__endswith=f":{stage.await_freeze().process.pid}")
    run = Run.objects.latest("created_at")
    stage.rests(str(run.session_id))
    run.refresh_from_db()
    assert run.process != frozen.pk
    assert run.attempts == 2
    return run


@pytest.mark.timeout(600)
def test_it_writes_nothing_when_it_wakes(stage: Stage, subtests: pytest.Subtests) -> None:
    places = PLACES if os.environ.get("FULL") else [PLACES[int(time.time() // 86_400) % len(PLACES)]]
    for point in places:
        with subtests.test(place=point.place):
            run = taken_over(stage, point)
            lets_go(thawed(stage), run)
            stage.all_hangs_together(str(run.session_id))
    with subtests.test("forgotten"):
        run = taken_over(stage, PLACES[0])
        forget(stage)
        assert thawed(stage).process.wait(TAKEN_OVER_WITHIN_S) == 3
        stage.all_hangs_together(str(run.session_id))


def thawed(stage: Stage) -> WebProcess:
    assert stage.dead is not None
    stage.dead.thaw()
    return stage.dead


def lets_go(process: WebProcess, run: Run) -> None:
    """It has noticed, and the run is as the other process left it."""
    until(lambda: f"run {run.pk} was taken over" in process.log(), TAKEN_OVER_WITHIN_S)
    assert Stream.objects.get(session=run.session_id).last_sequence == run.last_sequence
    message = Message.objects.get(pk=run.message_id)
    assert TELL["text"].startswith(message.content), "two processes wrote one answer"
    assert run.status == RunStatus.FAILED or message.content == TELL["text"]


def forget(stage: Stage) -> None:
    """What the worker does about a process that has been silent for long; when it wakes, it has to end itself."""
    assert stage.dead is not None
    frozen = Process.objects.filter(label__endswith=f":{stage.dead.process.pid}")
    frozen.update(seen_at=timezone.now() - timedelta(hours=1))
    delete_leftovers()
    assert not frozen.exists()
