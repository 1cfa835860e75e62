"""Reads what a model was sent, a page of its entries or all of it. Called by the admin."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from chat.models import RequestEntry, SentRequest
from chat.sent_requests.layout import Body, put_together

#: From the last entry of a request back to its first one.
_CHAIN = """
WITH RECURSIVE chain AS (
    SELECT id, digest, parent, position FROM chat_requestentry
    WHERE session_id = %(session)s AND digest = %(head)s
    UNION ALL
    SELECT e.id, e.digest, e.parent, e.position
    FROM chain c JOIN chat_requestentry e ON e.session_id = %(session)s AND e.digest = c.parent
)
SELECT c.id, c.digest, length(e.content) FROM chain c JOIN chat_requestentry e ON e.id = c.id ORDER BY c.position
"""


@dataclass(frozen=True, slots=True)
class Chain:
    """The entries of a request in order, by their ids, digests and sizes in characters."""

    ids: tuple[int, ...]
    digests: tuple[bytes, ...]
    sizes: tuple[int, ...]

    def shared_with(self, earlier: "Chain") -> int:
        """How many entries both begin with."""
        pairs = zip(self.digests, earlier.digests, strict=False)
        return next((n for n, (own, other) in enumerate(pairs) if own != other), min(len(self.ids), len(earlier.ids)))


def chain_of(session_id: uuid.UUID, request: SentRequest) -> Chain:
    with connection.cursor() as cursor:
        cursor.execute(_CHAIN, {"session": session_id, "head": bytes(request.head or b"")})
        rows = cursor.fetchall()
    return Chain(tuple(row[0] for row in rows), tuple(bytes(row[1]) for row in rows), tuple(row[2] for row in rows))


def contents(ids: Sequence[int]) -> Mapping[int, str]:
    """JSON of entries by their ids."""
    return dict(RequestEntry.objects.filter(pk__in=ids).values_list("pk", "content"))


def tools_of(session_id: uuid.UUID, request: SentRequest) -> str | None:
    """JSON of the tools that were offered; None if the request named none."""
    found = RequestEntry.objects.filter(session=session_id, digest=request.tools) if request.tools else None
    return found.values_list("content", flat=True).get() if found is not None else None


def body_of(session_id: uuid.UUID, request: SentRequest) -> Body:
    """The whole body as it was sent."""
    chain = chain_of(session_id, request)
    found = contents(chain.ids)
    entries = [found[id_] for id_ in chain.ids]
    parameters: dict[str, Any] = request.parameters
    return put_together(parameters, tools_of(session_id, request), entries, request.marks)
