"""A page of one stream's events, found by type and run, in one query that stays quick in a log of millions."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

PAGE = 500
#: How far one query looks for events of a type or a run before it lets the reader decide to look on.
LOOKS_THROUGH = 100_000

_EVENTS = """
SELECT sequence, type, data::text, message_id, run_id, created_at, since FROM (
    SELECT sequence, type, data, message_id, run_id, created_at,
           created_at - lag(created_at) OVER (ORDER BY sequence) AS since
    FROM chat_streamevent WHERE stream_id = %(stream)s AND sequence BETWEEN %(start)s - 1 AND %(end)s
) AS e
WHERE sequence >= %(start)s
  AND (%(type)s::text IS NULL OR type = %(type)s) AND (%(run)s::uuid IS NULL OR run_id = %(run)s)
ORDER BY sequence LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event as stored; `since` is the time since the event before it in the stream, None for the first."""

    sequence: int
    type: str
    data: dict[str, Any]
    message_id: uuid.UUID | None
    run_id: uuid.UUID | None
    created_at: datetime
    since: timedelta | None


@dataclass(frozen=True, slots=True)
class LogPage:
    """`next` is the number to go on from, None at the end of the log."""

    events: tuple[LoggedEvent, ...]
    next: int | None


def read(stream_id: int, last: int, start: int, type_: str | None, run_id: uuid.UUID | None) -> LogPage:
    """Up to `PAGE` events from the number `start` on, of a stream that ends at `last`."""
    end = min(last, start + LOOKS_THROUGH - 1)
    with connection.cursor() as cursor:
        cursor.execute(
            _EVENTS,
            {"stream": stream_id, "start": start, "end": end, "type": type_, "run": run_id, "limit": PAGE},
        )
        events = tuple(_logged(row) for row in cursor.fetchall())
    seen_to = events[-1].sequence if len(events) == PAGE else end
    return LogPage(events, seen_to + 1 if seen_to < last else None)


def _logged(row: Sequence[Any]) -> LoggedEvent:
    sequence, type_, data, message_id, run_id, created_at, since = row
    return LoggedEvent(sequence, type_, json.loads(data), message_id, run_id, created_at, since)
