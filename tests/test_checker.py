"""A checker that finds nothing proves nothing: each test here breaks one thing."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F

from chat.actions import conversations
from chat.engine import claims, run_storage, summarising
from chat.engine.states import State
from chat.events.append import append
from chat.events.transcript import replay
from chat.events.vocabulary import EventType, NewEvent
from chat.models import (
    Message,
    Process,
    Purpose,
    Reservation,
    Round,
    Run,
    RunStatus,
    Session,
    Stream,
    StreamEvent,
    Summary,
)
from chat.prompts import window
from chat.prompts.cutting import HistoryCut
from graphs.history import live_edits
from graphs.models import Graph, LiveEdit
from graphs.objects import actions as actions_of_graphs
from graphs.site.access import member_of
from graphs.workflows.live import editing
from tests import captures, checker
from tests.captures import Capture, canary_of
from tests.checked_logs import ALLOWED, check_logs
from tests.rewriting import past_triggers

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(alice: User) -> claims.ClaimedRun:
    """A question that is being answered: some text, a thought and a tool call are stored."""
    conversations.post_message(member_of(alice), "What happens when the API fails?")
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
    transcript = replay(captures.events_of(Stream.objects.get(pk=run.stream_id)), run.message_id)
    ending = run_storage.Ending(
        state=State(),
        provenance=run_storage.Provenance(None, None),
        outcome="finished",
        message_status=Message.Status.COMPLETE,
        run_status=RunStatus.SUCCEEDED,
        events=(NewEvent("done", {"reason": "finished", "fullText": transcript.text}, run.message_id, run.id),),
    )
    round_ = Round(transcript.text, calls=tuple(replace(call, arguments="{}") for call in transcript.tool_calls))
    run_storage.finish(run, ending, transcript, [round_], [])


def test_it_accepts_what_is_right(run: claims.ClaimedRun) -> None:
    checker.check_database()
    finish(run)
    checker.check_database()


def _lose_an_event(run: claims.ClaimedRun) -> None:
    with past_triggers():
        StreamEvent.objects.filter(stream=run.stream_id, sequence=5).delete()


def _lose_the_first(run: claims.ClaimedRun) -> None:
    with past_triggers():
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


@pytest.fixture
def summary(run: claims.ClaimedRun) -> Summary:
    summarising.store_summary(run, HistoryCut(run.position, 0, (), 1), "They ask about the API.", "m", 1_000, 2)
    return Summary.objects.get()


def test_it_finds_a_summary_that_readers_were_told_otherwise(run: claims.ClaimedRun, summary: Summary) -> None:
    checker.check_summaries()
    Summary.objects.update(content="<data 1>\n\nSomething else.\n</data 1>")
    with pytest.raises(AssertionError, match="told summaries"):
        checker.check_summaries()


def test_it_finds_a_message_that_is_neither_sent_nor_summarised(
    monkeypatch: pytest.MonkeyPatch, run: claims.ClaimedRun, summary: Summary
) -> None:
    asked = Message.objects.get(role=Message.Role.USER)
    Summary.objects.update(kept=[asked.sequence])
    checker.check_summaries()
    monkeypatch.setattr(window, "sent", lambda messages, summary: [])
    with pytest.raises(AssertionError, match=str(asked.pk)):
        checker.check_summaries()


def test_it_finds_live_edits_that_nobody_will_save(alice: User, nba: Graph) -> None:
    asked = actions_of_graphs.parse("delete_node", {"nodeKey": "fetch-api"})
    editing.edit(member_of(alice), nba.pk, editing.Request([asked], key="mine", digest="mine"))
    checker.check_live_edits()
    Graph.objects.update(unsaved_since=None)
    with pytest.raises(AssertionError, match="unsaved edits"):
        checker.check_live_edits()


def test_it_finds_live_edits_that_the_history_has_not(alice: User, nba: Graph) -> None:
    asked = actions_of_graphs.parse("delete_node", {"nodeKey": "fetch-api"})
    editing.edit(member_of(alice), nba.pk, editing.Request([asked], key="mine", digest="mine"))
    live_edits.save_edits(nba.pk)
    checker.check_live_edits()
    LiveEdit.objects.update(items=["node:parse"])
    with pytest.raises(AssertionError, match="has more"):
        checker.check_live_edits()
    LiveEdit.objects.update(change_set=uuid.uuid4())
    with pytest.raises(AssertionError, match="not there"):
        checker.check_live_edits()


def test_it_finds_what_stays_set_aside(run: claims.ClaimedRun, alice: User) -> None:
    Reservation.objects.create(
        workspace=member_of(alice).workspace, run_id=run.id, epoch=run.epoch, purpose=Purpose.SUMMARY, provider="p",
        model="m", prompt_tokens=1, tokens=1, uses=[],
    )  # fmt: skip
    checker.check_reservations()
    finish(run)
    with pytest.raises(AssertionError, match="set aside"):
        checker.check_reservations()


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


@pytest.fixture
def two_workspaces(alice: User, charlie: User) -> dict[str, list[dict[str, Any]]]:
    """Alice and Charlie have each said something with the canary of their workspace: their frames."""
    frames = {}
    for person, workspace in ((alice, "demo"), (charlie, "other")):
        accepted = conversations.post_message(member_of(person), f"Do you know {canary_of(workspace)}?")
        frames[workspace] = checker.stored_frames(accepted.stream)
    return frames


def test_it_accepts_that_everybody_gets_what_is_theirs(two_workspaces: dict[str, list[dict[str, Any]]]) -> None:
    captures.check_clients([Capture("alice", two_workspaces["demo"]), Capture("charlie", two_workspaces["other"])])
    reading_later = two_workspaces["demo"][1:]
    captures.check_clients([Capture("alice", reading_later)])
    with pytest.raises(AssertionError, match="event 0"):
        captures.check_clients([Capture("alice", reading_later, began={reading_later[0]["stream"]: 0})])


def test_it_finds_an_event_of_another_workspace(two_workspaces: dict[str, list[dict[str, Any]]]) -> None:
    with pytest.raises(AssertionError, match="charlie received events of"):
        captures.check_clients([Capture("charlie", two_workspaces["demo"][-1:])])


def test_it_finds_a_canary_of_another_workspace(two_workspaces: dict[str, list[dict[str, Any]]]) -> None:
    answer = {"type": "ai:error", "error": f"There is no {canary_of('demo')} here."}
    captures.check_clients([Capture("alice", answers=[answer])])
    with pytest.raises(AssertionError, match="charlie received content"):
        captures.check_clients([Capture("charlie", answers=[answer])])


def test_it_finds_that_a_canary_was_never_planted(alice: User, charlie: User) -> None:
    conversations.post_message(member_of(alice), f"Do you know {canary_of('demo')}?")
    captures.check_canaries_are_planted()
    conversations.post_message(member_of(charlie), "Do you know nothing?")
    with pytest.raises(AssertionError, match="workspace other"):
        captures.check_canaries_are_planted()


TRACEBACK = """ERROR django.request: Internal Server Error: /
Traceback (most recent call last):
  File "chat/web/server.py", line 1, in run
    raise errors.Unknown("x")
chat.errors.Unknown: x
INFO countersign.server: serving
"""


def test_it_finds_what_no_log_may_hold(alice: User) -> None:
    check_logs("INFO countersign.server: serving", {"a-secret"})
    with pytest.raises(AssertionError, match="Authorization: …") as caught:
        check_logs("INFO all is well\nDEBUG httpx: Authorization: a-secret", {"a-secret"})
    assert "a-secret" not in str(caught.value).partition("\n")[0]
    with pytest.raises(AssertionError, match="content in the logs"):
        check_logs(f"WARNING refused: {canary_of('demo')}", set())
    with pytest.raises(AssertionError, match="traceback of Unknown"):
        check_logs(TRACEBACK, set())
    with pytest.raises(AssertionError, match="a traceback of  in"):
        check_logs(TRACEBACK.partition("chat.errors")[0], set())


def test_it_knows_which_tracebacks_are_allowed(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALLOWED, "Unknown", "only here")
    check_logs(TRACEBACK, set())
    with pytest.raises(AssertionError, match="traceback of KeyError"):
        check_logs(TRACEBACK + TRACEBACK.replace("chat.errors.Unknown: x", "KeyError"), set())
