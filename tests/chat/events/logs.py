"""Streams to write to, a writer that is always closed before the database is flushed, and what was stored."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from django.db import transaction

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.events import log_pages
from chat.events.append import append
from chat.events.vocabulary import NewEvent, StoredEvent
from chat.events.writer import GroupWriter
from chat.models import Stream
from graphs.models import Workspace


def a_stream(name: str = "session_1") -> int:
    workspace, _ = Workspace.objects.get_or_create(slug="demo", defaults={"name": "Demo"})
    return Stream.objects.create(name=name, workspace=workspace).pk


def stored(stream_id: int) -> list[StoredEvent]:
    return [event for page in log_pages.pages_after(stream_id, 0) for event in page]


def numbers(events: Sequence[StoredEvent]) -> list[int]:
    return [event.sequence for event in events]


def text(events: Sequence[StoredEvent]) -> str:
    return "".join(event.data["delta"] for event in events if event.type == "content_delta")


def delta(words: str, run: uuid.UUID | None = None) -> NewEvent:
    return NewEvent("content_delta", {"delta": words}, None, run)


def status(state: str) -> NewEvent:
    """An event that is never merged."""
    return NewEvent("status", {"state": state})


def append_now(stream_id: int, *events: NewEvent, epoch: int | None = None) -> int:
    with transaction.atomic():
        return append(stream_id, events, epoch)


def take_over(stream_id: int) -> None:
    stream = Stream.objects.get(pk=stream_id)
    Stream.objects.filter(pk=stream_id).update(epoch=stream.epoch + 1)


@dataclass
class Writing:
    """A running writer, the batches it delivered, and how often it gave up."""

    writer: GroupWriter
    batches: list[list[StoredEvent]] = field(default_factory=list)
    failures: int = 0

    def delivered(self, stream_id: int) -> list[StoredEvent]:
        return [event for batch in self.batches for event in batch if event.stream_id == stream_id]


@asynccontextmanager
async def writing(conninfo: str = "") -> AsyncIterator[Writing]:
    def fail() -> None:
        found.failures += 1

    found = Writing(GroupWriter(conninfo or runtime.conninfo(), lambda batch: found.batches.append([*batch]), fail))
    found.writer.start()
    try:
        yield found
    finally:
        await found.writer.close()


async def until(holds: Callable[[], bool], within_s: float = 30) -> None:
    """Waits for a fact in the database."""
    async with asyncio.timeout(within_s):
        while not await in_db(holds):
            await asyncio.sleep(0.01)
