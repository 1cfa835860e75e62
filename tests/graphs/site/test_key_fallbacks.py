"""Another SECRET_KEY signs nobody out while the old one is named, and everybody when it is not."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from chat.access import identity
from config import settings as written
from tests.cast import PASSWORD, signed_in
from tests.graphs.api.callers import post_json

pytestmark = pytest.mark.django_db

NEW = "another-key-of-the-site-" + "0123456789abcdef" * 3
OTHER = "a-key-that-never-was-ours-" + "0123456789abcdef" * 3


@pytest.fixture(params=[True, False], ids=["named", "not named"])
def is_named(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def change_key(settings: Settings, is_named: bool) -> None:
    """As a restart does: the library keeps the key that it has begun with."""
    settings.SECRET_KEY_FALLBACKS = [OTHER, settings.SECRET_KEY] if is_named else [OTHER]
    settings.SECRET_KEY = NEW
    settings.SIMPLE_JWT = {**settings.SIMPLE_JWT, "SIGNING_KEY": NEW}


@pytest.fixture
def with_new_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from rest_framework_simplejwt.state import token_backend

    monkeypatch.setattr(token_backend, "signing_key", NEW)
    monkeypatch.setitem(token_backend.__dict__, "prepared_signing_key", NEW)


def test_browsers_stay_signed_in(bob: User, settings: Settings, is_named: bool) -> None:
    client = signed_in(bob)
    proof = identity.cookie_proof([(b"cookie", f"sessionid={client.cookies['sessionid'].value}".encode())])
    assert proof is not None
    change_key(settings, is_named)
    assert (identity.identify([proof])[0] is not None) == is_named
    assert client.get("/account/").status_code == (200 if is_named else 302)


def test_programs_stay_signed_in(bob: User, settings: Settings, is_named: bool, request: pytest.FixtureRequest) -> None:
    first = post_json(Client(), "/api/v1/auth/token", {"username": "bob", "password": PASSWORD}).json()
    change_key(settings, is_named)
    request.getfixturevalue("with_new_key")
    calling = Client(headers={"Authorization": f"Bearer {first['access']}"})
    assert calling.get("/api/v1/kinds").status_code == (200 if is_named else 401)
    answer = post_json(Client(), "/api/v1/auth/token/refresh", {"refresh": first["refresh"]})
    assert answer.status_code == (200 if is_named else 401)
    if is_named:
        settings.SECRET_KEY_FALLBACKS = []
        renewed = Client(headers={"Authorization": f"Bearer {answer.json()['access']}"})
        assert renewed.get("/api/v1/kinds").status_code == 200, "what is new is signed by the new key"
        assert calling.get("/api/v1/kinds").status_code == 401


def test_no_line_of_the_log_has_a_key_of_before() -> None:
    assert written.SECRET_KEY in written._REDACTING["secrets"]
    assert set(written.SECRET_KEY_FALLBACKS) <= written._REDACTING["secrets"]
