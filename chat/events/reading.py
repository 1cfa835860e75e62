"""Reading the log: the events after a number. Every reader, live or late, comes here."""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from chat.events.vocabulary import StoredEvent

_AFTER = """
SELECT e.stream_id, e.sequence, e.type, e.data::text, e.message_id, e.run_id, e.created_at
FROM unnest(%s::bigint[], %s::bigint[]) AS w(stream_id, after)
CROSS JOIN LATERAL (
    SELECT * FROM chat_streamevent AS e
    WHERE e.stream_id = w.stream_id AND e.sequence > w.after
    ORDER BY e.sequence LIMIT %s
) AS e
ORDER BY e.stream_id, e.sequence
"""


def _stored(row: Sequence[Any]) -> StoredEvent:
    stream_id, sequence, type_, data, message_id, run_id, created_at = row
    return StoredEvent(stream_id, sequence, type_, json.loads(data), message_id, run_id, created_at)


def after(cursors: Mapping[int, int], limit: int) -> list[StoredEvent]:
    """Up to `limit` events of each stream after the number given for it, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_AFTER, [list(cursors), list(cursors.values()), limit])
        return [_stored(row) for row in cursor.fetchall()]


def of_message(stream_id: int, message_id: uuid.UUID, after_sequence: int, limit: int) -> list[StoredEvent]:
    """Up to `limit` events of one message after a number."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT stream_id, sequence, type, data::text, message_id, run_id, created_at FROM chat_streamevent "
            "WHERE message_id = %s AND stream_id = %s AND sequence > %s ORDER BY sequence LIMIT %s",
            [message_id, stream_id, after_sequence, limit],
        )
        return [_stored(row) for row in cursor.fetchall()]
