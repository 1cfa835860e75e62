"""A model for one answer, and going deeper with a stronger one: over a real vendor's wire, by way of the doors."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.actions import conversations, deepening, pinning
from chat.actions.refusals import Refused
from chat.engine import open_calls
from chat.models import Message, Run, Session
from graphs.models import Graph
from graphs.site.access import NotFound, member_of
from tests.chat.api.callers import ABOUT_NBA, get, patch, post
from tests.chat.engine.driving import Engine, ask, of_run, rested
from tests.graphs.api.callers import problem
from tests.vendors import Script, ScriptedCall, VendorServer

pytestmark = pytest.mark.django_db(transaction=True)
WEAK, STRONG = "openai-mini:gpt-4o-mini", "openai:gpt-4o"


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[VendorServer]:
    """The vendor of four models, of which the weakest is the default."""
    settings.LLM_PROVIDER = "openai-mini"
    with VendorServer() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        yield server


def messages_of(user: User, session: Any) -> list[dict[str, Any]]:
    return get(user, f"chat/sessions/{session}/messages").json()["results"]


def test_a_model_is_for_one_answer_or_from_now_on(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = ask(alice, "One")
    rested(first.run_id)
    session_id = str(first.session_id)
    for text, model in (("Two", STRONG), ("Three", "")):
        rested(ask(alice, text, session_id=session_id, model=model).run_id)
    assert patch(alice, f"chat/sessions/{session_id}", {"model": STRONG}).json()["model"] == STRONG
    rested(ask(alice, "Four", session_id=session_id).run_id)
    assert [request.body["model"] for request in vendor.requests] == ["gpt-4o-mini", "gpt-4o", "gpt-4o-mini", "gpt-4o"]
    shown = [each["modelId"] for each in messages_of(alice, session_id) if each["role"] == "assistant"]
    assert shown == [WEAK, STRONG, WEAK, STRONG]


def test_the_one_model_also_finishes_what_it_began(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    session_id = str(ask(alice, "One").session_id)
    limited = ask(alice, "SCRIPT:endless_tools", session_id=session_id, model=STRONG)
    assert rested(limited.run_id).outcome == "toolLimit"
    rested(conversations.answer(member_of(alice), session_id, go_on=False).run_id)
    assert {request.body["model"] for request in vendor.requests[1:]} == {"gpt-4o"}
    assert Session.objects.get().model == ""


def test_what_only_read_goes_deeper_only_reading(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = ask(alice, "What does fetch-api do?")
    rested(first.run_id)
    Run.objects.filter(pk=first.run_id).update(reads_only=True)
    deeper = rested(post(alice, f"chat/messages/{first.message_id}/deepen").json()["runId"])
    offered = [{tool["function"]["name"] for tool in request.body["tools"]} for request in vendor.requests]
    assert ["propose_create_node" in names for names in offered] == [True, False]
    assert deeper.reads_only


def test_a_stronger_model_goes_deeper_and_both_answers_stay(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(Script(text="Briefly: it fetches."), Script(text="In depth: it fetches games."))
    first = ask(alice, "What does fetch-api do?")
    rested(first.run_id)
    accepted = post(alice, f"chat/messages/{first.message_id}/deepen").json()
    assert accepted["userMessageId"] == str(first.user_message_id)
    run = rested(accepted["runId"])
    assert (run.provider, run.model) == ("openai", "gpt-4o")
    assert of_run(run.pk)[0].data["deepens"] == str(first.message_id)
    _question, weak, deep = messages_of(alice, first.session_id)
    assert (weak["content"], weak["deepens"]) == ("Briefly: it fetches.", None)
    assert (deep["content"], deep["deepens"]) == ("In depth: it fetches games.", weak["id"])
    sent = vendor.requests[1].body["messages"]
    assert sent[:-2] == vendor.requests[0].body["messages"]
    assert [each["role"] for each in sent[-2:]] == ["assistant", "user"]
    assert sent[-2]["content"] == "Briefly: it fetches."
    assert "go deeper into their last question" in sent[-1]["content"]
    again = post(alice, f"chat/messages/{first.message_id}/deepen")
    assert (again.status_code, again.json()) == (202, accepted)
    assert Run.objects.count() == 2
    rested(ask(alice, "Thanks", session_id=str(first.session_id)).run_id)
    assert vendor.requests[2].body["model"] == "gpt-4o-mini"


def test_an_earlier_question_is_named(running: Engine, vendor: VendorServer, alice: User, nba: Graph) -> None:
    first = ask(alice, "What does fetch-api do?")
    rested(first.run_id)
    rested(ask(alice, "And root?", session_id=str(first.session_id)).run_id)
    rested(deepening.deepen(member_of(alice), str(first.session_id), first.message_id).run_id)
    note = vendor.requests[2].body["messages"][-1]["content"]
    assert json.dumps("What does fetch-api do?") in note


def test_an_earlier_question_is_not_named_while_it_is_left_out(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    vendor.script(*(Script(text=text) for text in ("One.", "Two.", "Three.", "Four.", "Five.")))
    member, first = member_of(alice), ask(alice, 'The key is "4711"')
    rested(first.run_id)
    session_id = str(first.session_id)
    rested(ask(alice, "And root?", session_id=session_id).run_id)
    rested(deepening.deepen(member, session_id, first.message_id).run_id)
    pinning.keep_message(member, str(first.user_message_id), "left_out")
    rested(ask(alice, "And now?", session_id=session_id).run_id)
    sent = [str(request.body) for request in vendor.requests]
    assert "4711" not in sent[3]
    assert "go deeper into an earlier question of theirs, which was answered above" in sent[3]
    assert "4711" in sent[2]
    pinning.keep_message(member, str(first.user_message_id), "auto")
    rested(ask(alice, "And again?", session_id=session_id).run_id)
    assert str(vendor.requests[4].body).count("4711") == 2


def test_nobody_goes_deeper_into_a_question_that_is_left_out(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    """The stronger model would take another one for it."""
    member, asked = member_of(alice), ask(alice, "What does fetch-api do?")
    rested(asked.run_id)
    pinning.keep_message(member, str(asked.user_message_id), "left_out")
    with pytest.raises(Refused, match="is left out") as refused:
        deepening.deepen(member, str(asked.session_id), asked.message_id)
    assert refused.value.code == "conflict"
    assert len(vendor.requests) == 1


@pytest.mark.parametrize(
    ("script", "gave_up"),
    [
        ("hello", False),
        ("endless_tools", True),
        ("context_length", True),
        ("length", True),
        ("bad_forever", True),
        ("content_filter", False),
    ],
)
def test_it_says_when_a_model_gave_up(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph, script: str, gave_up: bool
) -> None:
    vendor.answers["bad_forever"] = [Script(tool_calls=(ScriptedCall("drop_tables", {}),))]
    accepted = ask(alice, f"SCRIPT:{script}")
    run = rested(accepted.run_id)
    assert run.gave_up is gave_up
    assert of_run(run.pk)[-1].data.get("gaveUp", False) is gave_up
    assert messages_of(alice, accepted.session_id)[-1]["gaveUp"] is gave_up


def test_a_failed_deeper_answer_can_be_asked_for_again(
    running: Engine, vendor: VendorServer, alice: User, nba: Graph
) -> None:
    first = ask(alice, "What?")
    rested(first.run_id)
    vendor.script(Script(cut="clean", text="a b c d e f", cut_at=4))
    broken = deepening.deepen(member_of(alice), str(first.session_id), first.message_id)
    rested(broken.run_id)
    again = conversations.retry(member_of(alice), str(first.session_id))
    assert rested(again.run_id).model == "gpt-4o"
    assert Message.objects.get(pk=again.message_id).deepens_id == first.message_id
    repeated = deepening.deepen(member_of(alice), str(first.session_id), first.message_id)
    assert repeated.run_id == again.run_id


def test_it_is_for_the_owner_of_an_answer_that_is_done(
    alice: User, bob: User, charlie: User, nba: Graph, vendor: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted = ask(alice, "Hello")
    path = f"chat/messages/{accepted.message_id}/deepen"
    foreign = [post(user, path).content for user in (bob, charlie)]
    assert foreign == [post(alice, f"chat/messages/{accepted.run_id}/deepen").content] * 2
    problem(post(alice, path), 409, "conflict")
    member = member_of(alice)
    with pytest.raises(NotFound):
        deepening.deepen(member, str(accepted.session_id), accepted.user_message_id)
    Run.objects.update(status="succeeded", provider="openai-mini", model="gpt-4o-mini")
    Run.objects.update(provider="openai-reasoning", model="gpt-6.1-terra")
    with pytest.raises(Refused, match="no stronger model"):
        deepening.deepen(member, str(accepted.session_id), accepted.message_id)
    monkeypatch.setattr(open_calls, "waiting_answer", lambda session: session)
    with pytest.raises(Refused, match="waits for a decision"):
        deepening.deepen(member, str(accepted.session_id), accepted.message_id)
    assert Message.objects.count() == 2


def test_it_offers_others_for_a_model_that_is_not_configured(alice: User, nba: Graph, vendor: VendorServer) -> None:
    asked = {"message": "Hello", "context": ABOUT_NBA}
    told = problem(post(alice, "chat/messages", asked | {"model": "anthropic"}), 422, "model_unavailable")
    assert STRONG in told["available"]
    assert Session.objects.count() == 0
    session = post(alice, "chat/messages", asked).json()["sessionId"]
    path = f"chat/sessions/{session}"
    problem(patch(alice, path, {"model": "none"}), 422, "model_unavailable")
    Session.objects.update(model="gone:x")
    assert get(alice, path).json()["modelAvailable"] is False
    problem(post(alice, "chat/messages", {"message": "Hello", "sessionId": session}), 422, "model_unavailable")
    assert post(alice, "chat/messages", {"message": "Hello", "sessionId": session, "model": STRONG}).status_code == 202
    assert patch(alice, path, {"model": ""}).json()["modelAvailable"] is True


def test_what_is_no_longer_offered_is_not_asked_by_trying_again_either(
    alice: User, nba: Graph, vendor: VendorServer
) -> None:
    accepted = post(alice, "chat/messages", {"message": "Hello", "context": ABOUT_NBA}).json()
    Run.objects.update(status="failed", error={"retryable": True})
    path = f"chat/sessions/{accepted['sessionId']}/retry"
    Session.objects.update(model="openai:o1-pro")
    problem(post(alice, path), 422, "model_unavailable")
    Session.objects.update(model="openai")
    assert post(alice, path).status_code == 202


def test_it_lists_what_can_be_chosen(alice: User, vendor: VendorServer) -> None:
    listed = get(alice, "chat/models").json()
    assert listed["default"] == WEAK
    found = {each["id"]: each for each in listed["results"]}
    assert set(found) == {WEAK, STRONG, "openai-reasoning:gpt-6.1-terra", "demo:demo"}
    assert found[WEAK]["stronger"] == STRONG
    assert found[WEAK]["price"] == {"input": 0.15, "cachedInput": 0.075, "output": 0.6}
    assert [each["reasons"] for each in (found[WEAK], found["openai-reasoning:gpt-6.1-terra"])] == [False, True]
    assert found["openai-reasoning:gpt-6.1-terra"]["stronger"] is None
