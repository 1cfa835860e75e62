"""`manage.py erase_conversation`: one conversation is gone for good, the others and the history stay."""

import uuid
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from chat.models import Message, Run, Session, Stream, StreamEvent
from graphs.models import Workspace
from tests import checker
from tests.chat.events.old_runs import a_run

pytestmark = pytest.mark.django_db(transaction=True)


def a_session(owner: User, workspace: Workspace) -> Session:
    stream = Stream.objects.create(name=f"session_{uuid.uuid4()}", workspace=workspace)
    found = Session.objects.create(workspace=workspace, owner=owner, stream=stream, title="Old")
    a_run(found)
    return found


def test_it_erases_one_conversation_and_no_other(alice: User, demo_workspace: Workspace) -> None:
    gone, kept = a_session(alice, demo_workspace), a_session(alice, demo_workspace)
    events = StreamEvent.objects.filter(stream=gone.stream_id).count()
    told = StringIO()
    call_command("erase_conversation", str(gone.pk), stdout=told)
    assert told.getvalue() == f"Erased the conversation {gone.pk} and its {events} events.\n"
    assert list(Session.objects.all()) == [kept]
    assert not Stream.objects.filter(pk=gone.stream_id).exists()
    assert StreamEvent.objects.count() == events
    for model in (Message, Run):
        assert set(model.objects.values_list("session", flat=True)) == {kept.pk}
    checker.check_database()


def test_it_says_that_there_is_none(alice: User, demo_workspace: Workspace) -> None:
    kept = a_session(alice, demo_workspace)
    absent = uuid.uuid4()
    with pytest.raises(CommandError, match=f"There is no conversation {absent}"):
        call_command("erase_conversation", str(absent))
    with pytest.raises(CommandError, match="invalid"):
        call_command("erase_conversation", "nonsense")
    assert Session.objects.get() == kept
