from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from chat.access import identity
from chat.access.identity import Headers, Identity, Proof, origin_allowed
from graphs.models import Membership, Role, SignIn, Workspace
from graphs.site import sign_ins
from graphs.site.api import tokens
from tests.cast import signed_in

HOST = b"app.example.org:8000"


def headers(origin: bytes | None, host: bytes = HOST, **more: bytes) -> Headers:
    given = [(b"host", host), *((name.replace("_", "-").encode(), value) for name, value in more.items())]
    return given if origin is None else [*given, (b"origin", origin)]


@pytest.fixture(autouse=True)
def hosts(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["app.example.org"]


@pytest.mark.parametrize("origin", [b"http://app.example.org:8000", b"HTTP://APP.Example.ORG:8000"])
def test_it_allows_pages_of_this_site(origin: bytes) -> None:
    assert origin_allowed(headers(origin))


@pytest.mark.parametrize(
    "origin",
    [
        None,
        b"",
        b"null",
        b"http://evil.example",
        b"http://app.example.org",
        b"http://app.example.org:80",
        b"http://app.example.org:8001",
        b"https://app.example.org:8000",
        b"ws://app.example.org:8000",
        b"http://app.example.org:8000.evil.example",
        b"http://evil-app.example.org:8000",
        b"http://sub.app.example.org:8000",
        b"http://app.example.org:8000@evil.example",
        b"http://user@app.example.org:8000",
        b"http://app.example.org:8000/",
        b"http://app.example.org:8000/path",
        b"http://app.example.org:8000#",
        b"http://app.example.org:8000, http://evil.example",
        b"http://app.example.org.:8000",
        b"http://[app.example.org:8000",
        b"//app.example.org:8000",
        b"app.example.org:8000",
        "http://app.éxample.org:8000".encode(),
    ],
)
def test_it_refuses_every_other_origin(origin: bytes | None) -> None:
    assert not origin_allowed(headers(origin))


def test_it_refuses_a_host_that_is_not_ours_even_from_itself() -> None:
    assert not origin_allowed(headers(b"http://rebound.example", host=b"rebound.example"))


def test_it_takes_the_scheme_from_the_proxy_where_the_site_trusts_one(settings: Settings) -> None:
    secure, plain = b"https://app.example.org:8000", b"http://app.example.org:8000"
    assert not origin_allowed(headers(secure, x_forwarded_proto=b"https"))
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert origin_allowed(headers(secure, x_forwarded_proto=b"https"))
    assert not origin_allowed(headers(plain, x_forwarded_proto=b"https"))
    assert not origin_allowed(headers(secure, x_forwarded_proto=b"http"))
    assert not origin_allowed(headers(secure))


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (b"https://portal.example.com", True),
        (b"http://portal.example.com", False),
        (b"https://portal.example.com:444", False),
        (b"https://a.partners.example.net", True),
        (b"https://partners.example.net.evil.example", False),
        (b"https://evilpartners.example.net", False),
        (b"https://x@a.partners.example.net", False),
        (b"https://a.partners.example.net/x", False),
        (b"http://a.partners.example.net", False),
    ],
)
def test_it_allows_the_trusted_origins(settings: Settings, origin: bytes, allowed: bool) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://portal.example.com", "https://*.partners.example.net"]
    assert origin_allowed(headers(origin)) is allowed


def test_it_knows_the_readers_language() -> None:
    assert identity.language_of([(b"accept-language", b"fr-CH, en;q=0.5")]) == "fr"
    assert identity.language_of([(b"accept-language", b"xx"), (b"cookie", b"django_language=fr")]) == "fr"
    assert identity.language_of([]) == "en"
    assert identity.language_of([(b"accept-language", b"en")], "fr") == "fr"
    assert identity.language_of([(b"accept-language", b"fr")], "klingon") == "fr"
    assert identity.language_of([(b"accept-language", b"fr")], "") == "fr"


def cookie_of(client: Client) -> str:
    return client.cookies["sessionid"].value


def person(proof: Proof | None) -> Identity | None:
    return identity.identify([proof])[0] if proof else None


def with_cookie(value: str) -> Headers:
    return [(b"cookie", f"other={{'a': [1]}}; sessionid={value}; more=1".encode())]


@pytest.mark.django_db
def test_it_knows_nobody_by_a_token_whose_sign_in_is_over(alice: User, bob: User) -> None:
    first, second, of_bob = (sign_ins.begin(user, "robot").access for user in (alice, alice, bob))
    SignIn.objects.filter(user=alice).earliest("created_at").delete()
    foreign = tokens.issue(alice, SignIn.objects.get(user=bob).pk).access
    proofs = [identity.token_proof(token) for token in (first, second, of_bob, foreign)]
    found = identity.identify([proof for proof in proofs if proof])
    assert [each and each.user for each in found] == [None, alice, bob, None]


@pytest.mark.django_db
def test_it_knows_a_person_by_their_session_cookie(alice: User) -> None:
    found = person(identity.cookie_proof(with_cookie(cookie_of(signed_in(alice)))))
    assert found is not None
    assert found.user == alice


@pytest.mark.django_db
@pytest.mark.parametrize("value", ["", "unknown", "x" * 5000, "%00", "a\x00b", "é", '"', "../../etc"])
def test_it_knows_nobody_by_another_cookie(alice: User, value: str) -> None:
    assert person(identity.cookie_proof(with_cookie(value))) is None


@pytest.mark.django_db
def test_it_knows_nobody_whose_account_or_password_changed(alice: User) -> None:
    cookie = with_cookie(cookie_of(signed_in(alice)))
    alice.is_active = False
    alice.save()
    assert person(identity.cookie_proof(cookie)) is None
    alice.is_active = True
    alice.set_password("another one")
    alice.save()
    assert person(identity.cookie_proof(cookie)) is None


@pytest.mark.django_db
def test_it_takes_access_tokens_only(alice: User) -> None:
    pair = tokens.issue(alice)
    found = person(identity.proof_of([(b"authorization", f"Bearer {pair.access}".encode())], identity.API))
    assert found is not None
    assert found.user == alice
    for wrong in (f"Bearer {pair.refresh}", f"Basic {pair.access}", "Bearer", "Bearer x", f"Bearer {pair.access}x"):
        assert person(identity.proof_of([(b"authorization", wrong.encode())], identity.API)) is None


@pytest.mark.django_db
def test_it_knows_nobody_by_a_token_whose_person_changed(alice: User) -> None:
    proof = identity.token_proof(tokens.issue(alice).access)
    assert person(proof) is not None
    alice.set_password("another one")
    alice.save()
    assert person(proof) is None
    proof = identity.token_proof(tokens.issue(alice).access)
    User.objects.update(is_active=False)
    assert person(proof) is None
    alice.delete()
    assert person(proof) is None


@pytest.mark.django_db
def test_it_knows_many_people_in_two_queries(
    alice: User, bob: User, charlie: User, django_assert_num_queries: Any
) -> None:
    proofs: list[Any] = [cookie_of(signed_in(alice)), "unknown", cookie_of(signed_in(bob))]
    proofs += [identity.token_proof(tokens.issue(charlie).access)] * 3
    with django_assert_num_queries(2):
        found = identity.identify(proofs)
    assert [each and each.user for each in found] == [alice, None, bob, charlie, charlie, charlie]
    with django_assert_num_queries(1):
        identity.identify(proofs[3:])


@pytest.mark.django_db
def test_it_knows_the_memberships_of_a_person(
    alice: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    Membership.objects.create(user=alice, workspace=other_workspace, role=Role.VIEWER)
    found = person(cookie_of(signed_in(alice)))
    assert found is not None
    assert [(known.slug, known.role) for known in found.memberships] == [("demo", Role.EDITOR), ("other", Role.VIEWER)]
    assert (found.workspace_id(""), found.workspace_id("other")) == (demo_workspace.pk, other_workspace.pk)
    assert found.workspace_id("third") is None
