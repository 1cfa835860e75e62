"""The events of a run, as a sink gets them: what happened, about whom, and not a word of what was said."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pytest_django import Settings

from chat.actions.deciding import Decision, decide
from chat.engine import calling
from chat.engine.available_models import configured
from chat.events import presence
from chat.models import Message, Proposal, Purpose, Session
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.spending.calls import CallCost
from chat.spending.refusing import BudgetRefused
from graphs.models import Graph
from graphs.site.access import member_of
from graphs.site.telemetry import events
from graphs.site.telemetry.spans import Spans
from tests.chat.engine.driving import Engine, ask, rested, until
from tests.chat.spending.paid import account, budget
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "Where is the canary-question?"
SEARCH = ScriptedCall("search_nodes", {"query": "canary-query fetch"}, id="call_a")
BAD = ScriptedCall("search_nodes", '{"query": "canary-bad', id="call_b")
heard: list[dict[str, Any]] = []


def sink(entry: dict[str, Any]) -> None:
    heard.append(json.loads(json.dumps(entry)))


@pytest.fixture(autouse=True)
def listening(settings: Settings) -> None:
    heard.clear()
    settings.AI_LOG_SINK = f"{__name__}.sink"


def of(name: str) -> list[dict[str, Any]]:
    return [entry for entry in heard if entry["event"] == name]


def test_a_run_tells_its_calls_tools_and_costs_without_a_word(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.AI_DEBUG = True
    vendor.script(Script(text="canary-said", tool_calls=(SEARCH, BAD)), Script(text="canary-answer"))
    accepted = ask(alice, QUESTION)
    rested(accepted.run_id)
    until(lambda: of("agent_chat_done"))
    (done,), calls = of("agent_chat_done"), of("llm_call_done")
    assert (done["outcome"], done["rounds"]) == ("finished", 2)
    assert [(call["finish"], call["toolCalls"], call["promptTokens"]) for call in calls] == [
        ("tool_calls", 2, 100),
        ("stop", 0, 100),
    ]
    assert [(tool["tool"], tool["toolCall"], tool["outcome"]) for tool in of("tool_result")] == [
        ("search_nodes", "call_a", "complete")
    ]
    assert [refused["toolCall"] for refused in of("malformed_json")] == ["call_b"]
    assert [(usage["cachedTokens"], usage["purpose"]) for usage in of("token_usage")] == [(40, "chat"), (40, "chat")]
    assert all(usage["firstTokenMs"] >= 0 for usage in of("token_usage"))
    (retrieved,) = of("rag_retrieve")
    assert (retrieved["nodes"] > 0, retrieved["graph"], retrieved["queryLength"]) == (True, "nba", len(QUESTION))
    assert (done["messageLength"], done["answerLength"]) == (len(QUESTION), len("canary-said\n\ncanary-answer"))
    assert done["contextLength"] > 0
    assert [call["replyLength"] for call in calls] == [len("canary-said"), len("canary-answer")]
    begun = {"agent_chat_start", "llm_call_start", "tool_execute"}
    assert begun <= {entry["event"] for entry in heard}
    named = {"workspace": nba.workspace_id, "session": str(accepted.session_id), "run": str(accepted.run_id)}
    named |= {"objectType": "graph", "objectKey": "nba"}
    of_the_run = [entry for entry in heard if entry["event"] != "embedding_batch"]
    assert [entry for entry in of_the_run if not named.items() <= entry.items()] == []
    assert "canary" not in json.dumps(heard)
    assert "key-of-a-test" not in json.dumps(heard)


def test_text_where_it_is_asked_for(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.AI_LOG_TEXT = True
    vendor.script(Script(tool_calls=(SEARCH, BAD)), Script(text="canary-answer"))
    rested(ask(alice, QUESTION).run_id)
    until(lambda: of("agent_chat_done"))
    first, second = of("llm_call_done")
    assert QUESTION in first["text"]["input"]
    assert "canary-answer" in second["text"]["output"]
    assert "canary-query" in of("tool_result")[0]["text"]["arguments"]
    assert "canary-bad" in of("malformed_json")[0]["text"]["raw"]
    assert "key-of-a-test" not in json.dumps(heard)


def test_a_failed_call_and_its_run(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    vendor.script(Script(status=401, error="canary-of-the-vendor"))
    rested(ask(alice, QUESTION).run_id)
    until(lambda: of("agent_chat_done"))
    assert [(error["level"], error["code"], error["statusCode"]) for error in of("llm_error")] == [
        ("error", "auth_error", 401)
    ]
    assert of("llm_call_done")[0]["outcome"] == "auth_error"
    assert of("agent_chat_done")[0]["outcome"] == "auth_error"
    assert "canary" not in json.dumps(heard) + caplog.text
    assert "auth_error: HTTP 401" in caplog.text


def test_what_a_vendor_says_of_a_failure_is_text(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.AI_LOG_TEXT = True
    vendor.script(Script(status=503, error="canary-of-the-vendor"), Script(status=401, error="canary-of-the-vendor"))
    rested(ask(alice, QUESTION).run_id)
    until(lambda: of("agent_chat_done"))
    assert "canary-of-the-vendor" in of("llm_error")[0]["text"]["said"]
    assert "canary" not in caplog.text
    assert "server_error: HTTP 503" in caplog.text


def test_an_answer_that_everybody_left_says_how_much_was_shown(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, settings: Settings
) -> None:
    settings.DISCONNECT_GRACE_S = 0.1
    vendor.script(Script(text="canary-said " * 400, delay_s=0.05))
    accepted = ask(alice, QUESTION)
    presence.renew([Session.objects.get(pk=accepted.session_id).stream_id], None)
    rested(accepted.run_id)
    until(lambda: of("agent_chat_done"))
    (left,) = of("client_disconnect_abort")
    assert (left["level"], left["session"]) == ("warning", str(accepted.session_id))
    shown = Message.objects.get(pk=accepted.message_id).content
    assert left["tokensStreamed"] == -(-len(shown) // 4)
    assert "canary" not in json.dumps(heard)


def test_a_call_that_no_budget_pays_for(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    """An answer, and a call beside one."""
    budget(nba.workspace, 1)
    rested(ask(alice, QUESTION).run_id)
    config = configured().resolve()
    request = ModelRequest((PromptMessage("user", QUESTION),), (), config.model, 200)

    def nobody(_costs: Sequence[CallCost]) -> None:
        """Nothing was taken."""

    with pytest.raises(BudgetRefused):
        running.on_loop(calling.ask_aside(account(nba.workspace), config, request, Purpose.SUMMARY, nobody))
    assert [(each["level"], each["model"]) for each in of("budget_refused")] == [("warning", config.model)] * 2
    assert vendor.requests == []
    assert "canary" not in json.dumps(heard)


def test_spans_of_a_run_stand_within_each_other(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(events, "listeners", [Spans(provider)])
    vendor.script(Script(tool_calls=(SEARCH,)), Script(text="canary-answer"))
    accepted = ask(alice, QUESTION)
    rested(accepted.run_id)
    spans = until(lambda: _whole(exporter))
    agent = next(span for span in spans if span.name == "invoke_agent")
    inside = [span for span in spans if span.parent and span.parent.span_id == agent.context.span_id]
    assert {span.name for span in inside} >= {"chat scripted", "execute_tool search_nodes", "retrieval"}
    assert {span.attributes["gen_ai.conversation.id"] for span in inside} == {str(accepted.session_id)}
    calls = [span for span in spans if span.name == "chat scripted"]
    assert [call.attributes["gen_ai.usage.output_tokens"] for call in calls] == [20, 20]
    assert [call.attributes["gen_ai.response.finish_reasons"] for call in calls] == [("tool_calls",), ("stop",)]
    assert "canary" not in str([span.to_json() for span in spans])


def _whole(exporter: InMemorySpanExporter) -> Any:
    """The spans, once the one around all others has ended."""
    found = exporter.get_finished_spans()
    return found if any(span.name == "invoke_agent" for span in found) else None


def test_a_proposal_and_its_decision(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    rename = {"nodeKey": "fetch-api", "updates": {"name": "canary-name"}, "reason": "canary-reason"}
    vendor.script(Script(tool_calls=(ScriptedCall("propose_update_node", rename),)), Script(text="Done."))
    rested(ask(alice, QUESTION).run_id)
    until(lambda: of("agent_chat_done"))
    proposal = Proposal.objects.get()
    (asked,) = of("hitl_interrupt")
    assert (asked["tool"], asked["proposal"]) == ("propose_update_node", str(proposal.pk))
    assert of("agent_chat_done")[0]["outcome"] == "waiting"
    decided = decide(member_of(alice), str(proposal.pk), Decision(approved=False, feedback="canary-feedback"))
    assert decided.run is not None
    rested(decided.run.run_id)
    (told,) = of("hitl_decision")
    assert (told["outcome"], told["user"], told["session"]) == ("rejected", alice.pk, str(proposal.session_id))
    assert "canary" not in json.dumps(heard)
