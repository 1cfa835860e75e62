"""Everyone who reads on through this process: sockets, server-sent events, requests that wait.

One look for all of them every few seconds: who may not be here any more goes, who is here is counted.
"""

import asyncio
import logging
from collections.abc import Collection, Sequence
from typing import Protocol

from django.db import InterfaceError, OperationalError

from chat.batching import ask_together
from chat.sockets import connections
from chat.standing import End, Reader, look_at

log = logging.getLogger("countersign.guests")

#: Whose access ended is gone within five seconds, however busy the process is.
CHECK_EVERY_S = 2.0


class Guest(Protocol):
    """Somebody who reads. `id` is what they are counted under among their connections, "" for who is not counted."""

    id: str

    def reader(self) -> Reader | None:
        """What to look at; None while nobody knows who it is."""

    def end(self, why: End) -> None:
        """They may not stay."""

    def lose(self, stream_ids: Collection[int]) -> None:
        """They may not read on these streams."""


_here: set[Guest] = set()
_checker: asyncio.Task[None] | None = None


def enter(guest: Guest) -> None:
    """From now on the guest is looked after."""
    global _checker
    _here.add(guest)
    if _checker is None or _checker.done():
        _checker = asyncio.create_task(_check_forever())


def leave(guest: Guest) -> None:
    _here.discard(guest)


async def _check_forever() -> None:
    while True:
        await asyncio.sleep(CHECK_EVERY_S)
        try:
            await _check([(guest, reader) for guest in _here if (reader := guest.reader())])
        except (OperationalError, InterfaceError) as error:
            log.warning("readers not checked, trying again: %s", type(error).__name__)
        except Exception:
            log.warning("readers not checked, trying again", exc_info=True)


async def _check(guests: Sequence[tuple[Guest, Reader]]) -> None:
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
    await connections.renew((reader.identity.user.pk, guest.id) for guest, reader in guests if guest.id)
