"""The events after a number, for every reader: a page ends at so many events or bytes, and has one at least."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from django.db import connection

from chat.events.folding import COLUMNS, Row, events_of
from chat.events.vocabulary import StoredEvent

#: A page of a reader who takes one after the other.
PAGE_EVENTS = 500
PAGE_BYTES = 262_144


def _sized(rows: str) -> str:
    """The rows with `before`, the bytes of those before them. What was compressed is unpacked to know its size."""
    return f"""
    SELECT *, sum(size) OVER (ORDER BY sequence) - size AS before
    FROM (
        SELECT *, CASE WHEN pg_column_compression(data) IS NULL THEN pg_column_size(data)
            ELSE octet_length(data::text) END AS size
        FROM ({rows}) AS rows
    ) AS measured
    """  # noqa: S608 - what is inserted stands in this file


#: A row stands for all numbers since the row before it: what holds the next `limit` events lies below `after + limit`,
#: but for the last row.
_NEXT = """
(SELECT * FROM chat_streamevent AS e
 WHERE e.stream_id = w.stream_id AND e.sequence > w.after AND e.sequence < w.after + %(limit)s)
UNION ALL
(SELECT * FROM chat_streamevent AS e
 WHERE e.stream_id = w.stream_id AND e.sequence >= w.after + %(limit)s ORDER BY e.sequence LIMIT 1)
"""
_AFTER = f"""
SELECT {COLUMNS}
FROM unnest(%(streams)s::bigint[], %(after)s::bigint[]) AS w(stream_id, after)
CROSS JOIN LATERAL ({_sized(_NEXT)}) AS e
WHERE e.before < %(bytes)s ORDER BY e.stream_id, e.sequence
"""  # noqa: S608
_OWN = "SELECT * FROM own WHERE stream_id = %(stream)s AND sequence > %(after)s ORDER BY sequence LIMIT %(limit)s"
_OF_MESSAGE = f"""
WITH own AS MATERIALIZED (SELECT * FROM chat_streamevent WHERE message_id = %(message)s)
SELECT {COLUMNS} FROM ({_sized(_OWN)}) AS e
WHERE e.before < %(bytes)s ORDER BY e.sequence
"""  # noqa: S608


def after(cursors: Mapping[int, int], limit: int = PAGE_EVENTS, max_bytes: int = PAGE_BYTES) -> list[StoredEvent]:
    """The next events of each stream after the number given for it, in one query; the bounds are those of a stream."""
    found: list[StoredEvent] = []
    if limit < 1:
        return found
    with connection.cursor() as cursor:
        streams, numbers = list(cursors), list(cursors.values())
        cursor.execute(_AFTER, {"streams": streams, "after": numbers, "limit": limit, "bytes": max_bytes})
        for stream_id, rows in groupby(map(Row._make, cursor.fetchall()), key=lambda row: row.stream_id):
            found += _events(rows, cursors[stream_id], limit)
    return found


def _events(rows: Iterable[Row], after_sequence: int, limit: int) -> list[StoredEvent]:
    events: list[StoredEvent] = []
    for row in rows:
        if len(events) < limit:
            events += events_of(row, after_sequence, limit - len(events))
    return events


def pages_after(stream_id: int, after_sequence: int) -> Iterator[list[StoredEvent]]:
    """All events of a stream after a number, page by page."""
    while events := after({stream_id: after_sequence}):
        yield events
        after_sequence = events[-1].sequence


def of_message(
    stream_id: int, message_id: uuid.UUID, after_sequence: int, limit: int, max_bytes: int = PAGE_BYTES
) -> list[StoredEvent]:
    """The next events of one message after a number."""
    with connection.cursor() as cursor:
        parameters: dict[str, Any] = {"message": message_id, "stream": stream_id, "after": after_sequence}
        cursor.execute(_OF_MESSAGE, parameters | {"limit": limit, "bytes": max_bytes})
        return _events(map(Row._make, cursor.fetchall()), after_sequence, limit)
