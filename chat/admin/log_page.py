"""A page of one stream's events, found by type and run, in one query that stays quick in a log of millions."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.db import connection

from chat.events.folding import COLUMNS, Row, events_of
from chat.events.vocabulary import StoredEvent

PAGE = 500
#: How far one query looks for events of a type or a run before it lets the reader decide to look on.
LOOKS_THROUGH = 100_000

#: The rows that hold the wanted events. A row stands for the numbers since the row before it, so that many events may
#: be in few rows, and the one that holds the last number may go on beyond it.
_ROWS = f"""
SELECT {COLUMNS}, e.before_at FROM (
    SELECT *, sum(count) OVER (ORDER BY sequence) - count AS found FROM (
        SELECT *, lag(created_at) OVER log AS before_at,
               sequence - greatest(lag(sequence) OVER log, %(start)s - 1) AS count
        FROM chat_streamevent
        WHERE stream_id = %(stream)s AND sequence >= %(start)s - 1 AND sequence <= (
            SELECT min(sequence) FROM chat_streamevent WHERE stream_id = %(stream)s AND sequence >= %(end)s)
        WINDOW log AS (ORDER BY sequence)
    ) AS stretch
    WHERE sequence >= %(start)s
      AND (%(type)s::text IS NULL OR type = %(type)s) AND (%(run)s::uuid IS NULL OR run_id = %(run)s)
      AND (%(message)s::uuid IS NULL OR message_id = %(message)s)
) AS e
WHERE e.found < %(limit)s ORDER BY e.sequence LIMIT %(limit)s
"""  # noqa: S608 - the only insertion is a list of columns


#: An event, and the time since the event before it in the stream; None for the first.
LoggedEvent = tuple[StoredEvent, timedelta | None]


@dataclass(frozen=True, slots=True)
class LogPage:
    """`next` is the number to go on from, None at the end of the log."""

    events: tuple[LoggedEvent, ...]
    next: int | None


def read(
    stream_id: int,
    last: int,
    start: int,
    type_: str | None,
    run_id: uuid.UUID | None,
    message_id: uuid.UUID | None = None,
) -> LogPage:
    """Up to `PAGE` events from the number `start` on, of a stream that ends at `last`."""
    end = min(last, start + LOOKS_THROUGH - 1)
    with connection.cursor() as cursor:
        wanted = {"stream": stream_id, "start": start, "end": end, "type": type_, "run": run_id, "limit": PAGE}
        cursor.execute(_ROWS, wanted | {"message": message_id})
        rows = cursor.fetchall()
    found = (event for *row, before_at in rows for event in _logged(Row(*row), before_at, start, end))
    events = tuple(islice(found, PAGE))
    seen_to = events[-1][0].sequence if len(events) == PAGE else end
    return LogPage(events, seen_to + 1 if seen_to < last else None)


def _logged(row: Row, before_at: datetime | None, start: int, end: int) -> Iterator[LoggedEvent]:
    """The row's events from `start` to `end`; `before_at` is when the event before its first one happened."""
    for event in events_of(row, start - 2, PAGE + 1):
        if start <= event.sequence <= end:
            yield event, None if before_at is None else event.created_at - before_at
        before_at = event.created_at
