"""Keeps what models were sent, and forgets it after `AI_KEEP_REQUESTS_DAYS`. Called by the engine and by beat."""

import time
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from chat.models import RequestEntry, Run, SentRequest, Session
from chat.providers.base import ModelRequest, ProviderConfig
from chat.providers.building import body_of
from chat.sent_requests.layout import Entry, take_apart

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


@dataclass(frozen=True, slots=True)
class KeptRequest:
    """A request on its way; `round` is the number of the round that the answer to it becomes."""

    config: ProviderConfig
    request: ModelRequest
    round: int
    id: uuid.UUID = field(default_factory=uuid.uuid4)


def keep(session_id: uuid.UUID, run_id: uuid.UUID, sent: Iterable[KeptRequest]) -> set[uuid.UUID]:
    """Stores the requests of a run; the ids of those that are kept. The caller's transaction holds the session."""
    new = list(sent) if settings.AI_KEEP_REQUESTS_DAYS else []
    before = SentRequest.objects.filter(run=run_id).count() if new else 0
    for number, each in enumerate(new, before + 1):
        layout = take_apart(body_of(each.config, each.request))
        tools = (layout.tools,) if layout.tools else ()
        _store(session_id, (*tools, *layout.entries))
        SentRequest.objects.create(
            id=each.id,
            run_id=run_id,
            number=number,
            round=each.round,
            provider=each.config.name,
            model=each.config.model,
            parameters=layout.parameters,
            head=layout.entries[-1].digest if layout.entries else None,
            tools=layout.tools.digest if layout.tools else None,
            entries=len(layout.entries),
            marks=layout.marks,
        )
    return {each.id for each in new}


def _store(session_id: uuid.UUID, entries: Iterable[Entry]) -> None:
    """Stores the entries that the conversation does not have yet."""
    wanted = {entry.digest: entry for entry in entries}
    had = RequestEntry.objects.filter(session=session_id, digest__in=list(wanted)).values_list("digest", flat=True)
    known = {bytes(digest) for digest in had}
    RequestEntry.objects.bulk_create(
        RequestEntry(session_id=session_id, **asdict(entry)) for digest, entry in wanted.items() if digest not in known
    )


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
