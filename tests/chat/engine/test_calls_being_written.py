"""Calls are shown while a model writes their arguments, on every wire; what readers and the log get of them."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from chat.actions import conversations
from chat.engine import answer as live_answer
from chat.events import writer
from chat.models import Message, Proposal, StreamEvent
from chat.providers.pieces import ReasoningDelta, ToolCallDelta, ToolCallStart, TurnEnd
from chat.providers.provider_error import ProviderError
from chat.queries.answers import tool_calls
from graphs.models import Graph
from graphs.site.access import member_of
from tests import checker
from tests.chat.engine.driving import Engine, ask, of_run, rested, types, until
from tests.chat.inprocess import Model
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

CODE = "return fetch(url)  # é\n"
#: What a model writes of a long call before it is cut off.
BEGUN = '{"nodeKey": "fetch-api", "updates": {"process": "' + "x" * 1_000


def rewrites(characters: int) -> ScriptedCall:
    updates = {"process": (CODE * (characters // len(CODE) + 1))[:characters]}
    return ScriptedCall(
        "propose_update_node", {"nodeKey": "fetch-api", "updates": updates, "reason": "Longer."}, id="call_w"
    )


def of_call(told: list[Any], id_: str) -> list[tuple[str, dict[str, Any]]]:
    return [(event.type, event.data) for event in told if event.data.get("toolCallId") == id_]


@pytest.mark.parametrize("choice", ["custom", "openai", "anthropic"])
def test_a_long_call_is_shown_while_it_is_written(
    running: Engine, every_wire: VendorServer, alice: User, nba: Graph, choice: str
) -> None:
    every_wire.script(Script(text="I rewrite it.", tool_calls=(rewrites(20_000),)))
    accepted = ask(alice, "Rewrite it", model=choice)
    assert rested(accepted.run_id).outcome == "waiting"
    (proposal,) = Proposal.objects.all()
    (_, start), *deltas, (_, known), (last, _) = of_call(of_run(accepted.run_id), proposal.tool_call_id)
    assert (start["name"], start["args"]) == ("propose_update_node", {})
    assert {type_ for type_, _ in deltas} == {"tool_call_delta"}
    assert json.loads("".join(data["delta"] for _, data in deltas)) == rewrites(20_000).arguments
    assert known["args"]["updates"] == rewrites(20_000).arguments["updates"]
    assert last == "proposal"
    assert tool_calls(Message.objects.get(pk=accepted.message_id))[0]["args"] == known["args"]
    checker.check_database()


def test_a_batch_of_100_kb_is_in_the_log_twice(
    running: Engine, model: Model, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_answer, "ARGUMENTS_S", 3600)  # however long it takes
    monkeypatch.setattr(writer, "MERGE_LIMIT_CHARS", 0)  # as from a vendor who writes no faster than is stored
    text = json.dumps(rewrites(100_000).arguments, ensure_ascii=False)
    pieces = [ToolCallDelta("w", text[at : at + 4]) for at in range(0, len(text), 4)]
    model.say(ToolCallStart("w", "propose_update_node"), *pieces, TurnEnd("tool_calls"))
    accepted = ask(alice, "Rewrite it")
    assert rested(accepted.run_id).outcome == "waiting"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), sum(octet_length(data::text)) FROM chat_streamevent"
            " WHERE type LIKE 'tool_call%%' AND run_id = %s",
            [accepted.run_id],
        )
        count, told = cursor.fetchone()
    assert count <= 3 + len(text) / live_answer.ARGUMENTS_CHARS
    assert told < 2.5 * len(text.encode())


def test_a_short_call_is_told_once_it_is_known(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_answer, "ARGUMENTS_S", 3600)
    vendor.script(Script(tool_calls=(rewrites(100),)))
    accepted = ask(alice, "Rewrite it")
    assert rested(accepted.run_id).outcome == "waiting"
    assert "tool_call_delta" not in types(of_run(accepted.run_id))


def test_who_writes_slowly_is_seen_writing(
    running: Engine, model: Model, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_answer, "ARGUMENTS_S", 0)
    model.say(ToolCallStart("a", "search_nodes"), ToolCallStart("b", "search_nodes"), ToolCallDelta("b", '{"query"'))
    accepted = ask(alice, "Where?")
    until(lambda: len(of_call(of_run(accepted.run_id), "b")) == 2)
    assert of_call(of_run(accepted.run_id), "a") == [
        ("tool_call_start", {"args": {}, "name": "search_nodes", "toolCallId": "a"})
    ]
    model.say(ToolCallDelta("a", '{"query": "x"}'), ToolCallDelta("b", ': "api"}'), TurnEnd("tool_calls"), "Here.")
    model.end()
    rested(accepted.run_id)
    kinds = [type_ for type_, _ in of_call(of_run(accepted.run_id), "b")]
    assert kinds == ["tool_call_start", *["tool_call_delta"] * 3, "tool_call_result"]
    assert [call["args"]["query"] for call in tool_calls(Message.objects.get(pk=accepted.message_id))] == ["x", "api"]
    checker.check_database()


@pytest.mark.parametrize("end", ["cut", "length", "stopped"])
def test_what_ends_within_a_call_closes_it_and_has_no_effect(
    running: Engine, model: Model, alice: User, nba: Graph, end: str
) -> None:
    model.say("I rewrite it.", ToolCallStart("w", "propose_update_node"), ToolCallDelta("w", BEGUN))
    accepted = ask(alice, "Rewrite it")
    until(lambda: of_call(of_run(accepted.run_id), "w"))
    match end:
        case "cut":
            model.say(ProviderError("network", "cut off", retryable=True))
        case "length":
            model.say(TurnEnd("length"))
        case "stopped":
            conversations.stop(member_of(alice, "demo"), str(accepted.session_id))
    rested(accepted.run_id)
    told = of_run(accepted.run_id)
    *_, (last, closed) = of_call(told, "w")
    assert (last, closed["result"]["interrupted"]) == ("tool_call_result", True)
    (call,) = tool_calls(Message.objects.get(pk=accepted.message_id))
    assert (call["args"], call["status"]) == ({}, "error")
    assert not Proposal.objects.exists()
    checker.check_database()


def test_a_question_without_tools_has_no_more_events(running: Engine, model: Model, alice: User, nba: Graph) -> None:
    model.say(ReasoningDelta("Hm"), "Here.")
    model.end()
    accepted = ask(alice, "Hello?")
    rested(accepted.run_id)
    assert not StreamEvent.objects.filter(run_id=accepted.run_id, type__startswith="tool").exists()
