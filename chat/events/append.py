"""Appending inside an ordinary Django transaction, for events that must commit together with a change."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction

from chat.events import wakeup
from chat.events.vocabulary import EVENT_VERSION, NewEvent, as_row, to_json
from graphs.prepared import prepared


class Fenced(Exception):
    """Another process has taken the stream over; who gets this may write nothing more about it."""


_STORE = f"""
, stored AS (
    INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id)
    SELECT id, last_sequence - %(count)s + e.number, {EVENT_VERSION},
        event->>0, event->1, (event->>2)::uuid, (event->>3)::uuid
    FROM raised CROSS JOIN LATERAL jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS e(event, number)
)
SELECT id, last_sequence FROM raised
"""  # noqa: S608 - the only insertion is a constant number
_APPEND = f"""
WITH raised AS (
    UPDATE chat_stream SET last_sequence = last_sequence + %(count)s
    WHERE id = %(stream)s AND (%(epoch)s::bigint IS NULL OR epoch = %(epoch)s) RETURNING id, last_sequence
) {_STORE}
"""  # noqa: S608
_APPEND_TO = f"""
WITH raised AS (
    INSERT INTO chat_stream AS s (name, workspace_id, last_sequence, epoch, batch)
    VALUES (%(name)s, %(workspace)s, %(count)s, 0, 0)
    ON CONFLICT (name) DO UPDATE SET last_sequence = s.last_sequence + %(count)s RETURNING id, last_sequence
) {_STORE}
"""  # noqa: S608


def append(stream_id: int, events: Sequence[NewEvent], epoch: int | None = None) -> int:
    """Numbers and stores the events; readers are woken when the transaction commits. Returns the last number.

    Must be the last statement of its transaction (an idempotency key may be saved after it), and called in the order of
    stream ids where there are several: it holds the stream's row. With `epoch`, raises `Fenced` when the stream has
    another one by now.
    """
    row = _stored(_APPEND, {"stream": stream_id, "epoch": epoch}, events)
    if row is None:
        raise Fenced
    return row[1]


def append_to(name: str, workspace_id: int, events: Sequence[NewEvent]) -> None:
    """The same to the stream of an object, by its name; it is made where there is none yet.

    Whoever also appends to a conversation's stream comes here first.
    """
    _stored(_APPEND_TO, {"name": name, "workspace": workspace_id}, events)


def _stored(statement: str, where: dict[str, Any], events: Sequence[NewEvent]) -> tuple[int, int] | None:
    """The stream's id and its last number; None where it has another epoch."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("append() belongs into the transaction of the change it tells of")
    stored = to_json([as_row(event.storable()) for event in events])
    with prepared() as cursor:
        cursor.execute(statement, {**where, "count": len(events), "events": stored})
        row: tuple[int, int] | None = cursor.fetchone()
    if row is not None:
        stream_id, last = row
        transaction.on_commit(lambda: wakeup.announce(stream_id, last), robust=True)
    return row


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
