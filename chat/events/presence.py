"""Who reads: the grace period after a disconnect counts from the moment the last reader was seen."""

import uuid
from collections.abc import Sequence

from django.db import connection

from chat.events import reading

_SEEN = """
INSERT INTO chat_presence (stream_id, process, seen_at) SELECT id, %s, now() FROM unnest(%s::bigint[]) AS id
ON CONFLICT (stream_id, process) DO UPDATE SET seen_at = now()
"""


def seen(stream_ids: Sequence[int], process: uuid.UUID | None) -> None:
    """Notes that somebody reads the streams now; `process` is None for a reader that polls over HTTP."""
    with connection.cursor() as cursor:
        cursor.execute(_SEEN, [process, list(stream_ids)])


def seen_and_last(stream_ids: Sequence[int], process: uuid.UUID) -> dict[int, int]:
    """Renews the presence of a process's readers and returns the last number of each stream."""
    seen(stream_ids, process)
    return reading.last_sequences(stream_ids)
