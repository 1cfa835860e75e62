import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.engine.claims import ClaimedRun
from chat.engine.run_storage import shown_so_far
from chat.events.transcript import Transcript, replay
from chat.events.vocabulary import NewEvent, StoredEvent
from chat.models import Call
from tests.chat.events.logs import a_stream, append_now

ANSWER, OTHER = uuid.uuid4(), uuid.uuid4()
CALLS = ["call_a", "call_b", "call_c"]
texts = st.text(st.characters(), max_size=8)  # surrogates and NUL included


def as_stored(events: list[NewEvent]) -> list[StoredEvent]:
    """What the log makes of them: storable, neighbours merged, numbered."""
    merged: list[NewEvent] = []
    for event in (event.storable() for event in events):
        both = merged[-1].merged_with(event) if merged else None
        if both is None:
            merged.append(event)
        else:
            merged[-1] = both
    now = datetime.now(UTC)
    return [
        StoredEvent(1, number, event.type, event.data, event.message_id, event.run_id, now)
        for number, event in enumerate(merged, 1)
    ]


@st.composite
def answers(draw: st.DrawFn) -> list[NewEvent]:
    """Events of one answer and of others between them; results only for calls that were started."""
    events: list[NewEvent] = []
    open_calls: list[str] = []
    for kind in draw(
        st.lists(st.sampled_from(["text", "thought", "start", "result", "status", "foreign"]), max_size=25)
    ):
        if kind == "text":
            events.append(NewEvent("content_delta", {"delta": draw(texts)}, ANSWER))
        elif kind == "thought":
            events.append(NewEvent("reasoning_delta", {"delta": draw(texts)}, ANSWER))
        elif kind == "status":
            events.append(NewEvent("status", {"state": "running"}, ANSWER))
        elif kind == "foreign":
            events.append(NewEvent("content_delta", {"delta": draw(texts)}, OTHER))
        elif kind == "start" and len(open_calls) < len(CALLS):
            open_calls.append(CALLS[len(open_calls)])
            data = {"toolCallId": open_calls[-1], "name": draw(texts), "args": {"query": draw(texts)}}
            events.append(NewEvent("tool_call_start", data, ANSWER))
        elif kind == "result" and open_calls:
            key = draw(st.sampled_from(["error", "node"]))
            data = {"toolCallId": draw(st.sampled_from(open_calls)), "result": {key: draw(texts)}}
            events.append(NewEvent("tool_call_result", data, ANSWER))
    return events


@given(answers())
def test_it_replays_to_what_grew_while_it_was_streamed(events: list[NewEvent]) -> None:
    grown = Transcript()
    for event in events:
        if event.message_id == ANSWER:
            grown.add(event.type, event.data)
    replayed = replay(as_stored(events), ANSWER)
    assert (replayed.text, replayed.reasoning) == (grown.text, grown.reasoning)
    assert replayed.tool_calls == grown.tool_calls
    assert replay(as_stored(events), ANSWER) == replayed
    (grown.text + grown.reasoning).encode()  # whatever a model wrote can be stored


@given(answers(), st.integers(0, 25))
def test_it_replays_page_by_page(events: list[NewEvent], cut: int) -> None:
    stored = as_stored(events)
    assert replay(stored[cut:], ANSWER, replay(stored[:cut], ANSWER)) == replay(stored, ANSWER)


def test_it_is_empty_until_readers_saw_something() -> None:
    transcript = Transcript()
    transcript.add("status", {"state": "retrying"})
    assert transcript.empty
    transcript.add("reasoning_delta", {"delta": "Hm"})
    assert not transcript.empty


@pytest.mark.parametrize(
    ("result", "status"), [({"nodes": []}, "ok"), ({"error": "no such node"}, "error"), ("text", "ok"), (None, "ok")]
)
def test_it_tells_whether_a_call_worked(result: Any, status: str) -> None:
    transcript = Transcript()
    transcript.add("tool_call_start", {"toolCallId": "a", "name": "search_nodes", "args": {"query": "x"}})
    assert transcript.tool_calls[0].status == "running"
    transcript.add("tool_call_result", {"toolCallId": "a", "result": result})
    assert transcript.tool_calls == [Call("a", "search_nodes", {"query": "x"}, result, status)]


def test_it_shows_a_proposal_as_a_call_that_waits_until_its_result_comes() -> None:
    transcript = Transcript()
    transcript.add("tool_call_start", {"toolCallId": "a", "name": "propose_delete_node", "args": {"nodeKey": "x"}})
    transcript.add("proposal", {"toolCallId": "a", "proposalId": "p", "diff": []})
    (call,) = transcript.tool_calls
    assert (call.status, call.result) == ("waiting", {"proposalId": "p", "status": "pending"})
    transcript.add("decision", {"toolCallId": "a", "proposalId": "p", "status": "applied"})
    assert transcript.calls["a"].status == "waiting"
    transcript.add("tool_call_result", {"toolCallId": "a", "result": {"proposalId": "p", "status": "applied"}})
    assert transcript.calls["a"].status == "ok"


@pytest.mark.django_db(transaction=True)
def test_it_finds_a_call_begun_a_thousand_events_before_its_result() -> None:
    """What a dead process has shown is read in pages."""
    stream = a_stream()
    started = {"toolCallId": "a", "name": "search_nodes", "args": {}}
    append_now(stream, NewEvent("tool_call_start", started, ANSWER))
    append_now(stream, *[NewEvent("content_delta", {"delta": "x"}, ANSWER)] * 1500)
    append_now(stream, NewEvent("tool_call_result", {"toolCallId": "a", "result": {}}, ANSWER))
    known = {"message_id": ANSWER, "stream_id": stream, "first_sequence": 1}
    run = ClaimedRun(**dict.fromkeys(ClaimedRun.__slots__) | known)  # type: ignore[arg-type]
    transcript = shown_so_far(run)
    assert transcript.text == "x" * 1500
    assert transcript.tool_calls[0].status == "ok"
