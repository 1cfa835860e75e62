"""The account page: one's own password and sign-ins, and nobody else's."""

import hashlib
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from graphs.models import SignIn
from tests.cast import PASSWORD, signed_in

pytestmark = pytest.mark.django_db

PAGE, CHANGE, OTHERS = "/account/", "/account/password/", "/account/sign-ins/end-others/"
NEW = "a new password of 2026"
AGAIN = {"password": PASSWORD}


def new_password(client: Client, old: str = PASSWORD, new: str = NEW, again: str = NEW) -> Any:
    return client.post(CHANGE, {"old_password": old, "new_password1": new, "new_password2": again})


def digest(client: Client) -> str:
    """What names the session of a browser in the table, which is not its key."""
    return hashlib.sha256(str(client.session.session_key).encode()).hexdigest()


def is_in(client: Client) -> bool:
    return client.get(PAGE).status_code == 200


def test_people_without_rights_change_their_password_and_stay(bob: User) -> None:
    here, elsewhere = signed_in(bob), signed_in(bob)
    assert new_password(here).status_code == 302
    assert (is_in(here), is_in(elsewhere)) == (True, False)
    assert "signed out everywhere else" in here.get(PAGE).content.decode()
    bob.refresh_from_db()
    assert bob.check_password(NEW)
    assert [row.session for row in SignIn.objects.filter(user=bob)] == [digest(here)]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"old": "wrong"}, "old password was entered incorrectly"),
        ({"again": "something else"}, "two password fields"),
        ({"new": "short", "again": "short"}, "too short"),
        ({"new": "password123", "again": "password123"}, "too common"),
        ({"new": "", "again": ""}, "required"),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(bob: User, changes: dict[str, str], told: str) -> None:
    here, elsewhere = signed_in(bob), signed_in(bob)
    answer = new_password(here, **changes)
    assert answer.status_code == 400
    assert told in answer.content.decode()
    bob.refresh_from_db()
    assert bob.check_password(PASSWORD)
    assert is_in(elsewhere)


def test_guessing_the_old_password_is_limited(bob: User, settings: Settings) -> None:
    settings.LIMIT_LOGIN = "2/hour"
    here = signed_in(bob)
    assert [new_password(here, "wrong").status_code for _time in range(3)] == [400, 400, 429]
    refused = new_password(here)
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)


def test_sign_ins_are_listed_and_ended_one_by_one(bob: User) -> None:
    firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
    here, elsewhere = signed_in(bob), Client(headers={"User-Agent": firefox})
    elsewhere.post("/accounts/login/", {"username": "bob", "password": PASSWORD})
    page = here.get(PAGE).content.decode()
    assert "Firefox, Linux" in page
    assert page.count("this browser") == 1
    row = SignIn.objects.get(session=digest(elsewhere))
    assert here.post(f"/account/sign-ins/{row.pk}/end/", AGAIN).status_code == 302
    assert (is_in(here), is_in(elsewhere)) == (True, False)


def test_all_others_are_ended_at_once(bob: User) -> None:
    here, others = signed_in(bob), [signed_in(bob) for _time in range(3)]
    here.post(OTHERS, AGAIN)
    assert is_in(here)
    assert not any(map(is_in, others))


@pytest.mark.parametrize("given", [{}, {"password": ""}, {"password": "wrong"}, {"password": PASSWORD + "\0"}])
def test_nobody_is_signed_out_elsewhere_without_the_password(bob: User, given: dict[str, str]) -> None:
    """Who finds a browser open does not send its person away."""
    here, elsewhere = signed_in(bob), signed_in(bob)
    row = SignIn.objects.get(session=digest(elsewhere))
    for address in (OTHERS, f"/account/sign-ins/{row.pk}/end/"):
        answer = here.post(address, given, follow=True, headers={"Accept-Language": "fr"})
        assert "Le mot de passe n’est pas correct." in answer.content.decode()
    assert is_in(elsewhere)
    assert 'name="password"' in here.get(PAGE).content.decode()


def test_guessing_the_password_to_sign_out_elsewhere_is_limited(bob: User, settings: Settings) -> None:
    settings.LIMIT_LOGIN = "2/hour"
    here, elsewhere = signed_in(bob), signed_in(bob)
    for given in ("wrong", "wrong again", PASSWORD):
        here.post(OTHERS, {"password": given})
    assert is_in(elsewhere)
    assert "Too many attempts." in here.get(PAGE).content.decode()
    assert new_password(here, PASSWORD).status_code == 429


def test_nobody_ends_or_sees_those_of_others(alice: User, bob: User) -> None:
    mine, theirs = signed_in(alice), signed_in(bob)
    row = SignIn.objects.get(user=bob)
    assert str(row.pk) not in mine.get(PAGE).content.decode()
    answers = [mine.post(f"/account/sign-ins/{key}/end/", AGAIN).status_code for key in (row.pk, uuid.uuid4())]
    assert answers == [302, 302], "foreign is like absent"
    mine.post(OTHERS, AGAIN)
    assert is_in(theirs)


@pytest.mark.parametrize("address", [CHANGE, OTHERS, f"/account/sign-ins/{uuid.UUID(int=1)}/end/"])
def test_only_forms_of_who_is_signed_in_change_something(alice: User, address: str) -> None:
    assert signed_in(alice).get(address).status_code == 405
    assert Client().post(address).status_code == 302
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(address).status_code == 403


def test_who_belongs_to_no_workspace_has_the_page_too() -> None:
    user = User.objects.create_user("eve", password=PASSWORD)
    assert is_in(signed_in(user))


def test_ending_sign_ins_is_limited(bob: User, settings: Settings) -> None:
    settings.LIMIT_WRITES = "1/hour"
    here = signed_in(bob)
    here.post(OTHERS, AGAIN)
    elsewhere = signed_in(bob)
    here.post(OTHERS, AGAIN)
    here.post(f"/account/sign-ins/{SignIn.objects.get(session=digest(elsewhere)).pk}/end/", AGAIN)
    assert is_in(elsewhere)
    assert "Too many requests." in here.get(PAGE).content.decode()


def test_a_superuser_who_sets_their_own_password_in_the_administration_is_still_listed() -> None:
    user = User.objects.create_superuser("root", password=PASSWORD)
    here = signed_in(user)
    address = reverse("admin:auth_user_password_change", args=[user.pk])
    assert here.post(address, {"usable_password": "true", "password1": NEW, "password2": NEW}).status_code == 302
    assert [row.session for row in SignIn.objects.filter(user=user)] == [digest(here)]
    user.refresh_from_db()
    assert signed_in(user).post(OTHERS, {"password": NEW}).status_code == 302
    assert not is_in(here)


def test_who_signs_in_once_more_is_listed_once(bob: User) -> None:
    here = signed_in(bob)
    here.post("/accounts/login/", {"username": "bob", "password": PASSWORD})
    assert SignIn.objects.filter(user=bob, session=digest(here)).count() == 1


def test_the_administration_changes_no_password_of_one_s_own() -> None:
    here = signed_in(User.objects.create_superuser("root", password=PASSWORD))
    sent = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/admin/password_change/", sent).headers["Location"] == PAGE
    assert here.get(PAGE).status_code == 200
