"""Sessions of browsers: those that Django began go on, and a key that opens none is forgotten."""

from datetime import timedelta

import pytest
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from graphs.site.browser_sessions import SessionStore

pytestmark = pytest.mark.django_db


def begun(store: type[db.SessionStore]) -> str:
    session = store()
    session["who"] = "Alice"
    session.create()
    return str(session.session_key)


@pytest.mark.parametrize(("begins", "goes_on"), [(db.SessionStore, SessionStore), (SessionStore, db.SessionStore)])
def test_a_session_goes_on_where_another_version_began_it(
    begins: type[db.SessionStore], goes_on: type[db.SessionStore], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    found = goes_on(begun(begins))
    with django_assert_num_queries(1):
        assert dict(found.items()) == {"who": "Alice"}


def test_what_has_ended_or_never_was_is_empty_and_gets_another_key() -> None:
    late, kept = begun(SessionStore), begun(SessionStore)
    Session.objects.filter(session_key=late).update(expire_date=timezone.now() - timedelta(seconds=1))
    for key in (late, "x" * 32, kept[:-1]):
        found = SessionStore(key)
        assert (dict(found.items()), found.session_key) == ({}, None)
    Session.objects.filter(session_key=kept).update(session_data="forged")
    assert dict(SessionStore(kept).items()) == {}
