"""Appending inside an ordinary Django transaction, for events that must commit together with a change."""

from collections.abc import Sequence

from django.db import connection, transaction

from chat.events import wakeup
from chat.events.vocabulary import EVENT_VERSION, NewEvent, as_row, to_json


class Fenced(Exception):
    """Another process has taken the stream over; who gets this may write nothing more about it."""


_APPEND = f"""
WITH raised AS (
    UPDATE chat_stream SET last_sequence = last_sequence + %(count)s
    WHERE id = %(stream)s AND (%(epoch)s::bigint IS NULL OR epoch = %(epoch)s) RETURNING last_sequence
), stored AS (
    INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id)
    SELECT %(stream)s, last_sequence - %(count)s + e.number, {EVENT_VERSION},
        event->>0, event->1, (event->>2)::uuid, (event->>3)::uuid
    FROM raised CROSS JOIN LATERAL jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS e(event, number)
)
SELECT last_sequence FROM raised
"""  # noqa: S608 - the only insertion is a constant number


def append(stream_id: int, events: Sequence[NewEvent], epoch: int | None = None) -> int:
    """Numbers and stores the events; readers are woken when the transaction commits. Returns the last number.

    Must be the last statement of its transaction (an idempotency key may be saved after it), and called in the order of
    stream ids where there are several: it holds the stream's row. With `epoch`, raises `Fenced` when the stream has
    another one by now.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("append() belongs into the transaction of the change it tells of")
    stored = to_json([as_row(event.storable()) for event in events])
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, {"stream": stream_id, "epoch": epoch, "count": len(events), "events": stored})
        row = cursor.fetchone()
    if row is None:
        raise Fenced
    transaction.on_commit(lambda: wakeup.announce(stream_id, row[0]), robust=True)
    return int(row[0])


def guard(stream_id: int, epoch: int) -> int:
    """Holds the stream for the rest of the transaction and returns its last number.

    Raises `Fenced` when it has another owner by now.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT epoch, last_sequence FROM chat_stream WHERE id = %s FOR NO KEY UPDATE", [stream_id])
        row = cursor.fetchone()
    if row is None or row[0] != epoch:
        raise Fenced
    return int(row[1])
