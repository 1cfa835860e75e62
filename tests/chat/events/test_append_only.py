"""Events are written once: PostgreSQL refuses the rest to everybody; functions of its own fold and erase."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from django.db.models.functions import Now

from chat.models import Run, Session, Stream, StreamEvent
from graphs.models import Workspace
from tests.chat.events.old_runs import a_run

pytestmark = pytest.mark.django_db(transaction=True)

REFUSED = [
    "UPDATE chat_streamevent SET type = 'forged'",
    "DELETE FROM chat_streamevent",
    "DELETE FROM chat_streamevent WHERE false",
    "TRUNCATE chat_streamevent",
    "DO $$ BEGIN DELETE FROM chat_streamevent /* PL/pgSQL function chat_fold_events( */; END $$",
    "CREATE FUNCTION pg_temp.not_chat_fold_events() RETURNS void LANGUAGE plpgsql AS "
    "'BEGIN DELETE FROM chat_streamevent; END'; SELECT pg_temp.not_chat_fold_events()",
]


@pytest.fixture
def session(alice: User, demo_workspace: Workspace) -> Session:
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=demo_workspace)
    session = Session.objects.create(workspace=demo_workspace, owner=alice, stream=stream, title="Old")
    a_run(session)
    return session


@pytest.mark.parametrize("statement", REFUSED)
def test_they_are_not_rewritten(session: Session, statement: str) -> None:
    before = list(StreamEvent.objects.order_by("sequence").values())
    with pytest.raises(IntegrityError, match="events are append-only"), connection.cursor() as cursor:
        cursor.execute(statement)
    assert list(StreamEvent.objects.order_by("sequence").values()) == before


def fold(days: int, stretch: int, row_chars: int) -> list[int]:
    """How many events became fewer, for each step of the function."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT events FROM chat_fold_events(%s, %s, %s)", [days, stretch, row_chars])
        return [events for (events,) in cursor.fetchall()]


def test_who_folds_chooses_no_other_bounds_than_compaction_has(session: Session) -> None:
    most = 2**31 - 1
    assert fold(0, most, most) == [30]
    a_run(session, days_ago=-1)
    assert fold(-100_000, 10, 10) == []
    Run.objects.filter(folded_to=0).update(ended_at=Now())
    assert fold(0, 0, 0) == [0]
    (events,) = fold(0, most, -1)
    assert events < 30
