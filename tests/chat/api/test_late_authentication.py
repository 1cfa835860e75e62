"""A token is looked at with what its message is sent to: who is refused reads the same, whatever they send."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from psycopg.errors import LockNotAvailable, QueryCanceled
from rest_framework.response import Response

from chat.api.messages import MessagesView
from chat.models import IdempotencyKey, Message, Session
from graphs.models import Graph, Membership, SignIn, Workspace
from graphs.site import sign_ins
from tests.cast import signed_in
from tests.chat.api.callers import ABOUT_NBA, ask
from tests.forged_tokens import FORGERIES
from tests.graphs.api.callers import post_json, problem, with_header, with_token

pytestmark = pytest.mark.django_db

PATH = "/api/v1/chat/messages"
NEW: dict[str, Any] = {"message": "Hello", "context": ABOUT_NBA}
#: What would be refused by itself.
WRONG: dict[str, Any] = {
    "no message": {},
    "no JSON": "{",
    "no session": {"message": "Hello", "sessionId": "x"},
    "a kind that is none": {"message": "Hello", "context": {"type": "planet", "id": "1"}},
}


def _deactivated(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def _another_password(user: User) -> None:
    user.set_password("another long password")
    user.save()


ENDS: dict[str, Callable[[User], Any]] = {
    "deactivated": _deactivated,
    "another password": _another_password,
    "signed out": lambda user: SignIn.objects.filter(user=user).delete(),
}


@pytest.fixture
def known(alice: User, nba: Graph) -> dict[str, Any]:
    """A message to a conversation that Alice began."""
    return {"message": "And then?", "sessionId": ask(alice)["sessionId"]}


@pytest.mark.parametrize("body", [*WRONG.values(), NEW, "known"], ids=[*WRONG, "new", "known"])
@pytest.mark.parametrize("end", ENDS)
def test_whose_token_has_ended_is_refused_whatever_they_send(
    alice: User, known: dict[str, Any], end: str, body: Any
) -> None:
    program = with_header(f"Bearer {sign_ins.begin(alice, 'a program').access}")
    said = Message.objects.count()
    ENDS[end](alice)
    answer = post_json(program, PATH, known if body == "known" else body)
    problem(answer, 401, "authentication_failed")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="api"'
    assert Message.objects.count() == said


@pytest.mark.parametrize("end", ENDS)
def test_whose_token_has_ended_is_refused_beside_any_workspace_and_by_any_method(
    alice: User, known: dict[str, Any], end: str
) -> None:
    program = with_header(f"Bearer {sign_ins.begin(alice, 'a program').access}")
    ENDS[end](alice)
    for body in (NEW, known, WRONG["no message"]):
        for workspace in ("demo", "foreign", ""):
            answer = post_json(program, PATH, body, headers={"X-Workspace": workspace})
            problem(answer, 401, "authentication_failed")
            problem(post_json(program, f"{PATH}?workspace={workspace}", body), 401, "authentication_failed")
    for ask_by in (program.get, program.put, program.patch, program.delete, program.options, program.head):
        assert ask_by(PATH).status_code == 401


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_tokens_are_refused(alice: User, known: dict[str, Any], forgery: str) -> None:
    program = with_header(f"Bearer {FORGERIES[forgery](alice)}")
    for body in (NEW, known, WRONG["no message"]):
        problem(post_json(program, PATH, body), 401, "authentication_failed")
    assert Session.objects.count() == 1


def test_nobody_is_refused(known: dict[str, Any]) -> None:
    for body in (NEW, known, WRONG["no message"]):
        problem(post_json(Client(), PATH, body), 401, "not_authenticated")


def test_a_token_of_a_sign_in_counts_as_long_as_it(alice: User, known: dict[str, Any]) -> None:
    """Without this the refusals above would prove nothing."""
    program = with_header(f"Bearer {sign_ins.begin(alice, 'a program').access}")
    assert post_json(program, PATH, NEW).status_code == post_json(program, PATH, known).status_code == 202


@pytest.mark.parametrize("body", WRONG)
def test_whom_a_token_lets_in_is_told_what_is_wrong(alice: User, body: str) -> None:
    by_token, by_cookie = (post_json(client, PATH, WRONG[body]) for client in (with_token(alice), signed_in(alice)))
    assert by_token.status_code == by_cookie.status_code >= 400
    assert by_token.content == by_cookie.content


def test_a_conversation_of_another_is_not_found(bob: User, known: dict[str, Any]) -> None:
    problem(post_json(with_token(bob), PATH, known), 404, "not_found")


def test_who_is_in_no_workspace_finds_nothing(alice: User, known: dict[str, Any]) -> None:
    Membership.objects.filter(user=alice).delete()
    for body in (NEW, known):
        problem(post_json(with_token(alice), PATH, body), 404, "not_found")


def test_the_workspace_that_is_named_counts(alice: User, known: dict[str, Any]) -> None:
    another = Workspace.objects.create(slug="another", name="Another")
    Membership.objects.create(workspace=another, user=alice)
    program = with_token(alice)
    problem(post_json(program, PATH, known, headers={"X-Workspace": "another"}), 404, "not_found")
    problem(post_json(program, PATH, NEW, headers={"X-Workspace": "foreign"}), 404, "not_found")
    answer = post_json(program, PATH, {"message": "Hello"}, headers={"X-Workspace": "another"})
    assert Session.objects.get(pk=answer.json()["sessionId"]).workspace == another


@pytest.mark.parametrize("body", [NEW, "known"], ids=["new", "known"])
def test_nobody_is_looked_for_twice_while_the_database_is_away(alice: User, known: dict[str, Any], body: Any) -> None:
    asked = []

    def away(_execute: Any, sql: str, *_rest: Any) -> None:
        asked.append(sql)
        raise OperationalError("no connection")

    program = with_token(alice)
    with connection.execute_wrapper(away):
        problem(post_json(program, PATH, known if body == "known" else body), 503, "unavailable")
    assert len(asked) == 1


@pytest.mark.parametrize("error", [LockNotAvailable, QueryCanceled])
def test_who_waited_too_long_is_told_so_only_if_the_token_lets_them_in(
    alice: User, known: dict[str, Any], error: type[Exception]
) -> None:
    def waits(execute: Any, sql: str, *rest: Any) -> Any:
        if "place AS" not in sql:
            return execute(sql, *rest)
        raise OperationalError("it took too long") from error()

    program = with_token(alice)
    with connection.execute_wrapper(waits):
        assert post_json(program, PATH, known).status_code in (429, 503)
        _another_password(alice)
        problem(post_json(program, PATH, known), 401, "authentication_failed")


def test_nobody_is_answered_of_whom_nobody_knows_who_they_are(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MessagesView, "post", lambda _self, _request: Response())
    with pytest.raises(RuntimeError, match="nobody knows"):
        post_json(with_token(alice), PATH, NEW)


def test_a_key_is_that_of_the_person(alice: User, known: dict[str, Any]) -> None:
    first, again = (post_json(with_token(alice), PATH, NEW, headers={"Idempotency-Key": "one"}) for _ in range(2))
    assert first.json() == again.json()
    assert IdempotencyKey.objects.get().user == alice


def test_person_and_place_are_one_statement(alice: User, known: dict[str, Any]) -> None:
    program = with_token(alice)
    for body in (NEW, known):
        with CaptureQueriesContext(connection) as asked:
            assert post_json(program, PATH, body).status_code == 202
        of_person = [query["sql"] for query in asked if "auth_user" in query["sql"]]
        assert len(of_person) == 1, of_person
