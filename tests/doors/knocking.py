"""One knock at a door in this process: what it answered, and what it wrote; nothing of it stays."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import quote

from asgiref.sync import async_to_sync
from django.db import connection, transaction
from django.http import HttpResponseBase
from django.test import Client

_WRITES = re.compile(r"\b(INSERT INTO|UPDATE|DELETE FROM)\s+\"?(\w+)\"?", re.IGNORECASE)
_NO_WRITES = re.compile(r"FOR (NO KEY )?UPDATE|DO UPDATE", re.IGNORECASE)
#: What differs from one answer to the next whatever was asked.
_MOMENTARY = re.compile(rb'nonce="[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"|urn:uuid:[0-9a-f-]+')
#: The length follows from the body, which is compared.
_VARYING = {"Content-Security-Policy", "Content-Length", "Expires"}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    #: Tables that were written to.
    writes: frozenset[str]

    def differs_from(self, other: "Answer", ids: Iterable[str]) -> str:
        """Where the two differ in more than the ids, for a person to read; "" where they do not."""
        for mine, others in zip(self.without(*ids), other.without(*ids), strict=True):
            if mine != others:
                return f"{str(mine)[:300]} instead of {str(others)[:300]}"
        return ""

    def without(self, *ids: str) -> tuple[int, dict[str, str], bytes]:
        """The answer with nothing in it that tells which id was asked for."""

        def blank(text: bytes) -> bytes:
            for id_ in sorted({*ids, *map(quote, ids), *map(escape, ids)}, key=len, reverse=True):
                text = text.replace(id_.encode(), b"ID")
            return _MOMENTARY.sub(b"", text)

        shown = {name: blank(value.encode()).decode() for name, value in self.headers.items() if name not in _VARYING}
        return self.status, shown, blank(self.body)


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


@contextmanager
def _undone() -> Iterator[set[str]]:
    """Collects the tables that are written to, and takes everything back."""
    writes: set[str] = set()

    def watch(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        writes.update(table for _verb, table in _WRITES.findall(_NO_WRITES.sub("", str(sql))))
        return execute(sql, params, many, context)

    with transaction.atomic(), connection.execute_wrapper(watch):
        yield writes
        transaction.set_rollback(True)
