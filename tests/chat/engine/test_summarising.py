"""A conversation that outgrows its model's window, over a real vendor's wire."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.actions import conversations, pinning
from chat.engine import claims, summarising
from chat.engine.states import Phase, State
from chat.events.append import Fenced
from chat.models import Call, Message, ModelCall, Purpose, Run, RunStatus, Session, Stream, Summary, calls_of
from chat.prompts.cutting import HistoryCut
from chat.prompts.round_messages import round_of
from chat.providers.model_request import ToolCall
from chat.providers.pieces import Reply
from chat.subjects import tools
from chat.subjects.tools import ParsedCall
from chat.tools.tool import ToolContext
from graphs.models import Graph, Node
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import Engine, ask, claimed_by_a_process_that_died, engine, events, of_run, rested
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "word " * 2_200
DETAIL = {"nodeKey": "fetch-api"}


@pytest.fixture(autouse=True)
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTOM_CONTEXT_WINDOW", "14600")


def turn(user: User, text: str, session: str = "") -> Any:
    accepted = ask(user, text, session_id=session) if session else ask(user, text)
    assert rested(accepted.run_id).status == RunStatus.SUCCEEDED
    return accepted


def is_for_a_summary(request: Any) -> bool:
    return "You summarise" in request.body["messages"][0]["content"]


def assert_calls_have_results(messages: list[dict[str, Any]]) -> None:
    """What every vendor demands: each call is followed by its result, and no result comes without a call."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
    assert not open_calls


def test_the_earlier_part_is_summarised_kept_and_can_be_read(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(
        Script(tool_calls=(ScriptedCall("read_node_detail", DETAIL),)),
        Script(text="First answer, see {{node:parse}}."),
        Script(text="Second answer."),
        Script(text="They want {{node:parse}} mended."),
        Script(text="Third answer."),
        Script(text="Fourth answer."),
    )
    first = turn(alice, f"Opening question {LONG}")
    session = str(first.session_id)
    turn(alice, f"Next question {LONG}", session)
    third = turn(alice, f"Last question {LONG}", session)
    sent = [request.body["messages"] for request in vendor.requests]
    assert [is_for_a_summary(request) for request in vendor.requests] == [False, False, False, True, False]
    system, *rest = sent[4]
    assert "They want {{node:parse}} mended." in rest[0]["content"]
    assert "fetch-api, parse" in rest[0]["content"]
    assert "Opening question" not in str(sent[4])
    with_it = ["read_earlier_messages" in str(request.body.get("tools")) for request in vendor.requests]
    assert with_it == [False, False, False, False, True], "only where something was summarised"
    assert "Last question" in rest[-1]["content"]
    assert system == sent[0][0]
    assert_calls_have_results(sent[4])
    stored = Summary.objects.get(session=session)
    assert stored.model == "scripted"
    told = [event.data["summary"] for event in events(first.session_id) if "summary" in event.data]
    assert told[0]["before"] == str(Message.objects.get(session=session, sequence=stored.sequence).pk)
    assert "They want" in told[0]["content"]
    calls = ModelCall.objects.filter(run=third.run_id)
    assert set(calls.values_list("purpose", flat=True)) == {Purpose.CHAT, Purpose.SUMMARY}
    costs = [event.data for event in of_run(third.run_id) if event.type == "usage"]
    assert sum(cost["promptTokens"] for cost in costs) == sum(call.prompt_tokens for call in calls) == 200
    assert Message.objects.filter(session=session, kind=Message.TEXT).count() == 6
    turn(alice, "And now?", session)
    again = vendor.requests[5].body["messages"]
    assert again[: len(sent[4])] == sent[4]
    context = ToolContext(member_of(alice), nba, first.session_id)
    call = tools.parse("read_earlier_messages", "{}", tools.by_name())
    assert isinstance(call, ParsedCall)
    read = tools.run(call, context)["messages"]
    assert read[0]["text"].startswith("Opening question")
    assert read[1]["toolCalls"]


def test_without_a_summary_from_a_model_questions_and_decisions_stand_for_it(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="One."), Script(text="Noted."), Script(text="Two."))
    session = str(turn(alice, f"Opening question {LONG}").session_id)
    pinned = turn(alice, "Remember: the season is 2026.", session)
    Message.objects.filter(pk=pinned.user_message_id).update(in_prompt=Message.InPrompt.PINNED)
    turn(alice, f"Next question {LONG}", session)
    vendor.script(Script(status=400, error="no"), Script(text="Still here."))
    turn(alice, f"Last question {LONG}", session)
    summary = Summary.objects.get(session=session)
    assert summary.model == ""
    assert '- "Opening question word' in summary.content
    sent = vendor.requests[-1].body["messages"]
    assert sent[1]["content"].startswith(summary.content)
    assert "Remember: the season is 2026." in sent[1]["content"]


def test_what_is_no_longer_pinned_is_sent_until_it_is_summarised(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    """It stood beside the summary, which therefore says nothing of it."""
    said = ("Noted.", "One.", "Two.", "In brief.", "Three.", "This one.", "Four.", "In brief, again.", "Five.")
    vendor.script(*(Script(text=text) for text in said))
    pinned = turn(alice, "Remember: the season is 2026.")
    session = str(pinned.session_id)
    Message.objects.filter(pk=pinned.user_message_id).update(in_prompt=Message.InPrompt.PINNED)
    for _ in range(3):
        turn(alice, f"Next question {LONG}", session)
    assert "the season is 2026" not in Summary.objects.get(session=session).content
    Message.objects.filter(pk=pinned.user_message_id).update(in_prompt=Message.InPrompt.AUTO)
    turn(alice, "Which season?", session)
    assert "the season is 2026" in str(vendor.requests[-1].body["messages"])
    checker.check_summaries()
    for _ in range(2):
        turn(alice, f"Long question {LONG}", session)
    assert Summary.objects.filter(session=session).count() == 2
    asked = [request for request in vendor.requests if is_for_a_summary(request)]
    assert "the season is 2026" in str(asked[-1].body["messages"])
    assert "the season is 2026" not in str(vendor.requests[-1].body["messages"])
    checker.check_summaries()


def test_a_summary_is_made_of_what_was_said_not_of_what_was_looked_up(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = turn(alice, f"Opening question {LONG}")
    Message.objects.filter(pk=first.user_message_id).update(retrieved="found " * 2_000, records="always " * 100)
    turn(alice, f"Next question {LONG}", str(first.session_id))
    (asked,) = (request for request in vendor.requests if is_for_a_summary(request))
    assert "Opening question" in str(asked.body["messages"])
    assert "found found" not in str(asked.body["messages"])


def test_a_summary_that_comes_to_stand_for_more_is_written_anew(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "Hello")
    claims.register(process := uuid.uuid4(), "test:1")
    (run,) = claims.claim(process, 10)
    summarising.store_summary(run, HistoryCut(2, 0, (1,), 100), "First words", "m", 10_000, 200)
    for _ in range(2):
        summarising.store_summary(run, HistoryCut(2, 0, (), 90), "More words", "m", 10_000, 150)
    summary = Summary.objects.get(session=accepted.session_id)
    assert (summary.kept, summary.tokens_before) == ([], 150)
    assert "More words" in summary.content
    told = [event.data["summary"]["content"] for event in events(accepted.session_id) if "summary" in event.data]
    assert [words.partition("\n")[0] for words in told] == ["First words", "More words"]
    checker.check_summaries()


def test_what_is_left_out_later_is_in_no_summary_any_more(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    said = ("One.", "Two.", "The number is 4711, in brief.", "Three.", "Four.", "In brief, again.", "Five.")
    vendor.script(*(Script(text=text) for text in said))
    first = turn(alice, f"The number is 4711 {LONG}")
    session = str(first.session_id)
    for _ in range(2):
        turn(alice, f"Next question {LONG}", session)
    assert "4711" in vendor.requests[-1].body["messages"][1]["content"]
    before = len(vendor.requests)
    pinning.keep_message(member_of(alice), str(first.user_message_id), "left_out")
    assert not Summary.objects.exists()
    assert events(first.session_id)[-1].data["summary"] is None
    turn(alice, "And now?", session)
    turn(alice, f"Long question {LONG}", session)
    assert Summary.objects.filter(session=session).exists()
    assert any(is_for_a_summary(request) for request in vendor.requests[before:])
    assert "4711" not in str([request.body for request in vendor.requests[before:]])
    checker.check_summaries()


def test_only_summaries_that_stand_for_what_is_left_out_go(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "Hello")
    for sequence, kept in ((3, [1]), (5, []), (7, [1])):
        Summary.objects.create(
            session_id=accepted.session_id,
            sequence=sequence,
            kept=kept,
            content=f"\n\nUp to {sequence}.\n",
            tokens_before=2,
            tokens_after=1,
        )
    pinning.keep_message(member_of(alice), str(accepted.user_message_id), "pinned")
    assert Summary.objects.count() == 3
    pinning.keep_message(member_of(alice), str(accepted.user_message_id), "left_out")
    assert Summary.objects.get().sequence == 3
    assert events(accepted.session_id)[-1].data["summary"]["content"] == "Up to 3."


def test_what_is_put_back_is_sent_until_it_is_summarised(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    said = ("Noted.", "One.", "Two.", "In brief.", "Three.", "This one.", "Four.", "In brief, again.", "Five.")
    vendor.script(*(Script(text=text) for text in said))
    first = turn(alice, "Remember: the season is 2026.")
    session = str(first.session_id)
    pinning.keep_message(member_of(alice), str(first.user_message_id), "left_out")
    for _ in range(3):
        turn(alice, f"Next question {LONG}", session)
    assert "2026" not in Summary.objects.get(session=session).content
    pinning.keep_message(member_of(alice), str(first.user_message_id), "auto")
    turn(alice, "Which season?", session)
    assert "the season is 2026" in str(vendor.requests[-1].body["messages"])
    checker.check_summaries()
    for _ in range(2):
        turn(alice, f"Long question {LONG}", session)
    asked = [request for request in vendor.requests if is_for_a_summary(request)]
    assert "the season is 2026" in str(asked[-1].body["messages"])
    assert "the season is 2026" not in str(vendor.requests[-1].body["messages"])
    checker.check_summaries()


def test_what_is_put_back_while_words_are_written_without_it_is_kept(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "Hello 4711")
    claims.register(process := uuid.uuid4(), "test:1")
    (run,) = claims.claim(process, 10)
    for _ in range(2):
        summarising.store_summary(run, HistoryCut(2, 0, (), 100), "Greetings", "m", 10_000, 200, {1})
    summary = Summary.objects.get(session=accepted.session_id)
    assert (summary.kept, summary.model) == ([1], "m")


def test_words_about_what_was_left_out_meanwhile_are_not_taken(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "Hello 4711")
    claims.register(process := uuid.uuid4(), "test:1")
    (run,) = claims.claim(process, 10)
    question = Message.objects.get(pk=accepted.user_message_id)
    pinning.keep_message(member_of(alice), str(question.pk), "left_out")
    summarising.store_summary(run, HistoryCut(2, 0, (), 100), "The number is 4711", "m", 10_000, 200)
    summary = Summary.objects.get()
    assert "4711" not in summary.content
    assert summary.model == ""
    summarising.store_summary(run, HistoryCut(2, 1, (), 90), "Greetings", "m", 10_000, 200, {question.sequence})
    assert "Greetings" in Summary.objects.get(rounds=1).content


def test_rounds_of_one_answer_are_summarised_too(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    Node.objects.filter(graph=nba, key="fetch-api").update(process="line of code\n" * 700)
    read = ScriptedCall("read_node_detail", DETAIL | {"field": "process"}, id="the_same_again")
    round_ = Script(tool_calls=(read,))
    vendor.script(round_, round_, round_, Script(text="So far: code."), round_, Script(text="Done."))
    accepted = turn(alice, f"Read it all {LONG}")
    asked = [request.body["messages"] for request in vendor.requests if not is_for_a_summary(request)]
    assert len(asked) < len(vendor.requests)
    assert all("Read it all" in str(messages) for messages in asked)
    for messages in asked:
        assert_calls_have_results(messages)
    summary = Summary.objects.filter(session=accepted.session_id).last()
    assert summary is not None
    assert summary.rounds > 0
    answer = Message.objects.get(pk=accepted.message_id)
    calls = [call.id for call in calls_of(answer.rounds)]
    assert len(set(calls)) == len(calls) == len(asked) - 1
    turn(alice, "And now?", str(accepted.session_id))
    assert_calls_have_results(vendor.requests[-1].body["messages"])


def test_a_message_that_does_not_fit_is_told_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    monkeypatch.setenv("CUSTOM_CONTEXT_WINDOW", "10600")
    accepted = ask(alice, "word " * 6_000)
    run = rested(accepted.run_id)
    assert run.error["code"] == "context_length"
    assert "shorter message" in run.error["message"]
    assert vendor.requests == []
    assert not Summary.objects.exists()


def test_it_is_stored_once_and_only_by_the_owner_of_the_run(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "Hello")
    process = uuid.uuid4()
    claims.register(process, "test:1")
    (run,) = claims.claim(process, 10)
    place = HistoryCut(1, 0, (), 100)
    summarising.store_summary(run, place, "First words", "m", 10_000, 200)
    summarising.store_summary(run, place, "Other words", "m", 10_000, 200)
    assert "First words" in Summary.objects.get(session=accepted.session_id).content
    assert [event.type for event in events(accepted.session_id)].count("session_updated") == 2
    Stream.objects.filter(pk=run.stream_id).update(epoch=run.epoch + 1)
    with pytest.raises(Fenced):
        summarising.store_summary(run, HistoryCut(2, 0, (), 100), "Late words", "m", 10_000, 200)
    assert Summary.objects.count() == 1


def test_a_vendor_that_finds_it_too_long_is_asked_again_with_less(
    monkeypatch: pytest.MonkeyPatch, running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    monkeypatch.setenv("CUSTOM_CONTEXT_WINDOW", "100000")
    too_long = Script(status=400, error={"error": {"code": "context_length_exceeded", "message": "too long"}})
    vendor.script(Script(text="One."), Script(text="Two."), too_long, Script(text="In brief."), Script(text="Three."))
    session = str(turn(alice, f"Opening question {LONG}").session_id)
    turn(alice, f"Next question {LONG}", session)
    third = turn(alice, "Last question", session)
    assert Message.objects.get(pk=third.message_id).content == "Three."
    assert "In brief." in vendor.requests[-1].body["messages"][1]["content"]


def test_what_the_vendor_still_finds_too_long_is_tried_with_much_less_once(
    monkeypatch: pytest.MonkeyPatch, running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    monkeypatch.setenv("CUSTOM_CONTEXT_WINDOW", "100000")
    too_long = Script(status=400, error={"error": {"code": "context_length_exceeded", "message": "too long"}})
    vendor.script(*[Script(text=f"Answer {n}.") for n in range(9)], too_long, Script(text="In brief."), too_long)
    session = str(turn(alice, f"Opening question {LONG}").session_id)
    for n in range(8):
        turn(alice, f"Question {n} {LONG}", session)
    failed = rested(ask(alice, "Last question", session_id=session).run_id)
    error = failed.error
    assert error is not None
    assert (error["retryable"], error["corrections"]) == (False, ["summarise", "model"])
    before = len(vendor.requests)
    vendor.script(Script(text="In briefer."), Script(text="Four."))
    again = rested(conversations.retry(member_of(alice, "demo"), session, "summarise").run_id)
    assert again.trigger["tried"] == ["summarise"]
    assert Message.objects.get(pk=again.message_id).content == "Four."
    sent = [str(request.body["messages"]) for request in vendor.requests]
    assert "In briefer." in sent[-1]
    assert len(sent[-1]) < len(sent[before - 1]) - len(LONG)


def test_another_process_goes_on_with_what_is_summarised(alice: User, nba: Graph, vendor: VendorServer) -> None:
    accepted = ask(alice, "Read it")
    run_id = claimed_by_a_process_that_died()
    rounds = [
        round_of(Reply(tool_calls=(ToolCall(f"call_{n}", "read_node_detail", "{}"),)), [_result(f"call_{n}")])
        for n in range(3)
    ]
    run = Run.objects.get(pk=run_id)
    Message.objects.filter(pk=run.message_id).update(rounds=rounds)
    state = State(phase=Phase.CALLING_AI, rounds=3, rounds_allowed=5).to_json()
    Session.objects.filter(pk=accepted.session_id).update(state=state)
    Summary.objects.create(
        session_id=accepted.session_id,
        sequence=2,
        rounds=2,
        kept=[1],
        content="So far.",
        tokens_before=2,
        tokens_after=1,
    )
    vendor.script(Script(text="Done."))
    with engine():
        assert rested(run_id).status == RunStatus.SUCCEEDED
    messages = vendor.requests[0].body["messages"]
    assert [entry["role"] for entry in messages] == ["system", "user", "assistant", "tool"]
    assert messages[1]["content"].startswith("So far.\n\n")
    assert messages[3]["tool_call_id"] == "call_2"
    assert Message.objects.get(pk=run.message_id).content.endswith("Done.")


def _result(call_id: str) -> Call:
    return Call(call_id, "read_node_detail", {}, {"a": 1}, "ok", "{}")
