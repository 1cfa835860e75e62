"""Addresses that lead to other machines without TLS, or to whoever answers there, are said by their variables."""

import pytest
from django.utils.translation import override
from pytest_django import Settings

from chat import checks
from graphs.site import encryption

CLEAR, WHOEVER = "without TLS", "whose certificate"
DATABASES = [
    ("", {}, ""),
    ("/srv/data/socket", {}, ""),
    ("localhost", {}, ""),
    ("127.0.0.1", {"sslmode": "disable"}, ""),
    ("::1", {}, ""),
    ("db.example", {}, CLEAR),
    ("10.0.0.7", {"sslmode": "prefer"}, CLEAR),
    ("localhost,db.example", {"sslmode": "allow"}, CLEAR),
    ("", {"host": "db.example"}, CLEAR),
    ("db.example", {"sslmode": "require"}, WHOEVER),
    ("db.example", {"sslmode": "verify-ca"}, WHOEVER),
    ("db.example", {"sslmode": "verify-full"}, ""),
    ("db.example", {"sslrootcert": "system"}, ""),
]
OTHERS = [
    ("unix:///srv/valkey.sock", ""),
    ("redis+socket:///srv/valkey.sock?virtual_host=1", ""),
    ("redis://127.0.0.1:6379/0", ""),
    ("redis://[::1]:6379/0", ""),
    ("redis://:password@cache:6379/0", CLEAR),
    ("rediss://cache:6380/0", ""),
    ("rediss://cache:6380/0?ssl_cert_reqs=none", WHOEVER),
    ("amqp://user:password@queue:5672//", CLEAR),
    ("amqps://user:password@queue:5671//;amqp://user:password@other//", CLEAR),
    ("amqps://user:password@queue:5671//", ""),
    ("http://models.example/v1", CLEAR),
    ("http://localhost:11434/v1", ""),
    ("https://models.example/v1", ""),
    ("http://a:99999", ""),  # others say that this is no address
]


@pytest.fixture(autouse=True)
def nothing_else(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("PGHOST", "PGSSLMODE"):
        monkeypatch.delenv(variable, raising=False)
    settings.DATABASES = {"default": {"HOST": "", "OPTIONS": {}}}
    settings.DATABASE_OWNER_URL = ""
    settings.REDIS_URL = settings.CELERY_BROKER_URL = "unix:///srv/valkey.sock"
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = ""


def is_told(expected: str, variable: str, told: list[str]) -> bool:
    if not expected:
        return told == []
    (sentence,) = told
    return sentence.startswith(f"{variable} ") and expected in sentence


@pytest.mark.parametrize(("host", "options", "expected"), DATABASES)
def test_of_the_database(settings: Settings, host: str, options: dict[str, str], expected: str) -> None:
    settings.DATABASES = {"default": {"HOST": host, "OPTIONS": options}}
    assert is_told(expected, "DATABASE_URL", encryption.problems({}))


@pytest.mark.parametrize(
    ("mode", "expected"), [("", CLEAR), ("?sslmode=require", WHOEVER), ("?sslmode=verify-full", "")]
)
def test_of_its_owner(settings: Settings, mode: str, expected: str) -> None:
    settings.DATABASE_OWNER_URL = f"postgresql://owner:password@db.example:5432/countersign{mode}"
    assert is_told(expected, "DATABASE_OWNER_URL", encryption.problems({}))


def test_what_the_environment_says_of_the_database_counts(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DATABASES = {"default": {"HOST": "db.example", "OPTIONS": {}}}
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    assert encryption.problems({}) == []


@pytest.mark.parametrize(
    "variable", ["REDIS_URL", "CELERY_BROKER_URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "CUSTOM_BASE_URL"]
)
@pytest.mark.parametrize(("address", "expected"), OTHERS)
def test_of_other_addresses(settings: Settings, variable: str, address: str, expected: str) -> None:
    vendors = {variable: address} if variable == "CUSTOM_BASE_URL" else {}
    if not vendors:
        setattr(settings, variable, address)
    assert is_told(expected, variable, encryption.problems(vendors))


def test_a_broker_that_is_the_cache_is_told_once(settings: Settings) -> None:
    settings.REDIS_URL = settings.CELERY_BROKER_URL = "redis://cache:6379/0"
    assert is_told(CLEAR, "REDIS_URL", encryption.problems({}))


def test_no_password_is_quoted(settings: Settings) -> None:
    settings.DATABASE_OWNER_URL = "postgresql://owner:canary-password@db.example/countersign"
    settings.REDIS_URL = "redis://:canary-password@cache:6379/0"
    assert "canary" not in "".join(encryption.problems({"CUSTOM_BASE_URL": "http://canary:canary@models.example"}))


@pytest.mark.django_db
def test_administrators_are_told_in_their_language(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTOM_BASE_URL", "http://models.example/v1")
    monkeypatch.setattr(checks.owner, "rights_to_rewrite", lambda: "")
    assert is_told(CLEAR, "CUSTOM_BASE_URL", checks.problems())
    with override("fr"):
        (sentence,) = checks.problems()
    assert "sans TLS" in sentence
