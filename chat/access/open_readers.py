"""All that read on through this process, checked every few seconds and counted by a task of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from chat.access import connections
from chat.access.checks import End, Reader, check_access
from chat.access.connections import Slot
from chat.concurrency.batching import ask_together
from chat.concurrency.database import in_db
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.readers")

#: Whose access ended is gone within five seconds, however busy the process is.
CHECK_EVERY_S = 2.0


class OpenReader(Protocol):
    """A connection that somebody reads from."""

    @property
    def slot(self) -> Slot | None:
        """The reader's slot among the connections of its person; None if it is not counted."""

    def reader(self) -> Reader | None:
        """The person whose access to check, and what they read; None while nobody knows who it is."""

    def end_access(self, why: End) -> None:
        """Disconnects: access ended."""

    def lose_streams(self, stream_ids: Collection[int]) -> None:
        """Stops delivering these streams."""


_open: set[OpenReader] = set()
_checker: asyncio.Task[None] | None = None
_counter: asyncio.Task[None] | None = None


def add(open_reader: OpenReader) -> None:
    """Begins to check the reader's access and to keep its slot."""
    global _checker, _counter
    _open.add(open_reader)
    if _checker is None or _checker.done():
        _checker = asyncio.create_task(_forever(_check))
    if _counter is None or _counter.done():
        _counter = asyncio.create_task(_forever(_count))


def remove(open_reader: OpenReader) -> None:
    _open.discard(open_reader)


async def _forever(act: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(CHECK_EVERY_S)
        try:
            await act()
        except AWAY as error:
            log.warning("readers not checked, trying again: %s", type(error).__name__)
        except Exception:  # Any: without this check, nobody's access would end any more.
            log.warning("readers not checked, trying again", exc_info=True)


async def _check() -> None:
    known = [(each, reader) for each in _open if (reader := each.reader())]
    if not known:
        return
    found = await ask_together(lambda readers: in_db(check_access, readers), [reader for _each, reader in known])
    for (each, reader), access in zip(known, found, strict=True):
        now = each.reader() if each in _open else None
        if now is None or now.identity is not reader.identity:
            continue
        if isinstance(access, Exception):
            log.warning("a reader not checked, trying again", exc_info=access)
        elif access.end:
            each.end_access(access.end)
        elif access.lost:
            each.lose_streams(access.lost)


async def _count() -> None:
    if slots := [slot for each in _open if (slot := each.slot)]:
        await asyncio.to_thread(connections.renew, slots)
