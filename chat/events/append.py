"""Appending inside an ordinary Django transaction, for events that must commit together with a change."""

from collections.abc import Sequence

from django.db import connection, transaction

from chat.events import wakeup
from chat.events.vocabulary import EVENT_VERSION, NewEvent, to_json


class Fenced(Exception):
    """Another process has taken the stream over; who gets this may write nothing more about it."""


_RAISE = """
UPDATE chat_stream SET last_sequence = last_sequence + %s
WHERE id = %s AND (%s::bigint IS NULL OR epoch = %s) RETURNING last_sequence
"""
_STORE = """
INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id)
SELECT %s, %s + e.number, %s, e.type, e.data::jsonb, e.message_id, e.run_id
FROM unnest(%s::text[], %s::text[], %s::uuid[], %s::uuid[]) WITH ORDINALITY AS e(type, data, message_id, run_id, number)
"""


def append(stream_id: int, events: Sequence[NewEvent], epoch: int | None = None) -> int:
    """Numbers and stores the events; readers are woken when the transaction commits. Returns the last number.

    Must be the last statement of its transaction (an idempotency key may be saved after it), and called in the order of
    stream ids where there are several: it holds the stream's row. With `epoch`, raises `Fenced` when the stream has
    another one by now.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("append() belongs into the transaction of the change it tells of")
    events = [event.storable() for event in events]
    with connection.cursor() as cursor:
        cursor.execute(_RAISE, [len(events), stream_id, epoch, epoch])
        row = cursor.fetchone()
        if row is None:
            raise Fenced
        first = row[0] - len(events)
        cursor.execute(
            _STORE,
            [
                stream_id,
                first,
                EVENT_VERSION,
                [event.type for event in events],
                [to_json(event.data) for event in events],
                [event.message_id for event in events],
                [event.run_id for event in events],
            ],
        )
    transaction.on_commit(lambda: wakeup.announce(stream_id, row[0]), robust=True)
    return int(row[0])


def guard(stream_id: int, epoch: int) -> None:
    """Holds the stream for the rest of the transaction; raises `Fenced` when it has another owner by now."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT epoch FROM chat_stream WHERE id = %s FOR NO KEY UPDATE", [stream_id])
        row = cursor.fetchone()
    if row is None or row[0] != epoch:
        raise Fenced
