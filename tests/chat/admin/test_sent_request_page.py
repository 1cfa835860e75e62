"""What the model saw, for those who may audit: call by call, entry by entry, on every wire."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from chat.admin import sent_request_page
from chat.admin.request_entries import parts_of
from chat.models import Message, ModelCall, Purpose, SentRequest
from chat.prompts.fencing import context_text
from chat.providers.building import body_of
from chat.providers.estimating import MESSAGE_TOKENS, tokens_of, tokens_of_tools
from chat.providers.model_request import ModelRequest, PromptMessage, ToolCall
from chat.providers.pieces import Usage
from chat.providers.provider import ProviderConfig
from chat.sent_requests.keeping import KeptRequest
from chat.sent_requests.layout import take_apart
from graphs.models import Graph, Workspace
from rag.sources.block import Block
from tests.chat.admin.talk import DEMO, TOOL, Talk, called, talk
from tests.graphs.admin.staff import auditor, mere_staff, superuser

pytestmark = pytest.mark.django_db

QUESTION = PromptMessage(
    "user", f"{context_text(Block('Retrieved: data.', 'nodes[1]{key}: <b>fetch-api</b>'))}\n\nWhere is it?"
)
CALLED = PromptMessage("assistant", "I look.", tool_calls=(ToolCall("c1", "search_nodes", '{"query":"api"}'),))
RESULT = PromptMessage("tool", '{"found":["fetch-api"]}', tool_call_id="c1", cache_breakpoint=True)


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    """An answer with a second call, of which half came from the vendor's cache."""
    found = talk(alice, demo_workspace)
    messages = (PromptMessage("user", "Where is the API?"), CALLED, RESULT)
    sent = KeptRequest(DEMO, ModelRequest(messages, (TOOL,), "demo", 100), 1)
    called(found.session, found.run, sent, Usage(800, 20, cached_tokens=400))
    return found


def seen_by(client: Client, found: Talk, **query: Any) -> Any:
    address = reverse("admin:chat_session_seen", args=[found.session.pk])
    return client.get(address, {"message": found.run.message_id, **query})


def test_it_shows_every_call_and_what_was_new_in_it(own: Talk) -> None:
    response = seen_by(auditor(own.session.workspace), own)
    shown = response.context["shown"]
    assert [call.request.number for call in response.context["calls"]] == [1, 2]
    assert (shown.call.prompt_tokens, shown.call.cached_tokens) == ("800", "400")
    assert [entry.new for entry in shown.entries] == [False, True, True]
    assert [entry.cached for entry in shown.entries] == [True, False, False]
    assert [part.holds for entry in shown.entries for part in entry.parts] == ["words", "text", "call", "result"]
    assert [str(entry.section) for entry in shown.entries] == ["The question", "Since the question", ""]
    assert [part.label for part in shown.entries[2].parts] == ["result of a tool: search_nodes"]
    assert [tool.name for tool in shown.tools] == ["search_nodes"]
    assert [part.text for part in shown.reply] == ["It is **fetch-api**."]
    assert response.context["question"] == "Where is the API?"
    first = seen_by(superuser(), own, call=1).context["shown"]
    assert [entry.new for entry in first.entries] == [True]
    assert [part.holds for part in first.reply] == ["reasoning", "call", "result"]


@pytest.mark.parametrize("wire", ["openai", "openai-responses", "anthropic"])
def test_its_tokens_are_those_that_are_counted_everywhere(own: Talk, wire: Any) -> None:
    messages = PromptMessage("system", "Facts come from data.\nNever invent."), PromptMessage("user", "Où est l'API ?")
    request = ModelRequest(messages, (TOOL,), "demo", 100)
    called(own.session, own.run, KeptRequest(replace(DEMO, wire=wire), request, 2), Usage(800, 20))
    shown = seen_by(superuser(), own, call=3).context["shown"]
    assert shown.tools_size == str(tokens_of_tools(request))
    parts = [int(part.tokens) for entry in shown.entries for part in entry.parts]
    assert sum(parts) + tokens_of_tools(request) + MESSAGE_TOKENS * len(messages) == tokens_of(request)


def test_the_newest_answer_is_shown_where_none_is_named(own: Talk) -> None:
    response = superuser().get(reverse("admin:chat_session_seen", args=[own.session.pk]))
    assert response.context["answer"].pk == own.run.message_id


def test_what_is_foreign_or_absent_is_not_there(own: Talk, other_workspace: Workspace, charlie: User) -> None:
    foreign = talk(charlie, other_workspace)
    client = auditor(own.session.workspace)
    assert seen_by(client, foreign).status_code == 404
    for query in ({"message": foreign.run.message_id}, {"message": "x"}, {"call": 9}, {"call": "x"}):
        assert seen_by(client, own, **query).status_code == 404, query
    asked = Message.objects.get(session=own.session, role="user")
    assert seen_by(client, own, message=asked.pk).status_code == 404
    address = reverse("admin:chat_session_seen_request", args=[foreign.session.pk])
    assert client.get(address).status_code == 404
    assert seen_by(mere_staff(own.session.workspace), own).status_code == 404


def test_long_requests_come_in_pages_and_long_texts_are_cut(own: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_request_page, "ENTRIES_PER_PAGE", 2)
    monkeypatch.setattr(sent_request_page, "MAX_TEXT_CHARS", 5)
    response = seen_by(superuser(), own, page=2)
    (entry,) = response.context["shown"].entries
    assert entry.number == 3
    assert (entry.parts[0].text, entry.parts[0].cut) == ('{"fou', True)
    assert response.context["shown"].new_on_page == 1


def test_nothing_kept_is_said(own: Talk, settings: Settings) -> None:
    SentRequest.objects.all().delete()
    client = superuser()
    assert "30 days" in seen_by(client, own).content.decode()
    settings.AI_KEEP_REQUESTS_DAYS = 0
    assert "are not kept" in seen_by(client, own).content.decode()
    address = reverse("admin:chat_session_seen_request", args=[own.session.pk])
    assert client.get(address).status_code == 404


def test_the_json_is_the_request(own: Talk) -> None:
    address = reverse("admin:chat_session_seen_request", args=[own.session.pk])
    body = superuser().get(address, {"message": own.run.message_id, "call": 2}).json()
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "tool"]
    assert body["tools"][0]["function"]["name"] == "search_nodes"


def test_pages_of_the_session_lead_there(own: Talk) -> None:
    client = superuser()
    link = f"{reverse('admin:chat_session_seen', args=[own.session.pk])}?message={own.run.message_id}"
    assert link in client.get(reverse("admin:chat_session_change", args=[own.session.pk])).content.decode()
    replay = client.get(reverse("admin:chat_session_replay", args=[own.session.pk])).content.decode()
    assert f'seen="{reverse("admin:chat_session_seen", args=[own.session.pk])}"' in replay


@pytest.mark.parametrize("kind", ["openai", "anthropic", "openai-responses"])
def test_every_wire_is_readable(kind: Any) -> None:
    config = ProviderConfig("p", kind, "", "m", 4096, None, echo_reasoning=True)
    called = PromptMessage(
        "assistant", "I look.", CALLED.tool_calls, reasoning="Hm.", vendor="anthropic",
        vendor_blocks=({"type": "thinking", "thinking": "Hm.", "signature": "s"},),
    )  # fmt: skip
    messages = (PromptMessage("system", "Be kind."), QUESTION, called, RESULT, PromptMessage("user", "[No more.]"))
    entries = take_apart(body_of(config, ModelRequest(messages, (TOOL,), "m", 4096))).entries
    parts = [part for entry in entries for part in parts_of(entry.content)]
    kinds = [part.holds for part in parts if part.holds != "reasoning"]
    assert kinds == ["system", "data", "words", "text", "call", "result", "note"]
    assert next(part for part in parts if part.holds == "words").text == "Where is it?"
    assert json.loads(next(part for part in parts if part.holds == "call").text) == {"query": "api"}
    assert "fetch-api" in next(part for part in parts if part.holds == "result").text


def test_a_call_beside_the_answer_says_what_it_was_for(own: Talk) -> None:
    ModelCall.objects.filter(request__number=2).update(purpose=Purpose.SUMMARY)
    response = seen_by(superuser(), own)
    assert [call.purpose for call in response.context["calls"]] == ["", "summary"]
    assert response.context["shown"].reply == ()
