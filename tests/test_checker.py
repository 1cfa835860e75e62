"""A checker that finds nothing proves nothing: each test here breaks one thing."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from chat import actions
from chat.engine import claims, records
from chat.engine.states import State
from chat.events.append import append
from chat.events.vocabulary import EventType, NewEvent
from chat.models import Message, Process, Run, RunStatus, Session, Stream, StreamEvent
from chat.transcript import replay
from graphs.access import member_of
from tests import checker

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(alice: User) -> claims.ClaimedRun:
    """A question that is being answered: some text, a thought and a tool call are stored."""
    actions.post_message(member_of(alice), "What happens when the API fails?")
    process = Process.objects.create(label="test")
    [claimed] = claims.claim(process.pk, 5)
    told: list[tuple[EventType, dict[str, Any]]] = [
        ("reasoning_delta", {"delta": "Let me see."}),
        ("tool_call_start", {"toolCallId": "a", "name": "search_nodes", "args": {"query": "API"}}),
        ("tool_call_result", {"toolCallId": "a", "result": {"nodes": []}}),
        ("content_delta", {"delta": "Nothing "}),
        ("content_delta", {"delta": "happens."}),
    ]
    with transaction.atomic():
        append(claimed.stream_id, [NewEvent(type_, data, claimed.message_id, claimed.id) for type_, data in told])
    return claimed


def finish(run: claims.ClaimedRun) -> None:
    transcript = replay(checker._events(Stream.objects.get(pk=run.stream_id)), run.id)
    ending = records.Ending(
        state=State(),
        outcome="finished",
        message_status=Message.Status.COMPLETE,
        run_status=RunStatus.SUCCEEDED,
        events=(NewEvent("done", {"reason": "finished", "fullText": transcript.text}, run.message_id, run.id),),
    )
    round_ = {"text": transcript.text, "toolCalls": [{**call, "arguments": "{}"} for call in transcript.tool_calls]}
    records.finish(run, ending, transcript, [round_], [], None)


def test_it_accepts_what_is_right(run: claims.ClaimedRun) -> None:
    checker.check_database()
    finish(run)
    checker.check_database()


def _lose_an_event(run: claims.ClaimedRun) -> None:
    StreamEvent.objects.filter(stream=run.stream_id, sequence=5).delete()


def _lose_the_first(run: claims.ClaimedRun) -> None:
    StreamEvent.objects.filter(stream=run.stream_id, sequence=1).delete()


def _count_too_far(run: claims.ClaimedRun) -> None:
    Stream.objects.update(last_sequence=F("last_sequence") + 1)


@pytest.mark.parametrize("damage", [_lose_an_event, _lose_the_first, _count_too_far])
def test_it_finds_gaps(run: claims.ClaimedRun, damage: Callable[[claims.ClaimedRun], None]) -> None:
    damage(run)
    with pytest.raises(AssertionError, match="gaps"):
        checker.check_gap_free()


@pytest.mark.parametrize(
    ("field", "value"),
    [("content", "Something happens."), ("reasoning", ""), ("rounds", [])],
)
def test_it_finds_a_message_that_is_not_what_readers_saw(run: claims.ClaimedRun, field: str, value: Any) -> None:
    finish(run)
    Message.objects.filter(pk=run.message_id).update(**{field: value})
    with pytest.raises(AssertionError, match=str(run.message_id)):
        checker.check_replay()


def test_it_finds_a_question_that_readers_did_not_see(run: claims.ClaimedRun) -> None:
    Message.objects.filter(role=Message.Role.USER).update(content="What else?")
    with pytest.raises(AssertionError, match="questions"):
        checker.check_replay()


def test_it_finds_a_second_end_and_what_comes_after_it(run: claims.ClaimedRun) -> None:
    finish(run)
    append(run.stream_id, [NewEvent("done", {"reason": "stopped", "fullText": ""}, run.message_id, run.id)])
    with pytest.raises(AssertionError, match="ends of run"):
        checker.check_replay()


def test_it_finds_events_after_the_end(run: claims.ClaimedRun) -> None:
    finish(run)
    append(run.stream_id, [NewEvent("status", {"state": "running"}, run.message_id, run.id)])
    with pytest.raises(AssertionError, match="went on"):
        checker.check_replay()


def test_it_finds_a_run_that_nobody_drives(run: claims.ClaimedRun) -> None:
    checker.check_nothing_left_running()
    Process.objects.all().delete()
    with pytest.raises(AssertionError, match=str(run.id)):
        checker.check_nothing_left_running()


def test_it_finds_what_looks_busy_for_ever(run: claims.ClaimedRun) -> None:
    finish(run)
    Session.objects.update(phase="CALLING_AI")
    with pytest.raises(AssertionError, match="busy"):
        checker.check_nothing_left_running()
    Session.objects.update(phase="IDLE")
    Message.objects.filter(pk=run.message_id).update(status=Message.Status.STREAMING)
    with pytest.raises(AssertionError, match="still being written"):
        checker.check_nothing_left_running()


def test_it_compares_what_a_client_got(run: claims.ClaimedRun) -> None:
    finish(run)
    assert Run.objects.get(pk=run.id).last_sequence is not None
    name = Stream.objects.get(pk=run.stream_id).name
    for stored in (checker.stored_frames(name), checker.stored_events(name)):
        asked = [{**event, "_id": 7} for event in stored]
        checker.check_received([{"type": "ai:accepted", "_id": 7}, *asked], stored, caught_up=True)
        checker.check_received(stored[3:6], stored, after=3)
        wrong = {
            "a gap": stored[:2] + stored[3:],
            "twice": [*stored[:2], *stored[1:]],
            "another order": [stored[1], stored[0]],
            "too much": [*stored, {**stored[-1], "sequence": len(stored) + 1}],
            "changed": [{**stored[0], "runId": str(uuid.uuid4())}],
        }
        for received in wrong.values():
            with pytest.raises(AssertionError):
                checker.check_received(received, stored)
        with pytest.raises(AssertionError, match="never received"):
            checker.check_received(stored[:-1], stored, caught_up=True)
