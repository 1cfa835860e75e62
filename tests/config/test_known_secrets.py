import logging

import pytest

from config.known_secrets import RedactingFormatter, among


def line(text: str, secrets: set[str], **more: object) -> str:
    formatter = RedactingFormatter("{levelname} {message}", "{", secrets)
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, text, (), more.get("exc_info"))  # type: ignore[arg-type]
    return formatter.format(record)


def test_a_secret_is_taken_out_of_messages_and_tracebacks() -> None:
    try:
        raise RuntimeError("the key canary-key is wrong")
    except RuntimeError as error:
        logged = line("sent canary-key-2", {"canary-key", "canary-key-2"}, exc_info=(type(error), error, None))
    assert "canary" not in logged
    assert "ERROR sent [secret]\n" in logged
    assert "RuntimeError: the key [secret] is wrong" in logged


@pytest.mark.parametrize(
    ("name", "value", "secrets"),
    [
        ("OPENAI_API_KEY", " canary-key\n", {"canary-key"}),
        ("SECRET_KEY", "canary-key", {"canary-key"}),
        ("DEMO_PASSWORD", "canary-key", {"canary-key"}),
        ("DATABASE_URL", "postgresql://me:canary%2Fkey@host/db", {"canary%2Fkey", "canary/key"}),
        ("REDIS_URL", "redis://:canary-key@host:6379/0", {"canary-key"}),
        ("REDIS_URL", "redis://[broken", set()),
        ("REDIS_URL", "redis://[broken?password=canary-key", {"canary-key"}),
        ("PGPASSWORD", "canary-key", {"canary-key"}),
        ("REDISCLI_AUTH", "canary-key", {"canary-key"}),
        ("DATABASE_URL", "postgresql://host/db?user=me&password=canary%2Fkey#x", {"canary%2Fkey", "canary/key"}),
        ("SENTRY_DSN", "https://canary:canary-key@host/1", {"canary-key"}),
        ("MONGO_URI", "mongodb://me:canary-key@host/db", {"canary-key"}),
        ("PG_DSN", "host=db user=me password='canary-key' dbname=x", {"canary-key"}),
        ("OPENAI_API_KEY", "test", set()),
        ("PATH", "/usr/local/bin:/usr/bin", set()),
    ],
)
def test_it_knows_secrets_by_their_variables(name: str, value: str, secrets: set[str]) -> None:
    assert among({name: value}) == secrets
