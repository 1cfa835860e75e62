"""What is kept of requests to models, stored with their costs, and forgotten after `AI_KEEP_REQUESTS_DAYS`."""

import time
import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from chat.models import Run, SentRequest, Session
from chat.providers.building import body_of
from chat.providers.model_request import ModelRequest
from chat.providers.provider import ProviderConfig
from chat.sent_requests.layout import Entry, Layout, take_apart

_FORGET = """
DELETE FROM chat_requestentry WHERE session_id = %(session)s AND digest NOT IN (
    WITH RECURSIVE kept AS (
        SELECT unnest(ARRAY[r.head, r.tools]) AS digest
        FROM chat_sentrequest r JOIN chat_run n ON n.id = r.run_id WHERE n.session_id = %(session)s
        UNION
        SELECT e.parent FROM kept k JOIN chat_requestentry e ON e.session_id = %(session)s AND e.digest = k.digest
    )
    SELECT digest FROM kept WHERE digest IS NOT NULL
)
"""


@dataclass(slots=True)
class LastRequest:
    """How the last first request of an answer was taken apart in this process; later ones grow by what tools say."""

    layout: Layout | None = None


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request on its way; `round` is the number of the round that the answer to it becomes.

    It is compared with the one `before` it in its conversation, and takes its place.
    """

    config: ProviderConfig
    request: ModelRequest
    round: int
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    before: LastRequest = field(default_factory=LastRequest)


@dataclass(frozen=True, slots=True)
class RequestRows:
    """Requests as rows of `SentRequest`, without their run and number, and the entries that they are made of.

    `older` are entries that stand before some of `entries`. An entry is stored with all before it and forgotten no
    later, so nobody needs to ask about them where what follows is stored.
    """

    requests: tuple[dict[str, Any], ...] = ()
    entries: tuple[Entry, ...] = ()
    older: tuple[Entry, ...] = ()

    @property
    def ids(self) -> frozenset[uuid.UUID]:
        return frozenset(row["id"] for row in self.requests)

    def shows_older(self, stored: Collection[bytes]) -> bool:
        """Whether `older` are stored too, where of `entries` those with these digests are."""
        older = {entry.digest for entry in self.older}
        return all(entry.digest in stored for entry in self.entries if entry.parent in older)


def rows_of(sent: Iterable[KeptRequest]) -> RequestRows:
    """What is stored of these requests: nothing where nothing shall be kept."""
    requests: list[dict[str, Any]] = []
    entries: dict[bytes, Entry] = {}
    older: list[Entry] = []
    for each in sent if settings.AI_KEEP_REQUESTS_DAYS else ():
        layout = take_apart(body_of(each.config, each.request), each.before.layout)
        if each.round == 0:
            each.before.layout = layout
        tools = (layout.tools,) if layout.tools else ()
        last_shared = max(layout.shared - 1, 0)
        entries |= {entry.digest: entry for entry in (*tools, *layout.entries[last_shared:])}
        older += layout.entries[:last_shared]
        requests.append(
            {
                "id": each.id,
                "round": each.round,
                "provider": each.config.name,
                "model": each.config.model,
                "parameters": layout.parameters,
                "head": layout.entries[-1].digest if layout.entries else None,
                "tools": layout.tools.digest if layout.tools else None,
                "entries": len(layout.entries),
                "marks": layout.marks,
            }
        )
    if len(requests) > 1:  # Of one they are different ones anyway: hundreds, in a long conversation.
        older = list({entry.digest: entry for entry in older if entry.digest not in entries}.values())
    return RequestRows(tuple(requests), tuple(entries.values()), tuple(older))


def forget_old(until: float) -> int:
    """Deletes requests that are too old, by conversation, until the clock shows `until`. Returns how many."""
    old = SentRequest.objects.filter(created_at__lt=Now() - timedelta(days=settings.AI_KEEP_REQUESTS_DAYS))
    forgotten = 0
    while time.monotonic() < until:
        session_id = old.values_list("run__session", flat=True).order_by("created_at").first()
        if session_id is None:
            break
        forgotten += _forget(session_id)
    return forgotten


def _forget(session_id: uuid.UUID) -> int:
    """The old ones of a conversation, and what only they were made of; holding it keeps its runs from storing more."""
    age = timedelta(days=settings.AI_KEEP_REQUESTS_DAYS)
    with transaction.atomic():
        held = Session.objects.select_for_update(no_key=True).values_list("pk").filter(pk=session_id)
        if held.first() is None:  # deleted meanwhile, with all that was kept of it
            return 0
        runs = Run.objects.filter(session=session_id)
        forgotten, _ = SentRequest.objects.filter(run__in=runs, created_at__lt=Now() - age).delete()
        with connection.cursor() as cursor:
            cursor.execute(_FORGET, {"session": session_id})
    return forgotten
