"""Keeps tests off the network: sockets of this process connect to this machine only."""

import ipaddress
import os
import socket
from typing import Any
from urllib.parse import urlsplit

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_getaddrinfo = socket.getaddrinfo


class NetworkUsedError(RuntimeError):
    def __init__(self, host: object) -> None:
        super().__init__(f"A test tried to reach {host!r}. Tests talk to this machine only.")


def guard() -> None:
    """Refuses other hosts from now on, except those of the servers that the environment names."""
    socket.socket.connect = _checked_connect  # type: ignore[method-assign]
    socket.socket.connect_ex = _checked_connect_ex  # type: ignore[method-assign]
    socket.getaddrinfo = _checked_getaddrinfo


def is_allowed(host: object) -> bool:
    if isinstance(host, bytes):
        host = host.decode(errors="replace")
    if host is None or host in {"", "localhost"} or host in _named_hosts():
        return True
    try:
        return ipaddress.ip_address(str(host).partition("%")[0]).is_loopback
    except ValueError:
        return False


def _named_hosts() -> set[str | None]:
    """The servers' hosts, and the addresses that those names have."""
    names = {urlsplit(os.environ.get(name, "")).hostname for name in ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL")}
    names -= {None, ""}
    addresses = {str(found[4][0]) for name in names for found in _getaddrinfo(name, None)}
    return {*names, *addresses}


def _check(address: Any) -> None:
    if isinstance(address, tuple) and not is_allowed(address[0]):
        raise NetworkUsedError(address[0])


def _checked_connect(self: socket.socket, address: Any) -> None:
    _check(address)
    _connect(self, address)


def _checked_connect_ex(self: socket.socket, address: Any) -> int:
    _check(address)
    return _connect_ex(self, address)


def _checked_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    if not is_allowed(host):
        raise NetworkUsedError(host)
    return _getaddrinfo(host, *args, **kwargs)
