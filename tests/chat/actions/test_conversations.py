import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import translation
from pytest_django import Settings

from chat.actions import conversations
from chat.actions.refusals import Refused
from chat.engine.states import Phase, State, Waiting
from chat.models import Message, Run, RunStatus, Session, StreamEvent
from chat.queries.conversations import hold
from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, member_of

pytestmark = pytest.mark.django_db
NBA = Ref("graph", "nba")


@pytest.fixture
def member(alice: User, nba: Graph) -> Member:
    return member_of(alice)


def numbers(session: Session) -> list[int]:
    return list(
        StreamEvent.objects.filter(stream=session.stream).order_by("sequence").values_list("sequence", flat=True)
    )


def test_it_stores_question_answer_run_and_events_together(member: Member) -> None:
    accepted = conversations.post_message(member, "Hello", context=NBA)
    session = Session.objects.get()
    assert [(each.role, each.sequence) for each in session.messages.all()] == [("user", 1), ("assistant", 2)]
    run = Run.objects.get()
    assert (run.status, run.message_id, run.author) == (RunStatus.QUEUED, accepted.message_id, member.user)
    assert numbers(session) == [1, 2, 3]
    assert accepted.after == 0
    again = conversations.post_into(hold(member.user, str(session.pk)), "More")
    assert again.after == 3
    assert numbers(session) == [1, 2, 3, 4, 5]


def test_it_leaves_nothing_of_a_message_that_is_refused(member: Member) -> None:
    for text, context, model in (("", NBA, ""), ("x", Ref("graph", "no"), ""), ("x", NBA, "no")):
        with pytest.raises((Refused, NotFound)), transaction.atomic():
            conversations.post_message(member, text, context=context, model=model)
    assert not Session.objects.exists()
    assert not StreamEvent.objects.exists()


@pytest.mark.parametrize("model", ["openai:o1-pro", "demo:other"])
def test_a_vendors_other_models_are_not_for_the_workspace_to_pay(
    member: Member, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    known = conversations.post_message(member, "Hello", context=NBA, model="openai")
    for ask in (
        lambda: conversations.post_message(member, "Hello", context=NBA, model=model),
        lambda: conversations.require_model(member, model),
    ):
        with pytest.raises(Refused) as refused, transaction.atomic():
            ask()
        assert refused.value.code == "model_unavailable"
    assert Session.objects.get().pk == known.session_id


def test_a_change_that_changes_nothing_writes_no_event(member: Member) -> None:
    session = Session.objects.get(pk=conversations.post_message(member, "Hello", context=NBA).session_id)
    before = numbers(session)
    for same in ({"title": session.title}, {"title": f" {session.title} "}, {"require_validation": False}, {}):
        conversations.update_session(member, str(session.pk), **same)
    assert numbers(session) == before
    conversations.update_session(member, str(session.pk), title="Another", require_validation=True)
    assert numbers(session) == [*before, before[-1] + 1]
    session.refresh_from_db()
    assert (session.title, session.require_validation) == ("Another", True)


def test_it_keeps_the_writers_language(member: Member) -> None:
    with translation.override("fr"):
        conversations.post_message(member, "Bonjour", context=NBA)
    assert Session.objects.get().language == "fr"


def test_it_takes_messages_up_to_the_limit(member: Member, settings: Settings) -> None:
    settings.MAX_MESSAGE_CHARS = 5
    conversations.post_message(member, "12345", context=NBA)
    with pytest.raises(Refused) as refused:
        conversations.post_message(member, "123456", context=NBA)
    assert (refused.value.code, list(refused.value.errors or {})) == ("validation", ["message"])


def waiting_session(member: Member, waiting: Waiting) -> Session:
    accepted = conversations.post_message(member, "Hello", context=NBA)
    Run.objects.update(status=RunStatus.SUCCEEDED)
    state = State(phase=Phase.WAITING_COMMUNICATION_RESPONSE, waiting=waiting)
    Session.objects.filter(pk=accepted.session_id).update(state=state.to_json(), phase=state.phase)
    return Session.objects.get()


def test_it_takes_only_the_answer_that_is_waited_for_and_only_once(member: Member) -> None:
    session = waiting_session(member, Waiting("tool_limit"))
    with pytest.raises(Refused):
        conversations.answer(member, str(session.pk), text="Yes")
    accepted = conversations.answer(member, str(session.pk), go_on=True)
    assert Run.objects.get(pk=accepted.run_id).trigger["go_on"] is True
    with pytest.raises(Refused) as refused:
        conversations.answer(member, str(session.pk), go_on=False)
    assert refused.value.code == "conflict"


def test_it_stops_the_run_that_is_driven_and_those_that_wait(member: Member) -> None:
    session_id = str(conversations.post_message(member, "One", context=NBA).session_id)
    running = Run.objects.get()
    Run.objects.update(status=RunStatus.RUNNING)
    waiting = conversations.post_into(hold(member.user, session_id), "Two")
    conversations.stop(member, session_id)
    running.refresh_from_db()
    assert running.stop_requested_at is not None
    assert Run.objects.get(pk=waiting.run_id).status == RunStatus.CANCELLED
    assert Message.objects.get(pk=waiting.message_id).status == "stopped"


def test_a_deleted_conversation_takes_nothing_more(member: Member) -> None:
    session_id = str(conversations.post_message(member, "One", context=NBA).session_id)
    conversations.delete_session(member, session_id)
    for act in (
        lambda: conversations.post_into(hold(member.user, session_id), "Two"),
        lambda: conversations.retry(member, session_id),
        lambda: conversations.stop(member, session_id),
        lambda: conversations.answer(member, session_id, text="x"),
        lambda: conversations.update_session(member, session_id, title="x"),
        lambda: conversations.delete_session(member, session_id),
    ):
        with pytest.raises(NotFound):
            act()


def test_only_its_owner_may_act_on_a_conversation(member: Member, bob: User, charlie: User) -> None:
    session_id = str(conversations.post_message(member, "One", context=NBA).session_id)
    for stranger in (member_of(bob), member_of(charlie)):
        with pytest.raises(NotFound):
            conversations.post_into(hold(stranger.user, session_id), "Two")
