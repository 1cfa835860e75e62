import pytest
from django.contrib.auth.models import User
from django.db import connection

from bench import timeline
from bench.long_log import fill
from chat.events import compaction
from chat.models import Session
from graphs.models import Membership, Role, Workspace
from tests import checker
from tests.chat.events.logs import stored

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def demo(demo_workspace: Workspace) -> User:
    found = User.objects.create_superuser("demo")
    Membership.objects.create(user=found, workspace=demo_workspace, role=Role.ADMIN)
    return found


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'chat_streamevent'")
        return {definition for (definition,) in cursor.fetchall()}


def test_a_long_log_is_one_like_any_other(demo: User, monkeypatch: pytest.MonkeyPatch) -> None:
    before = indexes()
    short, long = (Session.objects.get(pk=id_) for id_ in fill(6_000))
    assert indexes() == before
    lasts = [session.stream.last_sequence for session in (short, long)]
    assert lasts == [1_000, 2_000]
    checker.check_gap_free()
    events = stored(long.stream_id)
    assert sum(step.events for step in compaction.steps(30)) == 6 * 997
    assert stored(long.stream_id) == events
    monkeypatch.setattr(timeline, "_TIMES", 1)
    assert timeline.measure(str(long.pk), 2_000).keys() == timeline.pages(2_000).keys()
