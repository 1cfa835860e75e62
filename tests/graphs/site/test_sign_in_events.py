"""Who signs in, and who is refused, is told; what they typed is not."""

import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from graphs.site.telemetry import events
from graphs.site.telemetry.events import Listener, Moment
from tests.cast import PASSWORD
from tests.graphs.api.callers import post_json

pytestmark = pytest.mark.django_db

LOGIN, TOKEN, REFRESH = "/accounts/login/", "/api/v1/auth/token", "/api/v1/auth/token/refresh"
STRANGER = "192.0.2.66"


class Heard(Listener):
    def __init__(self) -> None:
        self.moments: list[Moment] = []

    def emitted(self, moment: Moment) -> None:
        self.moments.append(moment)

    def names(self) -> list[str]:
        return [moment.name for moment in self.moments]


@pytest.fixture
def heard() -> Iterator[Heard]:
    listener = Heard()
    events.listeners.append(listener)
    yield listener
    events.listeners.remove(listener)


def try_to_sign_in(name: str, password: str, page: str = LOGIN) -> Client:
    client = Client(REMOTE_ADDR=STRANGER)
    client.post(page, {"username": name, "password": password})
    return client


def test_coming_and_going_by_a_browser_is_told(alice: User, heard: Heard) -> None:
    client = try_to_sign_in("alice", PASSWORD)
    client.post("/accounts/logout/")
    assert [(each.name, each.level, each.fields) for each in heard.moments] == [
        ("signed_in", "info", {"user": alice.pk, "door": "browser", "address": STRANGER}),
        ("signed_out", "info", {"user": alice.pk, "door": "browser"}),
    ]


@pytest.mark.parametrize("page", [LOGIN, "/admin/login/", TOKEN])
def test_who_is_refused_is_told_at_every_door_without_what_they_typed(alice: User, heard: Heard, page: str) -> None:
    for name in ("alice", "my-password-in-the-wrong-field"):
        if page == TOKEN:
            post_json(Client(REMOTE_ADDR=STRANGER), TOKEN, {"username": name, "password": "a-wrong-password"})
        else:
            try_to_sign_in(name, "a-wrong-password", page)
    assert [(each.name, each.level, each.fields) for each in heard.moments] == [
        ("sign_in_refused", "warning", {"user": known, "address": STRANGER}) for known in (alice.pk, None)
    ]
    assert "password" not in json.dumps([dict(each.fields) for each in heard.moments])


def test_a_program_is_told_and_a_used_token_that_comes_again(alice: User, heard: Heard, settings: Settings) -> None:
    first = post_json(Client(REMOTE_ADDR=STRANGER), TOKEN, {"username": "alice", "password": PASSWORD}).json()
    assert heard.moments[0].fields == {"user": alice.pk, "door": "program", "address": STRANGER}
    second = post_json(Client(), REFRESH, {"refresh": first["refresh"]}).json()
    post_json(Client(), REFRESH, {"refresh": second["refresh"]})
    assert heard.names() == ["signed_in"]
    assert post_json(Client(), REFRESH, {"refresh": first["refresh"]}).status_code == 401
    assert heard.names() == ["signed_in", "refresh_token_reused"]
    assert first["refresh"] not in str(heard.moments)


def test_a_new_password_is_told(bob: User, heard: Heard) -> None:
    client = Client()
    client.force_login(bob)
    new = "a new password of 2026"
    client.post("/account/password/", {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    assert heard.names()[-1] == "password_changed"
    assert new not in str(heard.moments)


def test_nobody_fills_the_log_with_attempts(alice: User, heard: Heard, settings: Settings) -> None:
    settings.LIMIT_LOGIN = "2/hour"
    for _time in range(6):
        try_to_sign_in("alice", "wrong")
    assert heard.names() == ["sign_in_refused"] * 2
