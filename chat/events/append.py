"""Appending inside an ordinary Django transaction, for events that must commit together with a change."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from chat.events import wakeup
from chat.events.vocabulary import EVENT_VERSION, NewEvent, StoredEvent, as_row, numbered, to_json


class Fenced(Exception):
    """Another process has taken the stream over: nothing more about it may be written here."""


#: Stores `events` in the stream that the relation `raised` of the statement has raised by their `count`.
STORED = f"""
stored AS (
    INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id, created_at)
    SELECT id, last_sequence - %(count)s + e.number, {EVENT_VERSION},
        event->>0, event->1, (event->>2)::uuid, (event->>3)::uuid, statement_timestamp()
    FROM raised CROSS JOIN LATERAL jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS e(event, number)
)
"""  # noqa: S608 - the only insertion is a constant number
_RAISED = "SELECT id, last_sequence, statement_timestamp() FROM raised"
_APPEND = f"""
WITH raised AS (
    UPDATE chat_stream SET last_sequence = last_sequence + %(count)s
    WHERE id = %(stream)s AND (%(epoch)s::bigint IS NULL OR epoch = %(epoch)s) RETURNING id, last_sequence
), {STORED} {_RAISED}
"""  # noqa: S608
_APPEND_TO = f"""
WITH raised AS (
    INSERT INTO chat_stream AS s (name, workspace_id, last_sequence, epoch, batch)
    VALUES (%(name)s, %(workspace)s, %(count)s, 0, 0)
    ON CONFLICT (name) DO UPDATE SET last_sequence = s.last_sequence + %(count)s RETURNING id, last_sequence
), {STORED} {_RAISED}
"""  # noqa: S608


def appended(events: str, workspace: str) -> str:
    """Relations for the statement of a change: append `events` to streams by their names, made where there are none.

    `events` is a relation (place, name, followers, type, data) of the statement: streams are held in the order of
    their names, those of events without a place last, and `followers` is how many come after an event in its stream.
    `workspace` is an expression. `raised` has the ids and last numbers of the streams, for `wake`.
    """
    return f"""
raised AS (
    INSERT INTO chat_stream AS s (name, workspace_id, last_sequence, epoch, batch)
    SELECT name, {workspace}, count(*), 0, 0 FROM {events} GROUP BY name ORDER BY min(place) IS NULL, name
    ON CONFLICT (name) DO UPDATE SET last_sequence = s.last_sequence + excluded.last_sequence
    RETURNING id, name, last_sequence
), stored AS (
    INSERT INTO chat_streamevent (stream_id, sequence, version, type, data)
    SELECT raised.id, raised.last_sequence - e.followers, {EVENT_VERSION}, e.type, e.data
    FROM {events} AS e JOIN raised USING (name)
)
"""  # noqa: S608 - what is inserted are names of relations and constants


def wake(raised: Sequence[tuple[int, int]], events: Sequence[StoredEvent] = ()) -> None:
    """Wakes the streams' readers on commit; `events` of a single stream go to those of this process as they are."""

    def wake_readers() -> None:
        for stream_id, last in raised:
            wakeup.wake_readers(stream_id, last, events)

    transaction.on_commit(wake_readers, robust=True)


class EventBatch:
    """Events of one stream, for a statement of which `STORED` is a part."""

    def __init__(self, events: Sequence[NewEvent]) -> None:
        self._events = [event.storable() for event in events]

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of `STORED`."""
        return {"count": len(self._events), "events": to_json([as_row(event) for event in self._events])}

    def wake_readers(self, stream_id: int, last: int, at: datetime) -> None:
        """Wakes the stream's readers on commit, once the statement has run and said these."""
        wake([(stream_id, last)], numbered(stream_id, self._events, last - len(self._events), at))


def append(stream: int | tuple[str, int], events: Sequence[NewEvent], epoch: int | None = None) -> int:
    """Numbers and stores the events; readers are woken when the transaction commits. Returns the last number.

    The stream of an object is given by name and workspace, and made if there is none yet. Must be the last statement of
    its transaction (that it was asked for may be saved after it): it holds the stream's row. Where there are several,
    objects come first, then conversations in the order of stream ids. With `epoch`, raises `Fenced` when the stream
    has another one by now.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("append() belongs into the transaction of the change it tells of")
    batch = EventBatch(events)
    with connection.cursor() as cursor:
        if isinstance(stream, int):
            cursor.execute(_APPEND, {"stream": stream, "epoch": epoch, **batch.values})
        else:
            name, workspace = stream
            cursor.execute(_APPEND_TO, {"name": name, "workspace": workspace, **batch.values})
        row: tuple[int, int, datetime] | None = cursor.fetchone()
    if row is None:
        raise Fenced
    stream_id, last, at = row
    batch.wake_readers(stream_id, last, at)
    return last
