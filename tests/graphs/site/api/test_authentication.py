import hashlib
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver
from rest_framework.permissions import AllowAny

from graphs.models import Graph, Membership
from graphs.site.api import tokens
from tests.cast import signed_in
from tests.forged_tokens import FORGERIES, claims, sign
from tests.graphs.api.callers import api_views, post_json, problem, upload, with_header, with_token

GRAPHS = "/api/v1/graphs"


def test_a_token_signed_like_ours_is_accepted(alice: User) -> None:
    """Without this the refusals below would prove nothing."""
    assert with_header(f"Bearer {sign(claims(alice))}").get(GRAPHS).status_code == 200


def test_the_mark_of_the_password_is_made_with_the_key_of_the_site(alice: User) -> None:
    """Who reads a token and a password's hash cannot make one from the other, as a bare digest would let them."""
    stored = alice.password.encode()
    bare = {hashlib.new(name, stored).hexdigest() for name in ("md5", "sha1", "sha256")}
    mark = claims(alice)["hash_password"]
    assert re.fullmatch("[0-9a-f]{64}", mark)
    assert mark not in {*bare, alice.get_session_auth_hash()}
    for guess in bare:
        answer = with_header(f"Bearer {sign(claims(alice, hash_password=guess))}").get(GRAPHS)
        problem(answer, 401, "authentication_failed")


@pytest.mark.parametrize("forgery", FORGERIES)
def test_it_refuses_forged_tokens(alice: User, forgery: str) -> None:
    answer = with_header(f"Bearer {FORGERIES[forgery](alice)}").get(GRAPHS)
    problem(answer, 401, "authentication_failed")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="api"'


def test_a_token_lives_for_a_quarter_of_an_hour(alice: User) -> None:
    said = claims(alice)
    assert said["exp"] - said["iat"] == 15 * 60


def test_it_says_until_when_a_token_holds(alice: User) -> None:
    claim = tokens.read_claim(tokens.issue(alice).access)
    assert claim.holds_for(alice)
    assert timedelta(minutes=14) < claim.expires_at - datetime.now(UTC) <= timedelta(minutes=15)


@pytest.mark.parametrize("name", ["token", "access", "access_token", "jwt", "authorization", "Authorization"])
def test_it_never_takes_a_token_from_the_address(alice: User, name: str) -> None:
    access = tokens.issue(alice).access
    problem(Client().get(GRAPHS, {name: access}), 401, "not_authenticated")
    problem(Client().get(GRAPHS, {name: f"Bearer {access}"}), 401, "not_authenticated")


def test_a_token_ends_with_the_password(alice: User) -> None:
    client = with_token(alice)
    assert client.get(GRAPHS).status_code == 200
    alice.set_password("another long password")
    alice.save()
    problem(client.get(GRAPHS), 401, "authentication_failed")


def test_doors_close_when_somebody_is_deactivated(alice: User) -> None:
    program, browser = with_token(alice), signed_in(alice)
    assert program.get(GRAPHS).status_code == browser.get(GRAPHS).status_code == 200
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert program.get(GRAPHS).status_code == browser.get(GRAPHS).status_code == 401


def test_a_member_who_was_removed_finds_nothing(alice: User, nba: Graph) -> None:
    client = with_token(alice)
    Membership.objects.filter(user=alice).delete()
    problem(client.get(f"{GRAPHS}/nba"), 404, "not_found")


def test_a_bad_token_is_refused_even_beside_a_good_cookie(alice: User) -> None:
    problem(signed_in(alice).get(GRAPHS, headers={"Authorization": "Bearer x"}), 401, "authentication_failed")


def test_a_cookie_changes_nothing_without_its_csrf_token(alice: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    assert browser.get(GRAPHS).status_code == 200
    problem(upload(browser, b"{}"), 403, "csrf")
    browser.get("/")
    csrf = {"X-CSRFToken": browser.cookies["csrftoken"].value}
    answer = browser.post("/api/v1/graphs/import", headers=csrf)
    assert "file" in problem(answer, 400, "validation")["errors"]


def test_a_token_needs_no_csrf_token(alice: User) -> None:
    program = Client(enforce_csrf_checks=True, headers={"Authorization": f"Bearer {tokens.issue(alice).access}"})
    problem(upload(program, b""), 400, "import_refused")


def test_anonymous_is_refused_everywhere(nba: Graph) -> None:
    """Every address that there is: a new one is tested by being there."""
    asked = 0
    for address, view in api_views(get_resolver()):
        path = "/" + re.sub(r"<[^>]+>", "nba", address)
        for method in set(view.http_method_names) - {"options"}:
            if view.permission_classes == (AllowAny,) or not hasattr(view, method):
                continue
            answer = getattr(Client(), method)(path)
            asked += 1
            assert answer.status_code == 401, (method, path)
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="api"'
            if method != "head":
                problem(answer, 401, "not_authenticated")
    assert asked >= 5


def test_an_anonymous_body_is_not_even_read(db: None) -> None:
    problem(post_json(Client(), "/api/v1/graphs/import", "not json"), 401, "not_authenticated")
