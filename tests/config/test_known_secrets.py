import json
import logging
import os
import subprocess
import sys

import psycopg
import pytest
from django import db
from django.utils.module_loading import import_string

from config.known_secrets import RedactingFormatter, among


def line(text: str, secrets: set[str], *, rows: bool = False, **more: object) -> str:
    formatter = RedactingFormatter("{levelname} {message}", "{", secrets, rows)
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


def configured(**environment: str) -> logging.Formatter:
    """The formatter of lines that are no events, as the settings make it with these variables."""
    told = (
        "import json; from django.conf import settings; "
        "print(json.dumps(settings.LOGGING['formatters']['line'] | {'secrets': ['canary-key']}))"
    )
    found = subprocess.run(
        [sys.executable, "-c", told],
        env={**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    given = json.loads(found.stdout)
    made: logging.Formatter = import_string(given.pop("()"))(**given)
    return made


def a_fault(text: str) -> logging.LogRecord:
    try:
        raise RuntimeError("the key canary-key is wrong")
    except RuntimeError as error:
        record = logging.LogRecord("x.y", logging.ERROR, "x.py", 1, text, (), (type(error), error, error.__traceback__))
    record.created, record.msecs = 1_700_000_000.25, 250.0
    return record


def test_lines_begin_with_their_time_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    line = configured().format(a_fault("sent canary-key"))
    assert line.splitlines()[:2] == [
        "2023-11-14T22:13:20.250Z ERROR x.y: sent [secret]",
        "Traceback (most recent call last):",
    ]
    assert "canary" not in line


def test_a_line_of_json_says_all_without_secrets() -> None:
    line = configured(LOG_JSON="true").format(a_fault('sent "canary-key"\nand more'))
    assert "\n" not in line
    said = json.loads(line)
    assert said.pop("exception").splitlines()[-1] == "RuntimeError: the key [secret] is wrong"
    assert said == {
        "time": "2023-11-14T22:13:20.250Z",
        "level": "error",
        "logger": "x.y",
        "message": 'sent "[secret]"\nand more',
    }
    quiet = logging.LogRecord("x", logging.INFO, "x.py", 1, "%s of %s", (1, 2), None)
    assert "exception" not in json.loads(configured(LOG_JSON="true").format(quiet))


@pytest.mark.parametrize(
    ("as_django", "as_driver", "said", "told"),
    [
        (
            db.IntegrityError, psycopg.errors.NotNullViolation,
            'null value in column "name" violates it\nDETAIL:  Failing row contains (1,\ncanary).',
            'NotNullViolation: null value in column "name" violates it\n',
        ),
        (
            db.DataError, psycopg.errors.InvalidTextRepresentation,
            'invalid input syntax for type integer: "canary"', "InvalidTextRepresentation",
        ),
        (db.OperationalError, psycopg.OperationalError, "", "OperationalError"),
    ],
)  # fmt: skip
def test_rows_that_the_database_quotes_are_taken_out_of_tracebacks(
    as_django: type[Exception], as_driver: type[Exception], said: str, told: str
) -> None:
    try:
        try:
            raise as_driver(said)
        except psycopg.Error as error:
            raise as_django(said) from error
    except db.Error as error:
        exc_info = (type(error), error, None)
        logged, all_of_it = (line("canary-node failed", set(), rows=rows, exc_info=exc_info) for rows in (False, True))
    assert logged.count("canary") == 1
    assert told in logged
    assert said in all_of_it


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
