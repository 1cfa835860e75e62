import json
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.models import IdempotencyKey, Message, Session
from graphs.models import Graph, Membership, Role, Workspace
from graphs.objects.kinds import KINDS
from graphs.workflows.store import GRAPH
from tests.chat.api.callers import ABOUT_NBA, ask, get, post
from tests.graphs.api.callers import problem

pytestmark = pytest.mark.django_db
HELLO: dict[str, Any] = {"message": "Hello", "context": ABOUT_NBA}


def test_it_takes_a_message_and_opens_a_conversation_about_an_object(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "  What is\n in this graph? ")
    assert set(accepted) == {"sessionId", "userMessageId", "messageId", "runId", "streamId"}
    session = get(alice, f"chat/sessions/{accepted['sessionId']}").json()
    assert session["title"] == "What is in this graph?"
    assert session["context"] == ABOUT_NBA
    assert session["streamId"] == accepted["streamId"]
    again = ask(alice, "And then?", sessionId=accepted["sessionId"])
    assert again["sessionId"] == accepted["sessionId"]
    assert Session.objects.count() == 1


def test_it_shortens_a_long_title(alice: User, nba: Graph) -> None:
    accepted = ask(alice, "word " * 100)
    title = Session.objects.get(pk=accepted["sessionId"]).title
    assert len(title) <= 80
    assert title.endswith("…")


def test_it_converses_without_an_object(alice: User) -> None:
    response = post(alice, "chat/messages", {"message": "Hello"})
    assert response.status_code == 202
    assert get(alice, f"chat/sessions/{response.json()['sessionId']}").json()["context"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "message"),
        ({"message": None}, "message"),
        ({"message": 7}, "message"),
        ({"message": ["Hello"]}, "message"),
        ({"message": ""}, "message"),
        ({"message": " \t\n\u2003"}, "message"),
        ({"message": "x" * 32_001}, "message"),
        ({"message": "Hello", "context": "graph:nba"}, "context"),
        ({"message": "Hello", "context": {"type": "graph"}}, "context.id"),
        ({"message": "Hello", "context": {"type": "graph", "id": "x" * 101}}, "context.id"),
        ({"message": "Hello", "context": {"type": "planet", "id": "1"}}, "context.type"),
        ({"message": "Hello", "model": 7}, "model"),
        ({"message": "Hello", "attachments": ["a"]}, "attachments"),
        ({"message": "Hello", "wait": 1}, "wait"),
        ({"message": "Hello", "sessionId": 7}, "sessionId"),
        ({"message": "Hello", "session_id": "x"}, "session_id"),
        ({"message": "Hello", "role": "system"}, "role"),
        ({"message": "Hello", "owner": 1}, "owner"),
        ([], "body"),
        ("Hello", "body"),
        (None, "body"),
        (7, "body"),
    ],
)
def test_it_names_the_field_that_is_not_right(alice: User, nba: Graph, body: Any, field: str) -> None:
    response = post(alice, "chat/messages", json.dumps(body))
    assert field in problem(response, 400, "validation")["errors"]
    assert Message.objects.count() == 0
    assert Session.objects.count() == 0


def test_it_takes_the_longest_message_in_any_writing(alice: User, nba: Graph) -> None:
    longest = "\U0001f600" * 32_000
    accepted = ask(alice, longest)
    assert Message.objects.get(pk=accepted["userMessageId"]).content == longest


def test_it_refuses_a_body_that_is_too_big(alice: User) -> None:
    problem(post(alice, "chat/messages", {"message": "x" * 3_000_000}), 413, "too_big")


def test_it_takes_a_foreign_graph_for_absent_and_one_that_the_member_may_not_see(
    alice: User, charlie: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = post(charlie, "chat/messages", HELLO)
    absent = post(charlie, "chat/messages", {"message": "Hello", "context": {"type": "graph", "id": "none"}})
    assert foreign.content == absent.content
    problem(foreign, 404, "not_found")
    monkeypatch.setitem(KINDS, GRAPH.name, replace(GRAPH, may_see=lambda _member, row: row.key != "nba"))
    assert post(alice, "chat/messages", HELLO, idempotency_key="k").content == absent.content
    assert (Session.objects.count(), IdempotencyKey.objects.count()) == (0, 0)


def test_it_gives_the_same_answer_to_the_same_key_and_body(alice: User, bob: User, nba: Graph) -> None:
    first = post(alice, "chat/messages", HELLO, idempotency_key="k")
    again = post(alice, "chat/messages", dict(reversed(HELLO.items())), idempotency_key="k")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.content == again.content
    problem(post(alice, "chat/messages", {**HELLO, "message": "Other"}, idempotency_key="k"), 422, "idempotency_key")
    assert Message.objects.filter(role="user").count() == 1
    second = Workspace.objects.create(slug="second", name="Second")
    Membership.objects.create(user=alice, workspace=second, role=Role.EDITOR)
    problem(post(alice, "chat/messages?workspace=second", HELLO, idempotency_key="k"), 422, "idempotency_key")
    assert post(bob, "chat/messages", HELLO, idempotency_key="k").json()["sessionId"] != first.json()["sessionId"]
    nba.delete()
    assert post(alice, "chat/messages", HELLO, idempotency_key="k").content == first.content
    problem(post(alice, "chat/messages", HELLO), 404, "not_found")


def test_it_forgets_the_key_of_a_message_that_was_refused(alice: User, nba: Graph) -> None:
    problem(post(alice, "chat/messages", {"message": "  "}, idempotency_key="k"), 400, "validation")
    assert IdempotencyKey.objects.count() == 0
    assert post(alice, "chat/messages", HELLO, idempotency_key="k").status_code == 202


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb"])
def test_it_refuses_a_key_that_is_none(alice: User, nba: Graph, key: str) -> None:
    found = problem(post(alice, "chat/messages", HELLO, idempotency_key=key), 400, "validation")
    assert list(found["errors"]) == ["Idempotency-Key"]


def test_it_refuses_another_object_than_the_conversations(alice: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    other = {"message": "x", "sessionId": session, "context": {"type": "graph", "id": "b"}}
    assert "context" in problem(post(alice, "chat/messages", other), 400, "validation")["errors"]
    assert post(alice, "chat/messages", {**HELLO, "sessionId": session}).status_code == 202


def test_it_keeps_a_conversation_whose_graph_was_deleted(alice: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    nba.delete()
    assert get(alice, f"chat/sessions/{session}/messages").json()["results"][0]["content"] == "Hello"
    assert ask(alice, "Still there?", sessionId=session)["sessionId"] == session


def test_it_lists_models_with_one_default(alice: User) -> None:
    found = get(alice, "chat/models").json()
    assert found["default"] in [each["id"] for each in found["results"]]
