"""One statement that stores events of many streams, and finds out whether it did when its answer is lost."""

import asyncio
import logging
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo

from chat.events.vocabulary import EVENT_VERSION, NewEvent, as_row, to_json

log = logging.getLogger("countersign.writer")

RECONNECT_PAUSE_S = 0.25
#: What may pass by itself, a server that is read-only for a while included.
_PASSING = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.ReadOnlySqlTransaction)

#: Batches are small and streams many: every plan looks streams up by their key, and is made once.
_SETTINGS = """
SET TIME ZONE 'UTC'; SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off
"""
_BATCH = """
SELECT (p->>0)::bigint AS id, (p->>1)::bigint AS epoch, p->2 AS events FROM jsonb_array_elements(%(parts)s::jsonb) AS p
"""
_COMMIT = f"""
WITH batch AS ({_BATCH}), locked AS (
    SELECT s.id, s.last_sequence AS base, b.events
    FROM batch b JOIN chat_stream s ON s.id = b.id AND s.epoch = b.epoch
    ORDER BY s.id FOR NO KEY UPDATE OF s SKIP LOCKED
), raised AS (
    UPDATE chat_stream s
    SET last_sequence = l.base + jsonb_array_length(l.events), writer = %(writer)s, batch = %(batch)s
    FROM locked l WHERE s.id = l.id RETURNING s.id, l.base, s.last_sequence AS last, l.events
), stored AS (
    INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, message_id, run_id, created_at)
    SELECT r.id, r.base + e.number, {EVENT_VERSION}, event->>0, event->1, (event->>2)::uuid, (event->>3)::uuid, now()
    FROM raised r CROSS JOIN LATERAL jsonb_array_elements(r.events) WITH ORDINALITY AS e(event, number)
)
SELECT id, base, last, now(), true FROM raised
"""  # noqa: S608 - the only insertion is a constant number
_NOT_WRITTEN = f"""
SELECT w.id, NULL, NULL, now(), s.id IS NOT NULL
FROM ({_BATCH}) AS w
LEFT JOIN chat_stream s ON s.id = w.id AND s.epoch = w.epoch WHERE w.id <> ALL(%(written)s::bigint[])
"""  # noqa: S608
_WRITTEN = f"""
SELECT w.id, NULL, CASE WHEN s.writer = %(writer)s AND s.batch = %(batch)s THEN s.last_sequence END, now(),
    s.id IS NOT NULL
FROM ({_BATCH}) AS w LEFT JOIN chat_stream s ON s.id = w.id
"""  # noqa: S608
_END_LOST = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()
"""


class Outcome(NamedTuple):
    """What became of a stream's batch: `last` if it was written, after `base` if known; else if it still can be."""

    stream_id: int
    base: int | None
    last: int | None
    at: datetime
    owned: bool


class Committer:
    """A connection of its own, and the numbers of its batches."""

    def __init__(self, conninfo: str) -> None:
        self._id = uuid.uuid4()
        self._name = f"countersign writer {self._id}"
        self._conninfo = make_conninfo(conninfo, application_name=self._name)
        self._batch = 0
        self._may_have_lost_one = False
        self._connection: psycopg.AsyncConnection | None = None

    async def commit(self, parts: Sequence[tuple[int, int, Sequence[NewEvent]]]) -> list[Outcome]:
        """Stores events of streams, given by id and epoch, that nobody else holds or owns; waits for PostgreSQL."""
        self._batch += 1
        rows = [(stream_id, epoch, [as_row(event) for event in events]) for stream_id, epoch, events in parts]
        parameters: dict[str, object] = {"parts": to_json(rows), "writer": self._id, "batch": self._batch}
        uncertain = False
        while True:
            try:
                connection = await self._connected()
                if uncertain:
                    outcomes = await self._ask(connection, _WRITTEN, parameters)
                    if any(outcome.last is not None for outcome in outcomes):
                        return outcomes
                outcomes = await self._ask(connection, _COMMIT, parameters)
                if len(outcomes) < len(parts):
                    parameters["written"] = [outcome.stream_id for outcome in outcomes]
                    outcomes += await self._ask(connection, _NOT_WRITTEN, parameters)
                return outcomes
            except _PASSING as error:
                if not uncertain:
                    log.warning("event log unreachable, trying until it is back: %s", type(error).__name__)
                uncertain = True
                await self.close()
                await asyncio.sleep(RECONNECT_PAUSE_S)

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _ask(
        self, connection: psycopg.AsyncConnection, query: str, parameters: dict[str, object]
    ) -> list[Outcome]:
        cursor = await connection.execute(query, parameters)
        return [Outcome(*row) for row in await cursor.fetchall()]

    async def _connected(self) -> psycopg.AsyncConnection:
        """Raises an error that may pass as long as the connection lost before may still be committing."""
        if self._connection is None or self._connection.closed:
            self._connection = await psycopg.AsyncConnection.connect(self._conninfo, autocommit=True)
            await self._connection.execute(_SETTINGS)
            if self._may_have_lost_one:
                cursor = await self._connection.execute(_END_LOST, [self._name])
                if not all(ended for (ended,) in await cursor.fetchall()):
                    raise psycopg.OperationalError("the connection that was lost is still at work")
            self._may_have_lost_one = True
        return self._connection
