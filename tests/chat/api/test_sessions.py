import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings

from chat.actions import conversations
from chat.api import sessions
from chat.models import Message, Run, RunStatus, Session, StreamEvent
from graphs.models import Graph
from tests.chat.api.callers import ask, get, patch, post
from tests.graphs.api.callers import problem, with_token

pytestmark = pytest.mark.django_db


def pages(user: User, path: str, follow: str) -> list[list[Any]]:
    """All pages of a list, one request each."""
    found = []
    link: str | None = f"/api/v1/{path}"
    while link:
        answer = with_token(user).get(link).json()
        found.append(answer["results"])
        link = answer[follow]
    return found


def test_it_lists_own_conversations_latest_first(alice: User, bob: User, nba: Graph) -> None:
    mine = [ask(alice, f"Question {n}")["sessionId"] for n in range(5)]
    ask(bob)
    ask(alice, "More", sessionId=mine[0])
    expected = [mine[0], *reversed(mine[1:])]
    assert [each["id"] for each in get(alice, "chat/sessions").json()["results"]] == expected
    found = pages(alice, "chat/sessions?limit=2", "next")
    assert [len(page) for page in found] == [2, 2, 1]
    assert [each["id"] for page in found for each in page] == expected


def test_it_lists_conversations_about_one_object(alice: User, nba: Graph) -> None:
    about = ask(alice)["sessionId"]
    post(alice, "chat/messages", {"message": "Hello"})
    assert [each["id"] for each in get(alice, "chat/sessions?context=graph:nba").json()["results"]] == [about]
    assert get(alice, "chat/sessions?context=graph:none").json()["results"] == []
    assert len(get(alice, "chat/sessions?context=").json()["results"]) == 2
    for wrong in ("nba", "graph:", ":nba", "graph:%00", "%00:nba"):
        assert "context" in problem(get(alice, f"chat/sessions?context={wrong}"), 400, "validation")["errors"]


@pytest.mark.parametrize("query", ["cursor=x", "cursor=AAAA", "limit=0", "limit=-1", "limit=x", "limit=1000"])
def test_it_refuses_pages_that_are_none(alice: User, nba: Graph, query: str) -> None:
    session = ask(alice)["sessionId"]
    for path in ("chat/sessions", f"chat/sessions/{session}/messages"):
        assert get(alice, f"{path}?{query}").status_code == 400


def test_it_gives_the_latest_messages_with_the_oldest_of_them_first(alice: User, nba: Graph) -> None:
    session = ask(alice, "0")["sessionId"]
    for n in range(1, 5):
        ask(alice, str(n), sessionId=session)
    found = pages(alice, f"chat/sessions/{session}/messages?limit=3", "previous")
    assert [len(page) for page in found] == [3, 3, 3, 1]
    messages = [each for page in reversed(found) for each in page]
    assert [each["content"] for each in messages if each["role"] == "user"] == ["0", "1", "2", "3", "4"]
    assert [each["role"] for each in messages] == ["user", "assistant"] * 5
    assert {each["status"] for each in messages if each["role"] == "assistant"} == {"queued"}


def test_it_hides_what_only_the_model_reads(alice: User, nba: Graph) -> None:
    accepted = ask(alice)
    note = Message.objects.create(session_id=accepted["sessionId"], sequence=9, role="system", content="secret")
    messages = get(alice, f"chat/sessions/{accepted['sessionId']}/messages").content
    assert b"secret" not in messages
    problem(get(alice, f"chat/messages/{note.pk}/stream-events"), 404, "not_found")


def test_it_changes_what_may_be_changed(alice: User, nba: Graph) -> None:
    path = f"chat/sessions/{ask(alice)['sessionId']}"
    changes = {"title": " Renamed ", "model": "demo", "onDisconnect": "continue", "requireValidation": True}
    found = patch(alice, path, changes).json()
    assert {name: found[name] for name in changes} == {**changes, "title": "Renamed"}
    assert get(alice, path).json() == found
    told = get(alice, f"{path}/stream-events").json()["events"][-1]
    assert (told["type"], told["data"]["title"]) == ("session_updated", "Renamed")
    unchanged = patch(alice, path, {}).json()
    assert {name: unchanged[name] for name in changes} == {name: found[name] for name in changes}


def test_what_changes_nothing_writes_no_event_however_often_it_is_said(
    alice: User, nba: Graph, settings: Settings
) -> None:
    path = f"chat/sessions/{ask(alice)['sessionId']}"
    same = {"title": "Mine", "onDisconnect": "continue", "requireValidation": True}
    assert patch(alice, path, same).status_code == 200
    events = get(alice, f"{path}/stream-events").json()
    settings.LIMIT_WRITES = "4/min"
    for body in (same, {"title": " Mine "}, {}):
        assert patch(alice, path, body).status_code == 200
    assert get(alice, f"{path}/stream-events").json() == events
    refused = patch(alice, path, {"title": "Too often"})
    problem(refused, 429, "throttled")
    assert int(refused["Retry-After"]) > 0


def test_it_keeps_a_title_that_was_given(alice: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    patch(alice, f"chat/sessions/{session}", {"title": "Mine"})
    ask(alice, "More", sessionId=session)
    assert Session.objects.get().title == "Mine"


def test_a_title_has_one_limit_wherever_it_is_said(alice: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    assert patch(alice, f"chat/sessions/{session}", {"title": "x" * conversations.LONGEST_TITLE}).status_code == 200
    longest = Session._meta.get_field("title").max_length
    title = sessions.SessionBody.model_json_schema()["properties"]["title"]
    (limit,) = [each["maxLength"] for each in title["anyOf"] if "maxLength" in each]
    assert limit == longest == conversations.LONGEST_TITLE


@pytest.mark.parametrize(
    "body",
    [
        *({"title": ""}, {"title": "  "}, {"title": "x" * 201}, {"title": 7}, {"model": 7}),
        *({"onDisconnect": "never"}, {"onDisconnect": ""}, {"requireValidation": "true"}, {"requireValidation": 1}),
        *({"id": "x"}, {"owner": 1}, {"workspace": "other"}, {"phase": "IDLE"}, {"state": {}}, {"usage": {}}),
        *({"hiddenAt": None}, {"createdAt": "2020-01-01"}, {"type": "AUTOMATION"}, {"context": None}, {"stream": 1}),
        *({"title": "ok", "unknown": 1}, [], "x", None),
    ],
)
def test_it_refuses_every_other_change(alice: User, nba: Graph, body: Any) -> None:
    session = ask(alice)["sessionId"]
    before = Session.objects.values().get(pk=session)
    problem(patch(alice, f"chat/sessions/{session}", body), 400, "validation")
    assert Session.objects.values().get(pk=session) == before


def test_it_hides_a_deleted_conversation_and_keeps_it_for_the_audit(alice: User, nba: Graph) -> None:
    session = ask(alice)["sessionId"]
    assert with_token(alice).delete(f"/api/v1/chat/sessions/{session}").status_code == 204
    assert get(alice, "chat/sessions").json()["results"] == []
    problem(get(alice, f"chat/sessions/{session}"), 404, "not_found")
    assert Message.objects.filter(session=session).count() == 2
    assert Run.objects.get().status == RunStatus.CANCELLED


def test_it_stops_what_waits_and_says_so(alice: User, nba: Graph) -> None:
    accepted = ask(alice)
    path = f"chat/sessions/{accepted['sessionId']}"
    assert post(alice, f"{path}/stop").status_code == 204
    assert post(alice, f"{path}/stop").status_code == 204
    events = get(alice, f"{path}/stream-events").json()["events"]
    closing = [each for each in events if each["type"] in {"done", "error"}]
    assert [each["data"]["reason"] for each in closing] == ["stopped"]
    assert get(alice, f"{path}/messages").json()["results"][1]["status"] == "stopped"


@pytest.mark.parametrize("body", [[], 0, False, "", {"x": 1}, {"wait": "yes"}])
def test_it_refuses_bodies_that_are_none(alice: User, nba: Graph, body: Any) -> None:
    path = f"chat/sessions/{ask(alice)['sessionId']}"

    for action in ("retry", "stop", "resume"):
        problem(post(alice, f"{path}/{action}", json.dumps(body)), 400, "validation")


@pytest.mark.parametrize("action", ["retry", "stop"])
def test_it_needs_no_body_where_there_is_nothing_to_say(alice: User, nba: Graph, action: str) -> None:
    session = ask(alice)["sessionId"]
    assert with_token(alice).generic("POST", f"/api/v1/chat/sessions/{session}/{action}").status_code in (204, 409)


@pytest.mark.parametrize(
    "body", [{}, {"answer": "Yes", "continue": True}, {"continue": "true"}, {"continue": 1}, {"answer": 7}]
)
def test_it_needs_one_answer_to_resume(alice: User, nba: Graph, body: Any) -> None:
    problem(post(alice, f"chat/sessions/{ask(alice)['sessionId']}/resume", body), 400, "validation")


def test_it_has_nothing_to_retry_or_resume_while_it_waits_for_nothing(alice: User, nba: Graph) -> None:
    path = f"chat/sessions/{ask(alice)['sessionId']}"
    problem(post(alice, f"{path}/retry"), 409, "conflict")
    problem(post(alice, f"{path}/resume", {"continue": True}), 409, "conflict")
    run = Run.objects.get()
    run.status, run.error, run.ended_at = RunStatus.FAILED, {"code": "internal", "retryable": False}, timezone.now()
    run.save()
    problem(post(alice, f"{path}/retry"), 409, "conflict")
    run.error = {"code": "network", "message": "x", "retryable": True}
    run.save()
    again = post(alice, f"{path}/retry")
    assert again.status_code == 202
    assert Message.objects.filter(role="user").count() == 1
    problem(post(alice, f"{path}/retry"), 409, "conflict")


def test_it_pages_events_up_to_a_limit(alice: User, nba: Graph) -> None:
    accepted = ask(alice)
    total = StreamEvent.objects.count()
    for path in (
        f"chat/sessions/{accepted['sessionId']}/stream-events",
        f"streams/events/{accepted['streamId']}",
    ):
        everything = get(alice, path).json()
        assert [each["sequence"] for each in everything["events"]] == list(range(1, total + 1))
        assert everything["last"] == total
        page = get(alice, f"{path}?after=1&limit=1").json()
        assert (page["events"], page["last"]) == (everything["events"][1:2], total)
        assert get(alice, f"{path}?after={total}").json() == {"events": [], "last": total}
        assert get(alice, f"{path}?limit=1000").status_code == 200


def test_it_refuses_a_cursor_from_the_future_or_none(alice: User, nba: Graph) -> None:
    accepted = ask(alice)
    total = StreamEvent.objects.count()
    for path in (
        f"chat/sessions/{accepted['sessionId']}/stream-events",
        f"chat/messages/{accepted['messageId']}/stream-events",
        f"streams/events/{accepted['streamId']}",
    ):
        problem(get(alice, f"{path}?after={total + 1}"), 400, "cursor")
        for query in ("after=-1", "after=x", "after=1.5", "after=", "after=%C2%B2", f"after={10**30}", "limit=1001"):
            problem(get(alice, f"{path}?{query}"), 400, "validation")


def test_it_gives_the_events_of_one_message(alice: User, nba: Graph) -> None:
    accepted = ask(alice)
    ask(alice, "More", sessionId=accepted["sessionId"])
    found = get(alice, f"chat/messages/{accepted['userMessageId']}/stream-events").json()["events"]
    assert [(each["type"], each["messageId"]) for each in found] == [("user_message", accepted["userMessageId"])]
