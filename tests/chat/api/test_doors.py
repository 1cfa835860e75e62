"""Every address of the conversation's API, for everybody who may knock: a new one without a row here fails."""

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from chat.api.urls import urlpatterns
from chat.models import Message, Run, RunStatus, Session, StreamEvent
from graphs.models import Graph, Membership
from tests.cast import signed_in
from tests.chat.api.callers import API, ask
from tests.graphs.api.callers import problem, with_token

pytestmark = pytest.mark.django_db

#: method, address with the name of an id, body, what its owner gets.
OF_A_SESSION: list[tuple[str, str, Any, int]] = [
    ("GET", "chat/sessions/{session}", None, 200),
    ("PATCH", "chat/sessions/{session}", {"title": "New"}, 200),
    ("GET", "chat/sessions/{session}/messages", None, 200),
    ("GET", "chat/sessions/{session}/stream-events", None, 200),
    ("POST", "chat/sessions/{session}/resume", {"answer": "Yes"}, 409),
    ("POST", "chat/sessions/{session}/retry", {}, 409),
    ("POST", "chat/sessions/{session}/stop", {}, 204),
    ("POST", "chat/messages", {"message": "Hello", "sessionId": "{session}"}, 202),
    ("GET", "chat/messages/{message}/stream-events", None, 200),
    ("GET", "streams/events/{stream}", None, 200),
    ("DELETE", "chat/sessions/{session}", None, 204),
]
OF_A_WORKSPACE: list[tuple[str, str, Any, int]] = [
    ("GET", "chat/sessions", None, 200),
    ("GET", "chat/models", None, 200),
    ("POST", "chat/messages", {"message": "Hello"}, 202),
    ("GET", "streams/sse", None, 503),
]
ALL = OF_A_SESSION + OF_A_WORKSPACE
MALFORMED = ("nonsense", "0", "null", "..%2f", "%27%20OR%201=1", "%C3%A9", "x" * 90)


def call(client: Client, row: tuple[str, str, Any, int], ids: dict[str, str], **headers: str) -> HttpResponse:
    method, address, body, _status = row
    if body is not None:
        body = {name: value.format(**ids) if name == "sessionId" else value for name, value in body.items()}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.generic(
        method, API + address.format(**ids), data=b"" if body is None else _json(body), content_type="application/json",
        headers=named,
    )  # fmt: skip


def _json(body: Any) -> bytes:

    return json.dumps(body).encode()


def ids_of(user: User) -> dict[str, str]:
    accepted = ask(user)
    return {"session": accepted["sessionId"], "message": accepted["messageId"], "stream": accepted["streamId"]}


def named_everywhere(value: str) -> dict[str, str]:
    return {"session": value, "message": value, "stream": f"session_{value}"}


def test_there_is_a_row_for_every_address() -> None:
    rows = {address.format(session="*", message="*", stream="*") for _method, address, _body, _status in ALL}
    addresses = {
        "/".join("*" if part.startswith("<") else part for part in str(pattern.pattern).split("/"))
        for pattern in urlpatterns
    }
    assert addresses == rows


def test_the_owner_gets_in(alice: User, nba: Graph) -> None:
    ids = ids_of(alice)
    for row in ALL:
        assert call(with_token(alice), row, ids).status_code == row[3], row


def test_the_anonymous_are_asked_to_sign_in(alice: User, nba: Graph) -> None:
    ids = ids_of(alice)
    for row in ALL:
        for client in (Client(), Client(headers={"Authorization": "Bearer nonsense"})):
            response = call(client, row, ids)
            assert response.status_code == 401, row
            assert "Bearer" in response.headers["WWW-Authenticate"]


def test_a_cookie_needs_the_csrf_token_for_changes(alice: User, nba: Graph) -> None:
    ids = ids_of(alice)
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in(alice).cookies
    for row in ALL:
        if row[0] != "GET":
            problem(call(client, row, ids), 403, "csrf")


def test_foreign_is_the_same_as_absent(alice: User, bob: User, charlie: User, nba: Graph) -> None:
    foreign, before = ids_of(alice), everything()
    hidden = ids_of(bob)
    assert with_token(bob).delete(f"{API}chat/sessions/{hidden['session']}").status_code == 204
    for row in OF_A_SESSION:
        for stranger in (bob, charlie):
            absent = call(with_token(stranger), row, named_everywhere(str(uuid.uuid4())))
            problem(absent, 404, "not_found")
            for ids in (foreign, hidden):
                found = call(with_token(stranger), row, ids)
                assert (found.status_code, found.content) == (404, absent.content), (row, stranger)
                assert found.headers.items() == absent.headers.items()
    session = Session.objects.get(pk=foreign["session"])
    assert (session.hidden_at, session.title) == (None, "Hello")
    assert everything()[foreign["session"]] == before[foreign["session"]]


def everything() -> dict[str, tuple[int, int]]:
    return {
        str(session.pk): (session.messages.count(), StreamEvent.objects.filter(stream=session.stream).count())
        for session in Session.objects.all()
    }


def test_what_is_no_id_names_nothing(alice: User, nba: Graph) -> None:
    for row in OF_A_SESSION:
        absent = call(with_token(alice), row, named_everywhere(str(uuid.uuid4())))
        for value in MALFORMED:
            found = call(with_token(alice), row, named_everywhere(value))
            assert found.status_code == 404, (row, value)
            if "%2f" not in value and len(value) < 90:
                assert found.content == absent.content, (row, value)


def test_the_workspace_of_the_request_has_to_be_the_sessions(alice: User, charlie: User, nba: Graph) -> None:
    Membership.objects.create(user=alice, workspace=charlie.memberships.get().workspace, role="editor")
    ids = ids_of(alice)
    for row in OF_A_SESSION:
        if "{stream}" in row[1]:
            continue
        problem(call(with_token(alice), row, ids, x_workspace="other"), 404, "not_found")
        problem(call(with_token(alice), row, ids, x_workspace="unknown"), 404, "not_found")
        assert call(with_token(alice), row, ids, x_workspace="demo").status_code == row[3], row


def test_nobody_gets_in_after_they_were_removed(alice: User, nba: Graph) -> None:
    ids = ids_of(alice)
    Membership.objects.filter(user=alice).delete()
    for row in ALL:
        if row[1] != "streams/sse":
            problem(call(with_token(alice), row, ids), 404, "not_found")


def test_a_viewer_may_converse(bob: User, nba: Graph) -> None:
    ids = ids_of(bob)
    for row in ALL:
        assert call(with_token(bob), row, ids).status_code == row[3], row


def test_too_many_runs_are_refused(alice: User, nba: Graph, settings: Settings) -> None:
    ids = ids_of(alice)
    Run.objects.update(status=RunStatus.SUCCEEDED)
    settings.LIMIT_MESSAGES = "1/hour"
    for row in ALL:
        if row[0] == "POST" and "stop" not in row[1]:
            response = call(with_token(alice), row, ids)
            problem(response, 429, "throttled")
            assert int(response.headers["Retry-After"]) > 0
    assert Message.objects.filter(role="user").count() == 1


def test_no_address_changes_anything_by_get(alice: User, nba: Graph) -> None:
    ids = ids_of(alice)
    before = everything()
    for row in ALL:
        call(with_token(alice), ("GET", row[1], None, 0), ids)
    assert everything() == before
