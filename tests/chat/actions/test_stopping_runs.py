"""Stopping one run while it ends: whoever is first counts, the other finds it done."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.actions import conversations
from chat.actions.refusals import Refused
from chat.models import Run, RunStatus, Session, StreamEvent
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.api.callers import ask
from tests.graphs.history.test_fast_updates import while_it_waits

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(alice: User, nba: Graph) -> Run:
    return Run.objects.get(pk=ask(alice)["runId"])


def stop(user: User, run: Run) -> None:
    conversations.stop_run(member_of(user), str(run.pk))


def test_who_comes_while_it_ends_finds_that_it_has_ended(alice: User, run: Run) -> None:
    Run.objects.update(status=RunStatus.RUNNING)

    def end() -> None:
        Session.objects.select_for_update(no_key=True).get(pk=run.session_id)
        Run.objects.update(status=RunStatus.SUCCEEDED, ended_at=timezone.now())

    with pytest.raises(Refused, match="has ended meanwhile"):
        while_it_waits(end, lambda: stop(alice, run)).result(30)
    run.refresh_from_db()
    assert (run.status, run.stop_requested_at) == (RunStatus.SUCCEEDED, None)


def test_two_who_stop_what_waits_end_it_once(alice: User, run: Run) -> None:
    with pytest.raises(Refused, match="has ended meanwhile"):
        while_it_waits(lambda: stop(alice, run), lambda: stop(alice, run)).result(30)
    assert StreamEvent.objects.filter(run_id=run.pk, type="done").count() == 1
