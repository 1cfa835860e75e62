"""Counts the sockets that have not said whose they are, by the address they come from."""

import asyncio
import uuid

from django.conf import settings

from chat.access import connections
from chat.access.connections import Slot
from chat.access.identity import Headers, header
from graphs.site.client_address import client_address

SORT = "unknown-sockets"


def address_of(peer: str, headers: Headers) -> str:
    """The address to count by, behind trusted proxies that of who asks them."""
    return client_address({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": header(headers, b"x-forwarded-for") or ""})


def slot_of(address: str) -> Slot:
    """What one more socket of an address is counted as."""
    return Slot(address, uuid.uuid4().hex, SORT)


async def come(slot: Slot) -> bool:
    """Counts a socket; False if its address has as many as it may. A flood is refused without asking Valkey."""
    most = settings.LIMIT_UNKNOWN_SOCKETS
    return connections.open_here(slot) < most and await asyncio.to_thread(connections.take_one_of, most, slot)
