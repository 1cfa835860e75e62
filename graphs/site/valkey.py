"""Connections to Valkey. Callers go on without an answer if none comes soon."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

log = logging.getLogger("countersign.valkey")

#: Seconds without an answer after which Valkey counts as away.
PATIENCE_S = 0.5
#: Seconds for which nobody asks it again.
AWAY_S = 2.0
LISTEN_AGAIN_S = 1.0
_PATIENT: dict[str, Any] = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}

#: The moment until which each address counts as away.
_away: dict[str, float] = {}


class Away(redis.ConnectionError):
    """Valkey did not answer this process a moment ago."""


@contextmanager
def asked() -> Iterator[redis.Redis]:
    """The client, for callers that go on without an answer. Raises `Away` at once, not each after its timeout."""
    address = settings.REDIS_URL
    if time.monotonic() < _away.get(address, 0):
        raise Away("it did not answer a moment ago")
    try:
        yield client()
    except (redis.ConnectionError, redis.TimeoutError):
        _away[address] = time.monotonic() + AWAY_S
        raise


def client() -> redis.Redis:
    """The client of all threads. Keep a reference while its pipeline works, or it may be collected and closed."""
    return _client(settings.REDIS_URL)


@lru_cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, **_PATIENT)


def publisher() -> redis.asyncio.Redis:
    """A client for one event loop, which closes it."""
    return redis.asyncio.Redis.from_url(settings.REDIS_URL, **_PATIENT)


async def listen_forever(
    channel: str, hear: Callable[[bytes], None], joined: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Gives `hear` every message of a channel. Messages are lost while Valkey is away, so listeners also poll.

    `joined` is awaited whenever listening begins, also after Valkey was away.
    """
    url = settings.REDIS_URL
    client = redis.asyncio.Redis.from_url(url, socket_connect_timeout=PATIENCE_S, **_kept_alive(url))
    try:
        while True:
            try:
                async with client.pubsub() as pubsub:
                    await pubsub.subscribe(channel)
                    async for message in pubsub.listen():
                        if message["type"] == "message":
                            hear(message["data"])
                        elif message["type"] == "subscribe" and joined is not None:
                            await joined()
            except (redis.RedisError, OSError) as error:
                log.warning("%s not heard, trying again: %s", channel, type(error).__name__)
                await asyncio.sleep(LISTEN_AGAIN_S)
    finally:
        await client.aclose()


def _kept_alive(url: str) -> dict[str, Any]:
    """Options by which a listener, which has no idle limit, notices a dead network within half a minute."""
    if url.startswith("unix:"):
        return {}
    wanted = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
    options = {getattr(socket, name): value for name, value in wanted.items() if hasattr(socket, name)}
    return {"socket_keepalive": True, "socket_keepalive_options": options}
