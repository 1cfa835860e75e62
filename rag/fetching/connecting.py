"""Connections that last no longer than until a deadline; those of the fetcher lead to checked addresses only."""

import math
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from typing import Any

import httpcore2

from rag.fetching.addresses import is_public, literal
from rag.fetching.refusals import FetchRefused
from rag.fetching.targets import not_public

#: Addresses of one host that are tried, and how long each.
MOST_ADDRESSES = 4
CONNECT_S = 5.0
#: Bytes before the body begins, with what comes of it in one read: a host may announce its answer without end.
MOST_BEFORE = 250_000
#: Names are looked up by threads of their own, because that cannot be given up on. They are more than can be read at a
#: time: one that nobody answers lasts longer than whoever asked for it.
_lookups = ThreadPoolExecutor(32, thread_name_prefix="lookup")


def look_up(host: str) -> list[str]:
    """The addresses of a host, as the system has them."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def connect(address: str, port: int, timeout: float) -> httpcore2.NetworkStream:
    return httpcore2.SyncBackend().connect_tcp(address, port, timeout)


@cache
def trusted() -> ssl.SSLContext:
    """Checks certificates and names, by the authorities that this machine trusts."""
    return httpcore2.default_ssl_context()


@dataclass(frozen=True, slots=True)
class Network:
    """How names are looked up and addresses connected to; tests put servers of their own in its place."""

    look_up: Callable[[str], Sequence[str]] = look_up
    connect: Callable[[str, int, float], httpcore2.NetworkStream] = connect
    tls: Callable[[], ssl.SSLContext] = trusted


class TimedBackend(httpcore2.NetworkBackend):
    """Looks a host up once and connects to what it found, before a deadline: for hosts that the operator names."""

    def __init__(self, network: Network, deadline: float) -> None:
        self._network = network
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection that ends at the deadline. Raises `FetchRefused`."""
        for address in self._addresses(host)[:MOST_ADDRESSES]:
            try:
                stream = self._network.connect(address, port, min(CONNECT_S, left(self._deadline)))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
            return TimedStream(stream, self._deadline)
        raise FetchRefused("unreachable", "The host cannot be reached.")

    def _addresses(self, host: str) -> Sequence[str]:
        lookup = _lookups.submit(self._network.look_up, host)
        try:
            found = lookup.result(left(self._deadline))
        except NotInTime:
            lookup.cancel()
            raise too_slow() from None
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise FetchRefused("unknown_host", "No host has this name.")
        return found


class CheckedBackend(TimedBackend):
    """Connects only where all that it found of a host leads to the internet, and nowhere else."""

    def _addresses(self, host: str) -> Sequence[str]:
        # With a dot at its end a name is whole: the resolver does not try it within the domain of this machine.
        found = super()._addresses(host if literal(host) else f"{host}.")
        if not all(is_public(ip_address(each)) for each in found):
            raise not_public()
        return found


class TimedStream(httpcore2.NetworkStream):
    """A connection of which every step ends at one deadline, however little each step may take.

    So much may be read before the body has begun, of whose size others take care.
    """

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline
        self._left_before: float = MOST_BEFORE

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        part = self._stream.read(max_bytes, left(self._deadline))
        self._left_before -= len(part)
        if self._left_before < 0:
            raise broken()
        return part

    def let_body_come(self) -> None:
        self._left_before = math.inf

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, left(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            secure = self._stream.start_tls(ssl_context, server_hostname, left(self._deadline))
        except httpcore2.ConnectError:
            raise FetchRefused("tls", "The host does not prove that it is the one of this name.") from None
        return TimedStream(secure, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def left(deadline: float) -> float:
    """Seconds until the deadline. Raises `FetchRefused` once it is over."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise too_slow()
    return seconds


def broken() -> FetchRefused:
    return FetchRefused("broken", "The host did not answer as hosts do, or broke off.")


def too_slow() -> FetchRefused:
    return FetchRefused("too_slow", "The page did not come in time.")
