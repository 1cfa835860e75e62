import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from graphs.site import sign_ins
from graphs.site.api import tokens
from tests.cast import PASSWORD
from tests.graphs.api.callers import post_json, problem, with_header

TOKEN = "/api/v1/auth/token"
REFRESH = "/api/v1/auth/token/refresh"


def test_it_gives_tokens_that_open_the_api(alice: User) -> None:
    answer = post_json(Client(), TOKEN, {"username": "alice", "password": PASSWORD})
    assert answer.status_code == 200
    pair = answer.json()
    assert set(pair) == {"access", "refresh"}
    assert with_header(f"Bearer {pair['access']}").get("/api/v1/graphs").status_code == 200
    renewed = post_json(Client(), REFRESH, {"refresh": pair["refresh"]})
    assert set(renewed.json()) == {"access", "refresh"}
    assert with_header(f"bearer {renewed.json()['access']}").get("/api/v1/graphs").status_code == 200


@pytest.mark.parametrize("username", ["alice", "nobody", "ALICE"])
def test_it_refuses_wrong_credentials_alike(alice: User, username: str) -> None:
    answer = post_json(Client(), TOKEN, {"username": username, "password": "wrong"})
    assert problem(answer, 401, "wrong_credentials")["detail"] == "The username or the password is not right."
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_it_refuses_somebody_who_was_deactivated(alice: User) -> None:
    alice.is_active = False
    alice.save()
    problem(post_json(Client(), TOKEN, {"username": "alice", "password": PASSWORD}), 401, "wrong_credentials")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "username"),
        ({"username": "alice", "password": 1}, "password"),
        ({"username": "", "password": "x"}, "username"),
        ({"username": "a" * 151, "password": "x"}, "username"),
        ({"username": "a", "password": "x" * 5000}, "password"),
        ({"username": "a", "password": "x", "isStaff": True}, "isStaff"),
        ([], "body"),
    ],
)
def test_it_names_the_fields_that_are_wrong(db: None, body: object, field: str) -> None:
    assert field in problem(post_json(Client(), TOKEN, body), 400, "validation")["errors"]


def test_it_does_not_take_an_access_token_for_a_refresh_token(alice: User) -> None:
    answer = post_json(Client(), REFRESH, {"refresh": tokens.issue(alice).access})
    problem(answer, 401, "authentication_failed")


@pytest.mark.parametrize("change", ["password", "deactivation", "deletion"])
def test_it_renews_nothing_after(alice: User, change: str) -> None:
    refresh = sign_ins.begin(alice, "").refresh
    if change == "password":
        alice.set_password("another long password")
        alice.save()
    elif change == "deactivation":
        User.objects.filter(pk=alice.pk).update(is_active=False)
    else:
        alice.delete()
    problem(post_json(Client(), REFRESH, {"refresh": refresh}), 401, "authentication_failed")


def test_it_limits_attempts_per_person_and_address(alice: User, bob: User, settings: Settings) -> None:
    settings.LIMIT_LOGIN = "3/min"
    for _attempt in range(3):
        problem(post_json(Client(), TOKEN, {"username": "alice", "password": "wrong"}), 401, "wrong_credentials")
    answer = post_json(Client(), TOKEN, {"username": "Alice", "password": PASSWORD})
    assert "seconds" in problem(answer, 429, "throttled")["detail"]
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert post_json(Client(), TOKEN, {"username": "bob", "password": PASSWORD}).status_code == 200
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert post_json(elsewhere, TOKEN, {"username": "alice", "password": PASSWORD}).status_code == 200


def test_its_answers_never_hold_the_password(alice: User) -> None:
    answer = post_json(Client(), TOKEN, {"username": "alice", "password": "s3cret-canary", "more": 1})
    assert "s3cret-canary" not in json.dumps(answer.json())
