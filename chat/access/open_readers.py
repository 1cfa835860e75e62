"""Everyone who reads on through this process: sockets, server-sent events, requests that wait.

One look for all of them every few seconds: who may not be here any more goes. Who is here is counted, by a task of its
own, as Valkey may keep it waiting.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from chat.access import connections
from chat.access.checks import End, Reader, look_at
from chat.access.connections import Place
from chat.concurrency.batching import ask_together
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.guests")

#: Whose access ended is gone within five seconds, however busy the process is.
CHECK_EVERY_S = 2.0


class Guest(Protocol):
    """Somebody who reads."""

    def place(self) -> Place | None:
        """What they are counted as among the connections of their person; None for who is not counted."""

    def reader(self) -> Reader | None:
        """What to look at; None while nobody knows who it is."""

    def end(self, why: End) -> None:
        """They may not stay."""

    def lose(self, stream_ids: Collection[int]) -> None:
        """They may not read on these streams."""


_here: set[Guest] = set()
_checker: asyncio.Task[None] | None = None
_counter: asyncio.Task[None] | None = None


def enter(guest: Guest) -> None:
    """From now on the guest is looked after."""
    global _checker, _counter
    _here.add(guest)
    if _checker is None or _checker.done():
        _checker = asyncio.create_task(_forever(_check))
    if _counter is None or _counter.done():
        _counter = asyncio.create_task(_forever(_count))


def leave(guest: Guest) -> None:
    _here.discard(guest)


async def _forever(look: Callable[[], Awaitable[None]]) -> None:
    while True:
        await asyncio.sleep(CHECK_EVERY_S)
        try:
            await look()
        except AWAY as error:
            log.warning("readers not checked, trying again: %s", type(error).__name__)
        except Exception:  # Any: without this look, nobody's access would end any more.
            log.warning("readers not checked, trying again", exc_info=True)


def _known() -> list[tuple[Guest, Reader]]:
    return [(guest, reader) for guest in _here if (reader := guest.reader())]


async def _check() -> None:
    guests = _known()
    if not guests:
        return
    found = await ask_together(look_at, [reader for _guest, reader in guests])
    for (guest, reader), standing in zip(guests, found, strict=True):
        now = guest.reader() if guest in _here else None
        if now is None or now.identity is not reader.identity:
            continue
        if isinstance(standing, Exception):
            log.warning("a reader not checked, trying again", exc_info=standing)
        elif standing.end:
            guest.end(standing.end)
        elif standing.lost:
            guest.lose(standing.lost)


async def _count() -> None:
    places = [place for guest in _here if (place := guest.place())]
    if places:
        await connections.renew(places)
