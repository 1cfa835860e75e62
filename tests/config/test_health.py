import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from config import health


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)


def test_it_lives_without_a_database(db: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        answer = Client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert answer.headers["Cache-Control"] == "no-store"


def test_it_is_ready(db: None) -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "database": "ok", "migrations": "ok", "valkey": "ok"}


def test_it_says_that_valkey_is_missing_and_no_more(db: None, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/secret-canary.sock"
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {"status": "not ready", "database": "ok", "migrations": "ok", "valkey": "not ready"}


def test_it_says_that_migrations_are_missing(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.MigrationExecutor, "migration_plan", lambda _executor, _targets: ["one to go"])
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["migrations"]) == (503, "not ready")


def test_it_says_that_the_database_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "NAME", "nowhere")
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert answer.json() == {
        "status": "not ready", "database": "not ready", "migrations": "not ready", "valkey": "ok",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_only_answers_who_asks(db: None, path: str) -> None:
    assert Client().post(path).status_code == 405
