"""A refresh token counts once, and ends with what it belongs to: the browser, the password, the person's word."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from graphs.models import SignIn
from graphs.site import sign_ins
from graphs.site.api import tokens
from tests.cast import PASSWORD, signed_in
from tests.graphs.api.callers import post_json, problem

pytestmark = pytest.mark.django_db

TOKEN, REFRESH, REVOKE = ("/api/v1/auth/" + door for door in ("token", "token/refresh", "token/revoke"))


def program(user: User) -> dict[str, Any]:
    """Tokens of a program that has signed in."""
    answer = post_json(
        Client(headers={"User-Agent": "robot/1"}), TOKEN, {"username": user.username, "password": PASSWORD}
    )
    found: dict[str, Any] = answer.json()
    return found


def renewed(refresh: str) -> Any:
    return post_json(Client(), REFRESH, {"refresh": refresh})


def refused(refresh: str) -> None:
    problem(renewed(refresh), 401, "authentication_failed")


def later(user: User) -> None:
    """After the moment in which a token that was just used still counts."""
    SignIn.objects.filter(user=user).update(renewed_at=timezone.now() - sign_ins.GRACE - timedelta(seconds=1))


def test_it_renews_again_and_again(alice: User) -> None:
    refresh = program(alice)["refresh"]
    seen = {refresh}
    for _time in range(5):
        new = renewed(refresh).json()
        assert tokens.read_access(new["access"])[0] == alice
        refresh = new["refresh"]
        later(alice)
        seen.add(refresh)
    assert len(seen) == 6
    assert SignIn.objects.get().device == "robot/1"


def test_a_used_token_ends_the_sign_in_and_nothing_else(alice: User) -> None:
    stolen, other = program(alice)["refresh"], program(alice)["refresh"]
    new = renewed(stolen).json()["refresh"]
    later(alice)
    refused(stolen)
    refused(new)
    assert renewed(other).status_code == 200


def test_two_requests_at_once_are_no_theft(alice: User) -> None:
    refresh = program(alice)["refresh"]
    first, second = renewed(refresh).json()["refresh"], renewed(refresh).json()["refresh"]
    later(alice)
    assert renewed(second).status_code == 200
    assert renewed(first).status_code == 200, "both name the same token, which was used a moment ago"


def test_a_token_from_further_back_is_never_taken(alice: User) -> None:
    first = program(alice)["refresh"]
    second = renewed(first).json()["refresh"]
    third = renewed(second).json()["refresh"]
    refused(first)
    refused(third)


def test_a_program_signs_out(alice: User) -> None:
    mine, other = program(alice)["refresh"], program(alice)["refresh"]
    assert post_json(Client(), REVOKE, {"refresh": mine}).status_code == 204
    refused(mine)
    assert renewed(other).status_code == 200
    problem(post_json(Client(), REVOKE, {"refresh": "x"}), 401, "authentication_failed")


def test_signing_out_in_the_browser_ends_programs_too(alice: User, bob: User) -> None:
    refresh, of_bob = program(alice)["refresh"], program(bob)["refresh"]
    here, elsewhere = signed_in(alice), signed_in(alice)
    here.post("/accounts/logout/")
    refused(refresh)
    assert elsewhere.get("/account/").status_code == 200
    assert renewed(of_bob).status_code == 200


def test_a_new_password_ends_all(alice: User) -> None:
    refresh = program(alice)["refresh"]
    alice.set_password("another long password")
    alice.save()
    refused(refresh)


def test_a_token_of_somebody_else_ends_nothing(alice: User, bob: User) -> None:
    refresh = program(alice)["refresh"]
    row = SignIn.objects.get(user=alice)
    forged = tokens.issue(bob, row.pk, row.token).refresh
    refused(forged)
    assert post_json(Client(), REVOKE, {"refresh": forged}).status_code == 204
    assert renewed(refresh).status_code == 200


def test_a_token_without_a_sign_in_renews_nothing(alice: User) -> None:
    refused(tokens.issue(alice).refresh)
    refused(program(alice)["access"])


def test_a_program_signs_in_anew_in_the_end_however_often_it_renews(alice: User, settings: Settings) -> None:
    settings.SIGN_IN_DAYS = 3
    old, new = program(alice)["refresh"], program(alice)["refresh"]
    first = SignIn.objects.earliest("created_at").pk
    for age, status in ((timedelta(days=3, minutes=-1), 200), (timedelta(days=3, minutes=1), 401)):
        SignIn.objects.filter(pk=first).update(created_at=timezone.now() - age)
        answer = renewed(old)
        assert answer.status_code == status
        old = answer.json().get("refresh", old)
    assert not SignIn.objects.filter(pk=first).exists()
    assert renewed(new).status_code == 200
    refused(old)


@pytest.mark.parametrize("forget", [sign_ins.forget_over, None])
def test_a_sign_in_of_a_program_that_is_too_old_is_forgotten(
    alice: User, bob: User, settings: Settings, forget: Callable[[], None] | None
) -> None:
    settings.SIGN_IN_DAYS = 3
    here = signed_in(alice)
    program(alice)
    past = timezone.now() - timedelta(days=3, minutes=1)
    SignIn.objects.update(created_at=past)
    if forget:
        forget()
    else:
        program(alice)
    assert SignIn.objects.filter(session="", created_at=past).count() == 0
    assert here.get("/account/").status_code == 200, "that of a browser goes by its session"
    assert SignIn.objects.filter(created_at=past).count() == 1


def is_let_in(access: str) -> bool:
    return Client(headers={"Authorization": f"Bearer {access}"}).get("/api/v1/kinds").status_code == 200


def reuse(refresh: str, user: User) -> None:
    for _time in range(3):
        renewed(refresh)
        later(user)


ENDS: dict[str, Callable[[str, User], Any]] = {
    "revoked": lambda refresh, _user: post_json(Client(), REVOKE, {"refresh": refresh}),
    "signed out in a browser": lambda _refresh, user: signed_in(user).post("/accounts/logout/"),
    "a used token came again": reuse,
    "ended on the account page": lambda _refresh, user: signed_in(user).post(
        f"/account/sign-ins/{SignIn.objects.filter(user=user, session='').latest('created_at').pk}/end/",
        {"password": PASSWORD},
    ),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_an_access_token_ends_with_its_sign_in(alice: User, bob: User, end: Callable[[str, User], Any]) -> None:
    of_bob = program(bob)["access"]
    first = program(alice)
    second = renewed(first["refresh"]).json()
    assert is_let_in(first["access"])
    assert is_let_in(second["access"])
    end(first["refresh"], alice)
    assert [is_let_in(each["access"]) for each in (first, second)] == [False, False]
    assert is_let_in(of_bob)


def test_an_access_token_of_the_sign_in_of_somebody_else_lets_nobody_in(alice: User, bob: User) -> None:
    program(bob)
    assert not is_let_in(tokens.issue(alice, SignIn.objects.get(user=bob).pk).access)
    assert not is_let_in(tokens.issue(alice, uuid.uuid4()).access)


def test_whether_a_sign_in_stands_costs_no_statement_more(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    access = program(alice)["access"]
    with django_assert_num_queries(1):
        assert tokens.read_access(access)[0] == alice


def test_what_nobody_renewed_in_time_is_forgotten(alice: User) -> None:
    program(alice)
    SignIn.objects.update(renewed_at=timezone.now() - timedelta(days=8))
    program(alice)
    assert SignIn.objects.count() == 1


def test_what_is_over_is_deleted_and_nothing_else(alice: User, bob: User) -> None:
    """Keys of sessions open nothing then, but what a browser said of itself would stay for ever."""
    over, here, new = signed_in(alice), signed_in(alice), signed_in(bob)
    unused, used = program(alice), program(bob)
    past = timezone.now() - timedelta(days=15)
    Session.objects.filter(pk=over.cookies["sessionid"].value).update(expire_date=past)
    SignIn.objects.filter(user=alice).update(created_at=past)
    SignIn.objects.filter(user=alice, session="").update(renewed_at=past)
    sign_ins.forget_over()
    refused(unused["refresh"])
    assert renewed(used["refresh"]).status_code == 200
    assert [client.get("/account/").status_code for client in (over, here, new)] == [302, 200, 200]
    assert SignIn.objects.count() == 3
    assert Session.objects.count() == 2
    new.post("/accounts/logout/")
    assert not SignIn.objects.filter(user=bob).exists()


@pytest.mark.parametrize("door", [REFRESH, REVOKE])
def test_renewing_and_revoking_are_limited_by_address(alice: User, settings: Settings, door: str) -> None:
    settings.LIMIT_LOGIN = "1/min"
    settings.REDIS_PREFIX = f"{settings.REDIS_PREFIX}-{uuid.uuid4()}"
    refresh = program(alice)["refresh"]
    for _time in range(10):
        problem(post_json(Client(), door, {"refresh": "nonsense"}), 401, "authentication_failed")
    for address in (REFRESH, REVOKE):
        answer = post_json(Client(), address, {"refresh": refresh})
        assert "seconds" in problem(answer, 429, "throttled")["detail"]
    assert post_json(Client(REMOTE_ADDR="192.0.2.9"), REFRESH, {"refresh": refresh}).status_code == 200
