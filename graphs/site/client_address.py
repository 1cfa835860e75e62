"""Where a request comes from: its peer, or behind proxies that are trusted the last address that they did not add."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_WITH_PORT = re.compile(r"(?:\[([^\]]+)\]|([0-9.]+))(?::\d{1,5})?")
#: Whoever has one address of IPv6 has so many more: they count as one.
IPV6_PREFIX = 64


def client_address(meta: Mapping[str, Any]) -> str:
    """The address that limits count by; of IPv6 its network."""
    peer = str(meta.get("REMOTE_ADDR") or "")
    hops = [hop.strip() for hop in str(meta.get("HTTP_X_FORWARDED_FOR", "")).split(",")]
    while hops and _is_trusted(peer) and _parsed(hops[-1]) is not None:
        peer = hops.pop()
    address = _parsed(peer)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False))
    return peer if address is None else str(address)


def _is_trusted(text: str) -> bool:
    address = _parsed(text)
    return address is not None and any(address in network for network in settings.TRUSTED_PROXIES)


def _parsed(text: str) -> Address | None:
    """The address, without the port that some proxies add; of IPv4 where IPv6 only wraps one. None for what is none."""
    found = _WITH_PORT.fullmatch(text)
    try:
        address = ipaddress.ip_address(found[1] or found[2] if found else text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
