"""A run begins in the transaction that stores it, where this process can drive it; otherwise it waits to be claimed."""

import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from unittest.mock import Mock

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.access import identity
from chat.access.checks import Reader
from chat.actions import conversations, deciding
from chat.engine import calling, claims, enriching, prompt_loading, run_storage
from chat.engine.answer import LiveAnswer
from chat.engine.available_models import configured
from chat.engine.endings import Endings
from chat.engine.model_calls import ModelCalls
from chat.engine.states import Limits
from chat.events.transcript import Transcript
from chat.models import AlwaysSend, Budget, Message, ModelCall, Presence, Run, RunStatus, SentRequest, Session
from chat.providers.pieces import Usage
from chat.queries.conversations import held_session
from chat.sockets import commands, frames
from chat.spending.calls import CallCost
from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests import cast, checker
from tests.chat.engine.driving import Bystander, Engine, ask, engine, events, of_run, rested, types, until
from tests.proposed import RENAME, waiting
from tests.vendors import VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        return cursor.rowcount > 0


def asks_meanwhile(act: Callable[[], object], person: User, session_id: str) -> uuid.UUID:
    """The run of a question that had to wait for the conversation while somebody acted on it."""

    def later() -> uuid.UUID:
        try:
            return ask(person, "three", session_id=session_id).run_id
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            held_session(member_of(person), session_id)
            waits = pool.submit(later)
            until(somebody_waits)
            act()
        return waits.result(30)


def test_it_begins_with_the_message(bystander: Bystander, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "one")
    run = Run.objects.get(pk=accepted.run_id)
    assert (run.status, run.process, run.attempts) == (RunStatus.RUNNING, bystander.process_id, 1)
    assert [event.data["state"] for event in of_run(run.pk) if event.type == "status"] == ["queued", "started"]
    assert run.first_sequence == events(accepted.session_id)[-1].sequence
    (begun,) = bystander.adopted
    assert (begun.id, begun.first_sequence, begun.epoch) == (run.pk, run.first_sequence, run.epoch)
    assert begun.member is not None
    assert not begun.resumed
    checker.check_gap_free()


def test_it_waits_behind_another(bystander: Bystander, alice: User, nba: Graph) -> None:
    first = ask(alice, "one")
    second = ask(alice, "two", session_id=str(first.session_id))
    assert [run.id for run in bystander.adopted] == [first.run_id]
    assert Run.objects.get(pk=second.run_id).status == RunStatus.QUEUED


def test_who_waited_for_the_conversation_comes_behind_what_was_written_meanwhile(
    bystander: Bystander, alice: User, nba: Graph
) -> None:
    session_id = str(ask(alice, "one").session_id)
    Run.objects.update(status=RunStatus.SUCCEEDED)
    third = asks_meanwhile(lambda: ask(alice, "two", session_id=session_id), alice, session_id)
    asked = Message.objects.filter(role="user").order_by("sequence")
    assert [(message.content, message.sequence) for message in asked] == [("one", 1), ("two", 3), ("three", 5)]
    assert Run.objects.get(pk=third).status == RunStatus.QUEUED


def test_who_waited_for_a_decision_comes_behind_its_note(bystander: Bystander, alice: User, nba: Graph) -> None:
    (early,) = waiting(alice, nba, RENAME)
    session_id = str(early.session_id)
    ask(alice, "And more", session_id=session_id)
    decide = partial(deciding.decide, member_of(alice), str(early.pk), deciding.Decision(approved=True))
    third = asks_meanwhile(decide, alice, session_id)
    written = Message.objects.filter(session=early.session_id).order_by("sequence").values_list("role", "kind")
    assert list(written)[-3:] == [("user", "note"), ("user", "text"), ("assistant", "text")]
    assert Run.objects.get(pk=third).status == RunStatus.QUEUED


def test_who_waited_for_a_stop_begins_at_once(bystander: Bystander, alice: User, nba: Graph) -> None:
    session_id = str(ask(alice, "one").session_id)
    Run.objects.update(status=RunStatus.QUEUED, process=None, first_sequence=None)
    third = asks_meanwhile(lambda: conversations.stop(member_of(alice), session_id), alice, session_id)
    assert Run.objects.get(pk=third).status == RunStatus.RUNNING


def test_it_waits_when_no_runner_is_here(transactional_db: None, alice: User, nba: Graph) -> None:
    assert Run.objects.get(pk=ask(alice, "one").run_id).status == RunStatus.QUEUED


def test_it_is_left_to_processes_that_know_the_state(bystander: Bystander, alice: User, nba: Graph) -> None:
    first = ask(alice, "one")
    Run.objects.filter(pk=first.run_id).update(status=RunStatus.SUCCEEDED)
    Session.objects.update(state={"version": 10_000})
    second = ask(alice, "two", session_id=str(first.session_id))
    assert Run.objects.get(pk=second.run_id).status == RunStatus.QUEUED


def test_it_is_given_to_nobody_when_the_transaction_fails(bystander: Bystander, alice: User, nba: Graph) -> None:
    with transaction.atomic():
        ask(alice, "one")
        transaction.set_rollback(True)
    assert bystander.adopted == []
    assert not Run.objects.exists()


def test_one_whose_commit_was_not_answered_is_claimed_again(bystander: Bystander, alice: User, nba: Graph) -> None:
    run = Run.objects.get(pk=ask(alice, "one").run_id)
    claim = [bystander.process_id, 10]
    assert claims.claim(*claim) == []
    Run.objects.update(started_at=timezone.now() - timedelta(seconds=2 * settings.PROCESS_SILENT_S))
    assert claims.claim(*claim, driven=[run.pk]) == []
    (again,) = claims.claim(*claim, driven=[])
    assert (again.id, again.resumed, again.epoch) == (run.pk, True, run.epoch + 1)


def test_a_whole_answer(vendor: VendorServer, alice: User, nba: Graph) -> None:
    with engine() as here:
        accepted = ask(alice, "SCRIPT:hello")
        assert Run.objects.get(pk=accepted.run_id).process == here.runtime.process_id
        assert rested(accepted.run_id).status == RunStatus.SUCCEEDED
    assert types(of_run(accepted.run_id))[:2] == ["user_message", "status"]
    checker.check_database()


def test_who_ends_takes_nothing_more(running: Engine, alice: User, nba: Graph) -> None:
    running.runtime.runner._claiming = False
    assert Run.objects.get(pk=ask(alice, "one").run_id).status == RunStatus.QUEUED


@pytest.mark.parametrize(("context", "most"), [(None, 6), (Ref("graph", "nba"), 6)])
def test_a_question_reaches_the_vendor_in_few_statements(
    bystander: Bystander, alice: User, nba: Graph, context: Ref | None, most: int
) -> None:
    """By socket, in a conversation that goes on, where nothing is rare. What stores the first token comes besides."""
    session_id = str(ask(alice, "one", context=context).session_id)
    enriching.enrich(bystander.adopted[0], member_of(alice))
    Run.objects.update(status=RunStatus.SUCCEEDED)
    (person,) = identity.identify([cast.signed_in(alice).cookies["sessionid"].value])
    assert person is not None
    frame = frames.Chat.model_validate({"type": "ai:chat", "message": "two", "sessionId": session_id})
    with CaptureQueriesContext(connection) as captured:
        commands.post(Reader(person), "", frame)
        run = bystander.adopted[1]
        assert run.member is not None
        enriching.enrich(run, run.member)
    made = [each["sql"] for each in captured.captured_queries if each["sql"] not in {"BEGIN", "COMMIT"}]
    assert len(made) <= most, "\n".join(made)


@pytest.mark.parametrize(("context", "most"), [(None, 5), (Ref("graph", "nba"), 6)])
def test_a_new_conversation_reaches_the_vendor_in_few_statements(
    bystander: Bystander, alice: User, nba: Graph, context: Ref | None, most: int
) -> None:
    """By socket, where nothing is rare. What stores the first token comes besides."""
    (person,) = identity.identify([cast.signed_in(alice).cookies["sessionid"].value])
    assert person is not None
    about = {"type": context.type, "id": context.key} if context else None
    frame = frames.Chat.model_validate({"type": "ai:chat", "message": "one", "context": about})
    with CaptureQueriesContext(connection) as captured:
        answer, stream = commands.post(Reader(person), "", frame, process := uuid.uuid4())
        (run,) = bystander.adopted
        assert run.member is not None
        enriching.enrich(run, run.member)
    made = [each["sql"] for each in captured.captured_queries if each["sql"] not in {"BEGIN", "COMMIT"}]
    assert len(made) <= most, "\n".join(made)
    assert stream is not None
    assert (stream.id, stream.name, stream.last_sequence) == (run.stream_id, answer["stream"], run.first_sequence)
    assert Presence.objects.get().process == process
    assert Presence.objects.get().stream_id == stream.id
    checker.check_gap_free()


@pytest.mark.parametrize("about", ["graph", "nothing"])
@pytest.mark.parametrize("rare", ["nothing", "budget", "always sent"])
def test_what_was_just_opened_is_what_would_be_read(
    bystander: Bystander, alice: User, nba: Graph, about: str, rare: str
) -> None:
    member = member_of(alice)
    if rare == "budget":
        Budget.objects.create(workspace=nba.workspace, limit=1)
    if rare == "always sent":
        AlwaysSend.objects.create(workspace=nba.workspace, object_type="graph", object_key="nba")
    context, found = (Ref("graph", "nba"), nba) if about == "graph" else (None, None)
    with transaction.atomic():
        conversations.post_message(member, "one", context=context, found=found)
    (run,) = bystander.adopted
    assert run.opening is not None
    opened, read = prompt_loading.just_opened(run, run.opening), prompt_loading.read_earlier(run, member)
    assert (opened.budgets, opened.always_sent) == (rare == "budget", rare == "always sent")
    same = ("about", "messages", "budgets", "always_sent", "summary")
    assert [getattr(opened, name) for name in same] == [getattr(read, name) for name in same]
    prompt = enriching.enrich(run, member)
    assert prompt_loading.load_prompt(run, member).messages == prompt.messages


def test_a_run_ends_in_few_statements(bystander: Bystander, alice: User, nba: Graph) -> None:
    """With what its call took: it is held, what is known already is read, and everything is stored at once."""
    ask(alice, "one")
    run = bystander.adopted[0]
    prompt = enriching.enrich(run, member_of(alice))
    calls = ModelCalls(run, answer := LiveAnswer(run, Mock(), Transcript()))
    end = Endings(answer, calls, Limits()).finished(run.state, answer.transcript)
    config = configured().resolve()
    call = calling.prepare(config, prompt, answer, tools=True)
    cost = CallCost(
        config.name, config.model, Usage(prompt_tokens=10, completion_tokens=2), None, 1, "complete", sent=call.sent
    )
    with CaptureQueriesContext(connection) as captured:
        run_storage.finish(run, end, answer.transcript, [], [cost])
    made = [each["sql"] for each in captured.captured_queries if each["sql"] not in {"BEGIN", "COMMIT"}]
    assert len(made) <= 3, "\n".join(made)
    assert ModelCall.objects.get().prompt_tokens == 10
    assert SentRequest.objects.get().run_id == run.id
    assert Session.objects.get().usage["promptTokens"] == 10
    checker.check_gap_free()
