"""The engine over a real vendor's wire: what it tells, stores and sends for every way an answer can go."""

import asyncio
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.actions import conversations
from chat.engine import run_storage
from chat.engine.claims import ClaimedRun
from chat.events.committing import Committer
from chat.events.vocabulary import NewEvent
from chat.events.writer import GroupWriter
from chat.models import Message, ModelCall, RunStatus, Session, StreamEvent
from chat.providers import circuit, retrying
from graphs.history.editing import Request, edit
from graphs.models import Graph, Membership, Role
from graphs.objects.actions import parse
from graphs.site.access import member_of
from tests.chat.engine.driving import Engine, answer_of, ask, events, of_run, rested, types, until
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

SEARCH = ScriptedCall("search_nodes", {"query": "fetch"}, id="call_a")
DETAIL = ScriptedCall("read_node_detail", {"nodeKey": "fetch-api"}, id="call_b")


def test_it_answers_and_tells_every_step(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    vendor.script(Script(text="It fetches the games.", reasoning="Let me see."))
    accepted = ask(alice, "What does fetch-api do?")
    run = rested(accepted.run_id)
    told = of_run(accepted.run_id)
    assert types(told) == ["user_message", "status", "reasoning_delta", "content_delta", "usage", "status", "done"]
    assert [event.data["state"] for event in told if event.type == "status"] == ["queued", "started", "succeeded"]
    assert told[-1].data == {"reason": "finished", "fullText": "It fetches the games.", "changes": 0}
    assert run.status == RunStatus.SUCCEEDED
    assert run.message.content == "It fetches the games."
    assert run.message.reasoning == "Let me see."
    assert run.message.status == Message.Status.COMPLETE
    assert [event.sequence for event in events(accepted.session_id)] == list(range(1, len(told) + 2))


def test_it_shows_the_model_the_system_prompt_and_what_was_retrieved(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "What does fetch-api do?")
    rested(accepted.run_id)
    system, question = vendor.requests[0].body["messages"]
    assert system["role"] == "system"
    assert "NBA scores" in system["content"]
    assert question["role"] == "user"
    assert question["content"].endswith("What does fetch-api do?")
    assert "fetch-api" in question["content"].removesuffix("What does fetch-api do?")
    assert {tool["function"]["name"] for tool in vendor.requests[0].body["tools"]} >= {"search_nodes", "read_subgraph"}


def test_it_keeps_the_prefix_of_the_prompt_from_turn_to_turn(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = ask(alice, "SCRIPT:two_tools What does it do?")
    rested(first.run_id)
    nba.name = "Another name"
    nba.save()
    second = ask(alice, "And then?", session_id=str(first.session_id))
    rested(second.run_id)
    sent = [request.body["messages"] for request in vendor.requests]
    assert sent[1][: len(sent[0])] == sent[0]
    assert sent[2][: len(sent[1])] == sent[1]


def test_it_stores_a_round_after_its_events(
    monkeypatch: pytest.MonkeyPatch, running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    commit, save_round = Committer.commit, run_storage.save_round
    results: list[int] = []

    async def commit_slowly(self: Committer, parts: Any) -> Any:
        await asyncio.sleep(0.3)
        return await commit(self, parts)

    def look_and_save(run: ClaimedRun, *args: Any) -> None:
        results.append(StreamEvent.objects.filter(run_id=run.id, type="tool_call_result").count())
        save_round(run, *args)

    monkeypatch.setattr(Committer, "commit", commit_slowly)
    monkeypatch.setattr(run_storage, "save_round", look_and_save)
    vendor.script(Script(tool_calls=(SEARCH, DETAIL)), Script(text="Found."))
    rested(ask(alice, "Where?").run_id)
    assert results == [2]


@pytest.mark.parametrize("fails", [False, True])
def test_what_came_last_is_stored_with_the_end(
    fails: bool, monkeypatch: pytest.MonkeyPatch, running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    """Also where the end cannot be stored as it was to be."""
    commit, finish = Committer.commit, run_storage.finish
    take_rest, commits = GroupWriter.take_rest, list[Any]()
    at_the_end = asyncio.Event()

    async def commit_slowly(self: Committer, parts: Any) -> Any:
        commits.append(parts)
        await at_the_end.wait()
        return await commit(self, parts)

    async def taken(self: GroupWriter, stream_id: int) -> list[NewEvent]:
        at_the_end.set()
        return await take_rest(self, stream_id)

    def fail_once(*args: Any) -> bool:
        monkeypatch.setattr(run_storage, "finish", finish)
        raise RuntimeError

    monkeypatch.setattr(Committer, "commit", commit_slowly)
    monkeypatch.setattr(GroupWriter, "take_rest", taken)
    if fails:
        monkeypatch.setattr(run_storage, "finish", fail_once)
    words = "It fetches the games of a day, and then their scores."
    vendor.script(Script(text=words))
    accepted = ask(alice, "What does fetch-api do?")
    assert rested(accepted.run_id).message.content == words
    told = of_run(accepted.run_id)
    assert told[-1].type == ("error" if fails else "done")
    assert "".join(event.data["delta"] for event in told if event.type == "content_delta") == words
    assert [event.sequence for event in events(accepted.session_id)] == list(range(1, len(told) + 2))
    assert len(commits) <= 1


def test_it_runs_several_read_tools_side_by_side_and_gives_back_their_results(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="I look.", tool_calls=(SEARCH, DETAIL)), Script(text="Found."))
    accepted = ask(alice, "Where?")
    run = rested(accepted.run_id)
    told = of_run(accepted.run_id)
    kinds = [event.type for event in told if event.type.startswith("tool_call")]
    assert kinds == ["tool_call_start", "tool_call_start", "tool_call_result", "tool_call_result"]
    assert run.message.content == "I look.\n\nFound."
    assert "".join(event.data["delta"] for event in told if event.type == "content_delta") == run.message.content
    calls = run.message.rounds[0].calls
    assert [(call.name, call.status) for call in calls] == [("search_nodes", "ok"), ("read_node_detail", "ok")]
    results = [entry for entry in vendor.requests[1].body["messages"] if entry["role"] == "tool"]
    assert {entry["tool_call_id"] for entry in results} == {"call_a", "call_b"}
    assert all("fetch-api" in entry["content"] for entry in results)


@pytest.mark.parametrize("scenario", ["bad_json", "unknown_tool", "extra_keys"])
def test_it_gives_an_unusable_call_back_to_the_model(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, scenario: str
) -> None:
    accepted = ask(alice, f"SCRIPT:{scenario}")
    run = rested(accepted.run_id)
    assert run.status == RunStatus.SUCCEEDED
    assert run.message.rounds[0].calls[0].status == "error"
    result = next(entry for entry in vendor.requests[1].body["messages"] if entry["role"] == "tool")
    assert "error" in result["content"]


def test_it_stops_a_model_that_repeats_the_same_mistake(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    wrong = Script(tool_calls=(ScriptedCall("drop_tables", {}),))
    vendor.script(wrong, wrong, wrong, Script(text="never asked"))
    accepted = ask(alice, "Go")
    run = rested(accepted.run_id)
    assert run.status == RunStatus.FAILED
    assert run.error["code"] == "internal"
    assert len(vendor.requests) == 3


def test_it_asks_after_five_rounds_and_goes_on_to_ten_and_then_answers_without_tools(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:endless_tools")
    run = rested(accepted.run_id)
    assert run.outcome == "toolLimit"
    assert len(vendor.requests) == 5
    limit = next(event for event in of_run(accepted.run_id) if event.type == "tool_limit")
    assert limit.data == {"roundsUsed": 5, "maxExtended": 10}
    going_on = conversations.answer(member_of(alice), str(accepted.session_id), go_on=True)
    until(lambda: len(vendor.requests) == 11)
    assert all("tools" in request.body for request in vendor.requests[:10])
    assert "tools" not in vendor.requests[10].body
    assert rested(going_on.run_id).status in {RunStatus.FAILED, RunStatus.SUCCEEDED}


def test_it_summarises_when_the_person_says_so(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    tools = Script(tool_calls=(ScriptedCall("search_nodes", {"query": "fetch"}),))
    vendor.script(*[tools] * 5, Script(text="In short."))
    accepted = ask(alice, "Go")
    rested(accepted.run_id)
    summary = conversations.answer(member_of(alice), str(accepted.session_id), go_on=False)
    run = rested(summary.run_id)
    assert run.message.content == "In short."
    assert "tools" not in vendor.requests[5].body
    assert Session.objects.get(pk=accepted.session_id).phase == "IDLE"


def test_it_takes_a_new_message_instead_of_the_answer_to_the_tool_limit(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:endless_tools")
    rested(accepted.run_id)
    later = ask(alice, "SCRIPT:hello Never mind.", session_id=str(accepted.session_id))
    assert rested(later.run_id).outcome == "finished"


@pytest.mark.parametrize(
    ("scenario", "code", "retryable"),
    [
        ("rate_limit_long", "rate_limit", True),
        ("overloaded", "server_error", True),
        ("server_error", "server_error", True),
        ("auth_error", "auth_error", False),
        ("content_filter", "content_filter", False),
        ("content_filter_end", "content_filter", False),
        ("context_length", "context_length", False),
        ("internal", "internal", False),
        ("cut", "network", True),
        ("cut_in_call", "network", True),
        ("length", "context_length", False),
        ("length_in_call", "context_length", False),
    ],
)
def test_it_tells_each_failure_with_its_code_and_what_to_do(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, scenario: str, code: str, retryable: bool
) -> None:
    accepted = ask(alice, f"SCRIPT:{scenario}")
    run = rested(accepted.run_id)
    told = of_run(accepted.run_id)
    assert (run.error["code"], run.error["retryable"]) == (code, retryable)
    assert told[-1].type == "error"
    assert told[-1].data == run.error | ({"gaveUp": True} if run.gave_up else {})
    assert "tool_call_start" not in types(told)
    shown = "".join(event.data["delta"] for event in told if event.type == "content_delta")
    assert run.message.content == shown
    assert run.message.status == Message.Status.FAILED
    assert "key-of-a-test" not in str([event.data for event in told])


def test_it_asks_again_after_a_failure_without_a_second_message(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="Half an ans", cut="clean", cut_at=3), Script(text="A whole answer."))
    accepted = ask(alice, "Tell me")
    rested(accepted.run_id)
    again = conversations.retry(member_of(alice), str(accepted.session_id))
    assert rested(again.run_id).message.content == "A whole answer."
    assert Message.objects.filter(session_id=accepted.session_id, role="user").count() == 1
    assert [entry["role"] for entry in vendor.requests[1].body["messages"]] == ["system", "user"]


def test_it_says_when_it_tries_again_before_anything_was_shown(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(status=503, error="Try again"), Script(text="Now."))
    accepted = ask(alice, "Tell me")
    assert rested(accepted.run_id).message.content == "Now."
    retrying = [event.data for event in of_run(accepted.run_id) if event.data.get("state") == "retrying"]
    assert [(data["attempt"], data["code"]) for data in retrying] == [(2, "server_error")]
    assert datetime.fromisoformat(retrying[0]["nextAttemptAt"]) > datetime.now(UTC) - timedelta(minutes=1)


def test_it_leaves_a_vendor_alone_that_fails_again_and_again(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit, "FAILURES", 2)
    monkeypatch.setattr(retrying, "MAX_ATTEMPTS", 1)
    vendor.script(*[Script(status=503, error="sorry")] * 2)
    session = str(ask(alice, "One").session_id)
    asked = [ask(alice, text, session_id=session) for text in ("Two", "Three")]
    last = rested(asked[-1].run_id)
    assert "left alone for now. Try again in" in last.error["message"]
    assert (last.error["code"], last.error["retryable"]) == ("server_error", True)
    assert len(vendor.requests) == 2
    assert not ModelCall.objects.filter(run=last).exists()


def test_it_stops_and_closes_the_connection_to_the_vendor(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:slow")
    until(lambda: "content_delta" in types(of_run(accepted.run_id)))
    conversations.stop(member_of(alice), str(accepted.session_id))
    assert vendor.requests[0].disconnected.wait(30)
    run = rested(accepted.run_id)
    assert (run.status, run.outcome) == (RunStatus.CANCELLED, "stopped")
    assert run.message.status == Message.Status.STOPPED
    assert run.message.content
    told = of_run(accepted.run_id)
    assert [event.type for event in told if event.type in {"done", "error"}] == ["done"]
    assert told[-1].data["reason"] == "stopped"
    call = ModelCall.objects.get(run=run)
    assert call.estimated
    assert call.completion_tokens > 0


def test_it_remembers_what_was_shown_of_a_stopped_answer(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:slow")
    until(lambda: "content_delta" in types(of_run(accepted.run_id)))
    conversations.stop(member_of(alice), str(accepted.session_id))
    shown = rested(accepted.run_id).message.content
    later = ask(alice, "SCRIPT:hello", session_id=str(accepted.session_id))
    rested(later.run_id)
    said = [entry["content"] for entry in vendor.requests[-1].body["messages"] if entry["role"] == "assistant"]
    assert said == [shown]


def test_it_queues_a_second_message_and_answers_it_next(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="one two three", stall_at=2, goes_on=(seen := Event())))
    first = ask(alice, "Count")
    until(lambda: "content_delta" in types(of_run(first.run_id)))
    second = ask(alice, "SCRIPT:hello", session_id=str(first.session_id))
    assert answer_of(second).status == Message.Status.QUEUED
    assert next(event.data for event in of_run(second.run_id) if event.type == "status")["state"] == "queued"
    seen.set()
    rested(second.run_id)
    started = [event.sequence for event in of_run(second.run_id) if event.data.get("state") == "started"]
    assert started[0] > of_run(first.run_id)[-1].sequence


def test_it_stops_what_waits_as_well(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    first = ask(alice, "SCRIPT:slow")
    until(lambda: "content_delta" in types(of_run(first.run_id)))
    second = ask(alice, "SCRIPT:hello", session_id=str(first.session_id))
    conversations.stop(member_of(alice), str(first.session_id))
    assert rested(first.run_id).outcome == "stopped"
    assert rested(second.run_id).outcome == "stopped"
    assert len(vendor.requests) == 1


def test_it_returns_signed_thinking_to_anthropic_within_the_turn(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.anthropic_url)
    vendor.script(
        Script(reasoning="I should look.", signature="signed", tool_calls=(SEARCH,)), Script(text="Found it.")
    )
    accepted = ask(alice, "Where?", model="anthropic-thinking")
    assert rested(accepted.run_id).message.content == "Found it."
    blocks = vendor.requests[1].body["messages"][1]["content"]
    assert [block["type"] for block in blocks] == ["thinking", "tool_use"]
    assert blocks[0]["signature"] == "signed"


def test_it_tells_a_person_whose_graph_is_gone(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    first = ask(alice, "SCRIPT:hello")
    rested(first.run_id)
    nba.delete()
    second = ask(alice, "SCRIPT:hello", session_id=str(first.session_id))
    run = rested(second.run_id)
    assert run.error["code"] == "not_found"
    assert "no longer exists" in run.error["message"]
    assert not run.error["retryable"]


def test_it_tells_who_deleted_what_it_is_about_and_how_it_comes_back(
    running: Engine, vendor: VendorServer, alice: User, bob: User, nba: Graph
) -> None:
    first = ask(alice, "SCRIPT:hello")
    rested(first.run_id)
    Membership.objects.filter(user=bob).update(role=Role.EDITOR)
    edit(member_of(bob), nba, Request([parse("delete_graph", {})]))
    second = ask(alice, "SCRIPT:hello", session_id=str(first.session_id))
    message = rested(second.run_id).error["message"]
    assert message.startswith("“NBA scores”, which this conversation is about, was deleted by bob.")
    assert "Undo on its page" in message


def test_it_answers_in_the_language_of_the_session(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = ask(alice, "SCRIPT:hello")
    rested(first.run_id)
    Session.objects.filter(pk=first.session_id).update(language="fr")
    second = ask(alice, "SCRIPT:auth_error", session_id=str(first.session_id))
    english = "The model's service refused our key. Ask an administrator to check it."
    assert rested(second.run_id).error["message"] != english


def test_it_tells_which_graphs_there_are_where_the_conversation_is_about_none(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:hello Which workflows are there?", context=None)
    rested(accepted.run_id)
    body = vendor.requests[0].body
    assert "NBA scores" in body["messages"][1]["content"]
    offered = {tool["function"]["name"] for tool in body["tools"]}
    assert {"read_tool_result", "read_object", "propose_update_object"} <= offered
    assert not {"read_graph_overview", "propose_update_node"} & offered, "tools of a graph need one"


def test_the_demo_points_to_the_graphs_of_the_workspace(running: Engine, alice: User, nba: Graph) -> None:
    accepted = ask(alice, "Which workflows are in this workspace?", context=None)
    assert "{{graph:nba}}" in rested(accepted.run_id).message.content
