"""The readers that are there: the grace period of an answer counts from when the last of them was seen."""

import uuid
from collections.abc import Sequence

from django.db import connection

#: Notes, in a statement that stores something of a stream, its relation `raised`, that somebody reads it in a process.
READ_ON = """
read_on AS (
    INSERT INTO chat_presence (stream_id, process, seen_at)
    SELECT id, %(reads_in)s::uuid, statement_timestamp() FROM raised
    ON CONFLICT (stream_id, process) DO UPDATE SET seen_at = statement_timestamp()
)
"""
_RENEW = """
INSERT INTO chat_presence (stream_id, process, seen_at)
SELECT id, %s, statement_timestamp() FROM chat_stream WHERE id = ANY(%s) ORDER BY id
ON CONFLICT (stream_id, process) DO UPDATE SET seen_at = statement_timestamp()
"""
_RENEW_AND_LAST = f"WITH seen AS ({_RENEW}) SELECT id, last_sequence FROM chat_stream WHERE id = ANY(%s)"  # noqa: S608


def renew(stream_ids: Sequence[int], process: uuid.UUID | None) -> None:
    """Notes that somebody reads the streams now; `process` is None for a reader that polls over HTTP."""
    with connection.cursor() as cursor:
        cursor.execute(_RENEW, [process, list(stream_ids)])


def renew_and_last(seen_ids: Sequence[int], stream_ids: Sequence[int], process: uuid.UUID) -> dict[int, int]:
    """Renews the presence of a process's readers and returns the last number of each stream, in one query."""
    with connection.cursor() as cursor:
        cursor.execute(_RENEW_AND_LAST, [process, list(seen_ids), list(stream_ids)])
        return dict(cursor.fetchall())
