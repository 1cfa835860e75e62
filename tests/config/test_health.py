import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from config import health


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)
    monkeypatch.setattr(health, "_found", None)


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


def test_it_looks_once_for_all_who_ask_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[None] = []
    monkeypatch.setattr(health, "KEPT_S", 3600)
    monkeypatch.setattr(health, "_migrated", True)
    monkeypatch.setitem(health._CHECKS, "database", lambda: looks.append(None) or health._database())
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: Client().get("/readyz"), range(32)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(looks) == 1
    monkeypatch.setattr(health, "KEPT_S", 0)
    Client().get("/readyz")
    assert len(looks) == 2


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_only_answers_who_asks(db: None, path: str) -> None:
    assert Client().post(path).status_code == 405


def test_it_says_that_the_disk_is_full_where_this_site_writes_to_it(
    db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(health, "KEPT_S", 0)
    monkeypatch.setattr(health, "_written_folders", lambda: [tmp_path])
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["disk"]) == (200, "ok")
    monkeypatch.setattr(health, "LEAST_FREE_BYTES", shutil.disk_usage(tmp_path).free + 2**40)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["disk"]) == (503, "not ready")
    monkeypatch.setattr(health, "LEAST_FREE_BYTES", 0)
    assert Client().get("/readyz").status_code == 200, "by itself"


@pytest.mark.parametrize(
    ("database", "valkey", "token", "written"),
    [
        ("", "", "", ["data"]),
        ("own", "", "", ["data"]),
        ("own", "own", "", []),
        ("own", "own", "a-token-of-sixteen", ["metrics"]),
        ("", "", "a-token-of-sixteen", ["data", "metrics"]),
    ],
)
def test_servers_of_ones_own_have_disks_of_their_own(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, database: str, valkey: str, token: str, written: list[str]
) -> None:
    settings.ENV = settings.ENV.model_copy(update={"database_url": database, "redis_url": valkey})
    settings.METRICS_TOKEN, settings.DATA_DIR = token, Path("data")
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "metrics")
    assert health._written_folders() == [Path(name) for name in written]
