"""The secrets that a process was given, kept out of every line it logs: the last wall, behind code that logs none."""

import json
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal
from urllib.parse import unquote, urlsplit

from django.db import DatabaseError, DataError
from psycopg import DataError as RefusedData
from psycopg import Error as PostgresError

_NAMES = ("KEY", "PASSWORD", "SECRET", "TOKEN", "AUTH")
_ADDRESSES = ("_URL", "_URI", "_DSN")
#: As an address has it in its query, or PostgreSQL's "host=... password=..." among its words.
_NAMED_PASSWORD = re.compile(r"(?:^|[?&\s])password=([^&#\s]+)", re.IGNORECASE)
#: What is shorter stands in a log for other reasons.
_SHORTEST = 8


class RedactingFormatter(logging.Formatter):
    """Formats records in UTC with [secret] for secrets; with `rows` also what the database quotes of its rows."""

    converter = time.gmtime  # type: ignore[assignment]
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self, format: str, style: Literal["{"], secrets: Iterable[str], rows: bool = False) -> None:
        super().__init__(format, style=style)
        self._rows = rows
        self._secrets = sorted(secrets, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        return self.redacted(super().format(record), record)

    def redacted(self, text: str, record: logging.LogRecord) -> str:
        if record.exc_info and not self._rows:
            text = _without_rows(text, record.exc_info[1])
        for secret in self._secrets:
            text = text.replace(secret, "[secret]")
        return text


class JsonFormatter(RedactingFormatter):
    """Formats each record as one line of JSON, named as events are; a traceback is a text in it."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.redacted(record.getMessage(), record),
        }
        if record.exc_info:
            line["exception"] = self.redacted(self.formatException(record.exc_info), record)
        return json.dumps(line, ensure_ascii=False)


def among(variables: Mapping[str, str] = os.environ) -> set[str]:
    """The values of variables that are named like secrets, and the passwords within addresses."""
    named = {value.strip() for name, value in variables.items() if name.endswith(_NAMES)}
    addresses = [value for name, value in variables.items() if name.endswith(_ADDRESSES)]
    written = {password for address in addresses for password in _passwords(address)}
    found = named | written | {unquote(password) for password in written}
    return {secret for secret in found if len(secret) >= _SHORTEST}


def _passwords(address: str) -> list[str]:
    named = [password.strip("'") for password in _NAMED_PASSWORD.findall(address)]
    try:
        return [urlsplit(address).password or "", *named]
    except ValueError:
        return named


def _without_rows(text: str, error: BaseException | None) -> str:
    """The traceback with the database's first line only, which names the constraint; none if that quotes a value."""
    for each in _with_causes(error):
        said = str(each)
        if said and isinstance(each, DatabaseError | PostgresError):
            text = text.replace(said, "" if isinstance(each, DataError | RefusedData) else said.splitlines()[0])
    return text


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
