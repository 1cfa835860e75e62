"""Hubs and readers for tests, and another process that tells nobody."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import psycopg

from chat.engine import runtime
from chat.events.hub import Hub
from chat.events.vocabulary import EVENT_VERSION, StoredEvent
from chat.events.watching import Watch
from chat.events.writer import GroupWriter


@asynccontextmanager
async def a_hub() -> AsyncIterator[Hub]:
    hub = Hub(uuid.uuid4(), lambda: None)
    hub.start()
    try:
        yield hub
    finally:
        await hub.close()


@asynccontextmanager
async def a_writer(hub: Hub) -> AsyncIterator[GroupWriter]:
    writer = GroupWriter(runtime.conninfo(), hub.deliver, lambda: None)
    writer.start()
    try:
        yield writer
    finally:
        await writer.close()


async def read(watch: Watch, up_to: int, within_s: float = 30) -> list[StoredEvent]:
    events: list[StoredEvent] = []
    async with asyncio.timeout(within_s):
        while not events or events[-1].sequence < up_to:
            events += await watch.next()
    return events


def elsewhere(
    stream_id: int,
    count: int,
    *,
    version: int = EVENT_VERSION,
    type_: str = "status",
    run_id: uuid.UUID | None = None,
) -> None:
    """Another process that tells nobody: only the rows are there."""
    with psycopg.connect(runtime.conninfo()) as other:
        for _ in range(count):
            last = other.execute(
                "UPDATE chat_stream SET last_sequence = last_sequence + 1 WHERE id = %s RETURNING last_sequence",
                [stream_id],
            ).fetchone()
            assert last is not None
            other.execute(
                "INSERT INTO chat_streamevent (stream_id, sequence, version, type, data, run_id)"
                " VALUES (%s, %s, %s, %s, %s, %s)",
                [stream_id, last[0], version, type_, f'{{"state": "{last[0]}"}}', run_id],
            )


def run(main: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(main())  # type: ignore[arg-type]
