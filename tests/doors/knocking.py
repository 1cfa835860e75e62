"""One knock at a door in this process: what it answered, and what it wrote; nothing of it stays."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import quote

from asgiref.sync import async_to_sync
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client

_WRITES = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+\"?(\w+)\"?", re.IGNORECASE)
_NO_WRITES = re.compile(r"FOR (NO KEY )?UPDATE|DO UPDATE", re.IGNORECASE)
_READS = re.compile(r"\s*SELECT\b", re.IGNORECASE)
#: What a statement that reads may leave as well: rows, locks, and what functions do.
_LEAVES = re.compile(
    r"\b(INSERT|UPDATE|DELETE|MERGE|INTO|SHARE|set_config|nextval|setval|pg_\w+|(chat|graphs|rag)_\w+\s*\()",
    re.IGNORECASE,
)
#: What differs from one answer to the next whatever was asked.
_MOMENTARY = re.compile(rb'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|urn:uuid:[0-9a-f-]+')
#: The length follows from the body, which is compared.
_VARYING = {"Content-Security-Policy", "Content-Length", "Expires"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    #: Tables that were written to.
    writes: frozenset[str]

    def differs_from(self, other: "Answer", ids: Iterable[str]) -> str:
        """Where the two differ in more than the ids, for a person to read; "" where they do not."""
        named = tuple(ids)
        if self.status != other.status:
            return f"{self.status} instead of {other.status}"
        for mine, others in zip(self.without(*named), other.without(*named), strict=True):
            if mine != others:
                return f"{str(mine)[:300]} instead of {str(others)[:300]}"
        return ""

    def without(self, *ids: str) -> tuple[int, dict[str, str], bytes]:
        """The answer with nothing in it that tells which id was asked for."""
        if ids not in self._without:
            self._without[ids] = self._blanked(_spellings(ids))
        return self._without[ids]

    @cached_property
    def _without(self) -> dict[tuple[str, ...], tuple[int, dict[str, str], bytes]]:
        """What was found out already: one answer is compared with several."""
        return {}

    def _blanked(self, spellings: Iterable[bytes]) -> tuple[int, dict[str, str], bytes]:
        def blank(text: bytes) -> bytes:
            for spelling in spellings:
                text = text.replace(spelling, b"ID")
            return _MOMENTARY.sub(b"", text)

        shown = {name: value for name, value in self.headers.items() if name not in _VARYING}
        values = blank("\n".join(shown.values()).encode()).decode().split("\n")
        return self.status, dict(zip(shown, values, strict=True)), blank(self.body)

    @cached_property
    def text(self) -> str:
        """All of it, to look for what must not be in it."""
        return f"{self.body!r}{self.headers}"


@cache
def _spellings(ids: tuple[str, ...]) -> list[bytes]:
    """The ids as they may stand in an answer, the longest first."""
    spelled = {*ids, *map(quote, ids), *map(escape, ids)}
    return [spelling.encode() for spelling in sorted(spelled, key=len, reverse=True)]


def knock(client: Client, method: str, address: str, body: Any = None, headers: Mapping[str, str] = {}) -> Answer:
    """`body` is a form where it holds a file, else JSON."""
    content: dict[str, Any] = {}
    if isinstance(body, dict) and "file" in body:
        content = {"data": body}
        call = client.post
    else:
        call = getattr(client, method.lower())
        if body is not None:
            content = {"data": body, "content_type": "application/json"}
    cookies = client.cookies
    client.cookies = SimpleCookie({name: cookie.value for name, cookie in cookies.items()})
    with _undone() as writes:
        response: HttpResponseBase = call(address, headers=dict(headers), **content)
        found = async_to_sync(_streamed)(response) if response.streaming else response.content  # type: ignore[attr-defined]
    client.cookies = cookies
    return Answer(response.status_code, dict(response.headers), found, frozenset(writes))


async def _streamed(response: Any) -> bytes:
    return b"".join([part async for part in response])


@cache
def _written(statement: str) -> frozenset[str]:
    return frozenset(table for _verb, table in _WRITES.findall(_NO_WRITES.sub("", statement)))


@cache
def _leaves_nothing(statement: str) -> bool:
    return bool(_READS.match(statement)) and not _LEAVES.search(statement)


@contextmanager
def _undone() -> Iterator[set[str]]:
    """Collects the tables that are written to, and takes everything back from the first statement that may leave some.

    Most doors only read: for them there is nothing to take back.
    """
    writes: set[str] = set()
    # Past Django, whose blocks take three statements and as long as many a door.
    raw, waiting = connection.connection, list(connection.run_on_commit)
    begun = False

    def watch(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        nonlocal begun
        statement = str(sql)
        if not begun and not _leaves_nothing(statement):
            raw.execute("SAVEPOINT knock")
            begun = True
        writes.update(_written(statement))
        return execute(sql, params, many, context)

    try:
        with connection.execute_wrapper(watch):
            yield writes
    finally:
        if begun:
            raw.execute("ROLLBACK TO SAVEPOINT knock; RELEASE SAVEPOINT knock")
        connection.needs_rollback, connection.run_on_commit = False, waiting
