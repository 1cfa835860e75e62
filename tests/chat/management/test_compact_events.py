import re
import uuid

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from pytest_django import Settings

from chat.models import Session, Stream, StreamEvent
from chat.tasks import compact_old_events
from graphs.models import Workspace
from tests.chat.events.old_runs import a_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(alice: User, demo_workspace: Workspace) -> Session:
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=demo_workspace)
    return Session.objects.create(workspace=demo_workspace, owner=alice, stream=stream, title="Old")


def test_it_says_what_it_folded_and_freed(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    a_run(session, days_ago=31)
    a_run(session, days_ago=29)
    call_command("compact_events")
    told = capsys.readouterr().out
    assert re.match(r"Folded 30 events in \d+\.\d s: 27 rows and [1-9][\d,]* bytes fewer\.", told)
    call_command("compact_events", days=28)
    assert "Folded 30 events" in capsys.readouterr().out
    call_command("compact_events", days=0)
    assert "Folded 0 events: there are none left to fold" in capsys.readouterr().out


def test_it_refuses_days_to_come() -> None:
    with pytest.raises(CommandError, match="--days"):
        call_command("compact_events", days=-1)


def test_the_daily_task_folds_what_is_as_old_as_the_settings_say(session: Session, settings: Settings) -> None:
    settings.COMPACT_EVENTS_DAYS = 10
    a_run(session, days_ago=11)
    a_run(session, days_ago=9)
    before = StreamEvent.objects.count()
    compact_old_events()
    assert StreamEvent.objects.count() == before - 27
