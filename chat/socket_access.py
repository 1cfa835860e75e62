"""Looks after the open chat sockets of this process: who may not be here any more goes, who is here is counted."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from chat import identity, socket_limit
from chat.database import in_db
from chat.identity import Identity, Reader
from chat.socket_wire import ACCESS_ENDED, NOT_AUTHENTICATED

log = logging.getLogger("countersign.socket")

CHECK_EVERY_S = 3.0


class Guest(Protocol):
    """A socket whose person is known."""

    id: str

    @property
    def identity(self) -> Identity | None: ...
    def reader(self) -> Reader: ...
    def close(self, code: int) -> None: ...


async def check_forever(guests: Callable[[], Iterable[Guest]]) -> None:
    """Closes the sockets of people who may not read on, in one look for all, every few seconds."""
    while True:
        await asyncio.sleep(CHECK_EVERY_S)
        try:
            await _check([guest for guest in guests() if guest.identity is not None])
        except Exception:
            log.warning("sockets not checked, trying again", exc_info=True)


async def _check(guests: list[Guest]) -> None:
    if not guests:
        return
    readers = [guest.reader() for guest in guests]
    standings = await in_db(identity.standings, readers)
    for guest, reader, standing in zip(guests, readers, standings, strict=True):
        renewed = guest.identity is not reader.identity
        if standing != "good" and not renewed:
            guest.close(NOT_AUTHENTICATED if standing == "expired" else ACCESS_ENDED)
    await socket_limit.renew((reader.identity.user.pk, guest.id) for guest, reader in zip(guests, readers, strict=True))
