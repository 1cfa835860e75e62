"""Counts the sockets of this process that have not said whose they are, by the address they come from."""

from collections import Counter

from django.conf import settings

from chat.access.identity import Headers, header
from graphs.site.client_address import client_address

_of_address: Counter[str] = Counter()


def address_of(peer: str, headers: Headers) -> str:
    """The address to count by, behind trusted proxies that of who asks them."""
    return client_address({"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": header(headers, b"x-forwarded-for") or ""})


def come(address: str) -> bool:
    """Counts one more; False, and not counted, if its address has as many as it may."""
    if _of_address[address] >= settings.LIMIT_UNKNOWN_SOCKETS:
        return False
    _of_address[address] += 1
    return True


def leave(address: str) -> None:
    """Counts one less: it has said whose it is, or is gone."""
    _of_address[address] -= 1
    if not _of_address[address]:
        del _of_address[address]
