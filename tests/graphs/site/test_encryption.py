"""Addresses that lead to other machines without TLS, or to whoever answers there, are said by their variables."""

from types import SimpleNamespace

import pytest
from django.utils.translation import override

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


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What its settings say of addresses; nothing leaves the machine."""
    for variable in ("PGHOST", "PGSSLMODE"):
        monkeypatch.delenv(variable, raising=False)
    valkey = "unix:///srv/valkey.sock"
    found = SimpleNamespace(
        DATABASES={"default": {"HOST": "", "OPTIONS": {}}},
        DATABASE_OWNER_URL="",
        REDIS_URL=valkey,
        CELERY_BROKER_URL=valkey,
        OTEL_EXPORTER_OTLP_ENDPOINT="",
    )
    monkeypatch.setattr(encryption, "settings", found)
    return found


def is_told(expected: str, variable: str, told: list[str]) -> bool:
    if not expected:
        return told == []
    (sentence,) = told
    return sentence.startswith(f"{variable} ") and expected in sentence


@pytest.mark.parametrize(("host", "options", "expected"), DATABASES)
def test_of_the_database(site: SimpleNamespace, host: str, options: dict[str, str], expected: str) -> None:
    site.DATABASES = {"default": {"HOST": host, "OPTIONS": options}}
    assert is_told(expected, "DATABASE_URL", encryption.problems({}))


@pytest.mark.parametrize(
    ("mode", "expected"), [("", CLEAR), ("?sslmode=require", WHOEVER), ("?sslmode=verify-full", "")]
)
def test_of_its_owner(site: SimpleNamespace, mode: str, expected: str) -> None:
    site.DATABASE_OWNER_URL = f"postgresql://owner:password@db.example:5432/countersign{mode}"
    assert is_told(expected, "DATABASE_OWNER_URL", encryption.problems({}))


def test_what_the_environment_says_of_the_database_counts(
    site: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.DATABASES = {"default": {"HOST": "db.example", "OPTIONS": {}}}
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    assert encryption.problems({}) == []


@pytest.mark.parametrize(
    "variable", ["REDIS_URL", "CELERY_BROKER_URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "CUSTOM_BASE_URL"]
)
@pytest.mark.parametrize(("address", "expected"), OTHERS)
def test_of_other_addresses(site: SimpleNamespace, variable: str, address: str, expected: str) -> None:
    vendors = {variable: address} if variable == "CUSTOM_BASE_URL" else {}
    if not vendors:
        setattr(site, variable, address)
    assert is_told(expected, variable, encryption.problems(vendors))


def test_a_broker_that_is_the_cache_is_told_once(site: SimpleNamespace) -> None:
    site.REDIS_URL = site.CELERY_BROKER_URL = "redis://cache:6379/0"
    assert is_told(CLEAR, "REDIS_URL", encryption.problems({}))


def test_no_password_is_quoted(site: SimpleNamespace) -> None:
    site.DATABASE_OWNER_URL = "postgresql://owner:canary-password@db.example/countersign"
    site.REDIS_URL = "redis://:canary-password@cache:6379/0"
    assert "canary" not in "".join(encryption.problems({"CUSTOM_BASE_URL": "http://canary:canary@models.example"}))


@pytest.mark.django_db
def test_administrators_are_told_in_their_language(site: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSTOM_BASE_URL", "http://models.example/v1")
    monkeypatch.setattr("graphs.site.owner.rights_to_rewrite", lambda: "")
    assert is_told(CLEAR, "CUSTOM_BASE_URL", checks.problems())
    with override("fr"):
        (sentence,) = checks.problems()
    assert "sans TLS" in sentence
