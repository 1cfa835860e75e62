"""What a password may be, and what the session of a browser is worth."""

from datetime import timedelta

import pytest
from django.conf import global_settings
from django.conf import settings as site
from django.contrib.auth.hashers import identify_hasher, make_password
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from config import settings as written
from graphs.models import Membership, Role, Workspace
from tests.cast import PASSWORD, signed_in
from tests.graphs.admin.staff import superuser

pytestmark = pytest.mark.django_db

LOGIN, CHANGE = "/accounts/login/", "/account/password/"


def changes(user: User, new: str) -> bool:
    answer = signed_in(user).post(CHANGE, {"old_password": PASSWORD, "new_password1": new, "new_password2": new})
    return answer.status_code == 302


def signs_in(name: str, password: str) -> bool:
    return Client().post(LOGIN, {"username": name, "password": password}).status_code == 302


@pytest.mark.parametrize("new", ["qwertyuiop", "1qaz2wsx", "trustno1", "iloveyou1", "password1", "bob", "bob@example"])
def test_common_short_and_own_words_are_refused(bob: User, new: str) -> None:
    assert not changes(bob, new)


@pytest.mark.parametrize(
    ("new", "taken"),
    [
        *(("Countersign2026", False), ("countersigncountersign", False), ("COUNTERSIGN!demo1", False)),
        *(
            ("Rocket Works 99", False),
            ("rocketworks99", False),
            ("rocket-works-99", False),
            ("myhost.Example.1", False),
        ),
        *(("acme secret plan", False), ("countersign brown horse", True), ("rocket 1234567", True)),
        *(("works and rockets", True), ("10.11.12.13", True)),
    ],
)
def test_words_of_the_site_and_names_of_its_workspaces_are_no_password(
    bob: User, settings: Settings, new: str, taken: bool
) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "myhost.example", ".intra.example", "*", "[::1]", "10.11.12.13"]
    for slug, name in (("rocket-works", "Rocket Works"), ("acme", "Acme secret plan")):
        Membership.objects.create(user=bob, workspace=Workspace.objects.create(slug=slug, name=name), role=Role.VIEWER)
    assert changes(bob, new) is taken


def test_a_refusal_does_not_tell_what_workspaces_of_others_are_called(bob: User) -> None:
    Workspace.objects.create(slug="rocket-works", name="Rocket Works")
    assert changes(bob, "rocketworks99")


def test_that_is_said_in_the_readers_language(bob: User) -> None:
    given = {"old_password": PASSWORD, "new_password1": "Countersign1", "new_password2": "Countersign1"}
    page = signed_in(bob).post(CHANGE, given, headers={"Accept-Language": "fr"}).content.decode()
    assert page.count("8 caractères en plus des noms de ce site et de vos espaces de travail") == 2


@pytest.mark.parametrize(
    "new",
    ["lowercase letters only", "ÀÉÎ日本語🏀 ünïcode", "x9" * 64, " spaces at both ends ", "\"quotes' <&>;--%s{0}"],
    ids=["letters", "any writing", "128 characters", "spaces", "signs"],
)
def test_whatever_else_is_taken_exactly_as_it_was_typed(bob: User, new: str) -> None:
    assert changes(bob, new)
    assert signs_in("bob", new)
    different = [new[:-1], f"{new} ", new.swapcase()]
    assert not any(signs_in("bob", other) for other in different if other != new)


def test_a_password_is_stored_by_a_slow_function_with_a_salt(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS  # which the site does not choose itself
    first, second = make_password(PASSWORD), make_password(PASSWORD)
    assert first != second
    hasher = identify_hasher(first)
    assert not hasattr(written, "PASSWORD_HASHERS")
    assert hasher.algorithm == "pbkdf2_sha256"
    assert hasher.decode(first)["iterations"] >= 600_000


@pytest.mark.parametrize("page", [LOGIN, "/admin/login/", "/account/"])
def test_fields_of_passwords_hide_them_and_let_managers_fill_them(bob: User, page: str) -> None:
    client = signed_in(bob) if page == "/account/" else Client()
    text = client.get(page).content.decode()
    fields = [field for field in text.split("<input") if "password" in field.partition(">")[0]]
    assert fields
    for field in fields:
        head = field.partition(">")[0]
        assert 'type="password"' in head
        assert "onpaste" not in head
        assert 'autocomplete="off"' not in head


def test_a_browser_has_a_new_key_once_somebody_signed_in(bob: User) -> None:
    client = Client()
    session = client.session
    session["before"] = 1
    session.save()
    client.cookies["sessionid"] = before = str(session.session_key)
    assert client.post(LOGIN, {"username": "bob", "password": PASSWORD}).status_code == 302
    after = client.cookies["sessionid"].value
    assert after != before
    assert len(after) == 32, "letters and digits of 5 bits each at least: 160 bits"
    assert not Session.objects.filter(pk=before).exists()


def test_a_session_ends_two_weeks_after_its_beginning_however_it_is_used(bob: User) -> None:
    client = signed_in(bob)
    row = Session.objects.get(pk=client.cookies["sessionid"].value)
    left = row.expire_date - timezone.now()
    assert timedelta(days=13) < left <= timedelta(seconds=site.SESSION_COOKIE_AGE) == timedelta(days=14)
    Session.objects.update(expire_date=timezone.now() + timedelta(hours=1))
    ends = Session.objects.get(pk=row.pk).expire_date
    assert client.get("/account/").status_code == 200
    assert Session.objects.get(pk=row.pk).expire_date == ends
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert client.get("/account/").status_code == 302


def test_a_session_is_over_at_the_server_when_somebody_signs_out(bob: User) -> None:
    client = signed_in(bob)
    key = client.cookies["sessionid"].value
    answer = client.post("/accounts/logout/")
    assert answer.headers["Clear-Site-Data"] == '"storage"'
    again = Client()
    again.cookies["sessionid"] = key
    assert again.get("/account/").status_code == 302


def test_every_page_of_who_is_signed_in_has_the_button_to_sign_out(bob: User) -> None:
    client = signed_in(bob)
    for page in ("/", "/account/", "/inbox/", "/absent/"):
        assert 'action="/accounts/logout/"' in client.get(page).content.decode(), page


@pytest.mark.parametrize("leads", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"])
def test_nobody_is_sent_elsewhere_after_signing_in_or_choosing_a_language(bob: User, leads: str) -> None:
    after = Client().post(f"{LOGIN}?next={leads}", {"username": "bob", "password": PASSWORD, "next": leads})
    assert (after.status_code, after.headers["Location"]) == (302, "/")
    chosen = Client().post("/i18n/setlang/", {"language": "fr", "next": leads})
    assert chosen.headers["Location"] == "/"


def test_signing_out_in_the_admin_forgets_as_much() -> None:
    client = superuser()
    answer = client.post("/admin/logout/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/")
    assert answer.headers["Clear-Site-Data"] == '"storage"'
    assert client.get("/admin/").status_code == 302
