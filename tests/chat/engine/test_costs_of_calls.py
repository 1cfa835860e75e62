"""What is recorded of every call of a model, and of every attempt."""

import pytest
from django.contrib.auth.models import User

from chat.actions import conversations
from chat.models import ModelCall, RunStatus, Session
from chat.providers import retrying
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.engine.driving import Engine, ask, of_run, rested, until
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_records_what_a_call_cost(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "key-of-a-test")
    monkeypatch.setenv("DEEPSEEK_BASE_URL", vendor.openai_url)
    accepted = ask(alice, "SCRIPT:two_tools", model="deepseek")
    run = rested(accepted.run_id)
    calls = ModelCall.objects.filter(run=run)
    assert [(call.prompt_tokens, call.completion_tokens, call.cached_tokens) for call in calls] == [(100, 20, 40)] * 2
    told = [event.data for event in of_run(accepted.run_id) if event.type == "usage"]
    assert sum(data["cost"] for data in told) == pytest.approx(float(sum(call.cost or 0 for call in calls)), abs=1e-6)
    assert Session.objects.get(pk=accepted.session_id).usage["promptTokens"] == 200


def test_it_charges_nothing_for_a_call_that_was_refused(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    accepted = ask(alice, "SCRIPT:auth_error")
    call = ModelCall.objects.get(run=rested(accepted.run_id))
    assert (call.prompt_tokens, call.completion_tokens, call.outcome) == (0, 0, "auth_error")


def test_it_records_every_attempt_with_what_it_cost(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrying, "FIRST_DELAY_S", 0.001)
    vendor.script(Script(status=529, error="Overloaded"), Script(raw=b"<html>"), Script(text="Now."))
    run = rested(ask(alice, "Go").run_id)
    refused, broken, whole = ModelCall.objects.filter(run=run)
    assert [call.outcome for call in (refused, broken, whole)] == ["server_error", "server_error", "complete"]
    assert (refused.prompt_tokens, refused.completion_tokens, refused.estimated) == (0, 0, False)
    assert broken.prompt_tokens > 100
    assert (broken.completion_tokens, broken.estimated) == (0, True)
    assert (whole.prompt_tokens, whole.completion_tokens, whole.estimated) == (100, 20, False)
    told = [event.data["promptTokens"] for event in of_run(run.pk) if event.type == "usage"]
    assert told == [broken.prompt_tokens, 100]


def test_it_records_no_attempt_that_never_began(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    vendor.script(Script(status=429, error="slow down", headers={"retry-after": "50"}))
    accepted = ask(alice, "Go")
    until(lambda: any(event.data.get("state") == "retrying" for event in of_run(accepted.run_id)))
    conversations.stop(member_of(alice), str(accepted.session_id))
    assert rested(accepted.run_id).outcome == "stopped"
    assert [call.outcome for call in ModelCall.objects.filter(run_id=accepted.run_id)] == ["rate_limit"]


def test_it_records_every_call_of_a_model_that_will_not_stop_calling_tools(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    tools = Script(tool_calls=(ScriptedCall("search_nodes", {"query": "fetch"}),))
    vendor.script(*[tools] * 8)
    first = ask(alice, "Go")
    rested(first.run_id)
    second = conversations.answer(member_of(alice), str(first.session_id), go_on=False)
    run = rested(second.run_id)
    assert run.status == RunStatus.FAILED
    assert ModelCall.objects.count() == len(vendor.requests) == 8
    assert "No more tool calls" in vendor.requests[6].body["messages"][-2]["content"]
