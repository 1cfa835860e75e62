"""The way to Valkey. It is asked for what may be missing: whoever gets no answer soon goes on without it."""

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

log = logging.getLogger("countersign.valkey")

#: Who does not answer for so long counts as away.
PATIENCE_S = 0.5
#: For so long nobody waits for one that did not answer.
AWAY_S = 2.0
LISTEN_AGAIN_S = 1.0
_PATIENT: dict[str, Any] = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}

#: Until when each address counts as away.
_away: dict[str, float] = {}


class Away(redis.ConnectionError):
    """It did not answer somebody of this process a moment ago."""


@contextmanager
def asked() -> Iterator[redis.Redis]:
    """The client of who goes on without an answer: raises `Away` at once when somebody waited in vain a moment ago.

    Else all who ask at the same time would wait one after the other, as long as there are more of them than threads.
    """
    address = settings.REDIS_URL
    if time.monotonic() < _away.get(address, 0):
        raise Away("it did not answer a moment ago")
    try:
        yield client()
    except (redis.ConnectionError, redis.TimeoutError):
        _away[address] = time.monotonic() + AWAY_S
        raise


def client() -> redis.Redis:
    """One for all threads.

    Hold it while its pipeline works: of several that first callers build at once all but one are dropped, and a client
    that is dropped closes its connections.
    """
    return _client(settings.REDIS_URL)


@lru_cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, **_PATIENT)


def publisher() -> redis.asyncio.Redis:
    """For one event loop, which closes it."""
    return redis.asyncio.Redis.from_url(settings.REDIS_URL, **_PATIENT)


def _subscriber() -> redis.asyncio.Redis:
    """The same for who listens, however long it is silent; a dead network is noticed in half a minute."""
    return redis.asyncio.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=PATIENCE_S, **_kept_alive(settings.REDIS_URL)
    )


async def listen_forever(channel: str, hear: Callable[[bytes], None]) -> None:
    """Hands on what is said on a channel. What is said while Valkey is away is lost: who listens looks by itself."""
    client = _subscriber()
    try:
        while True:
            try:
                async with client.pubsub() as pubsub:
                    await pubsub.subscribe(channel)
                    async for message in pubsub.listen():
                        if message["type"] == "message":
                            hear(message["data"])
            except (redis.RedisError, OSError) as error:
                log.warning("%s not heard, trying again: %s", channel, type(error).__name__)
                await asyncio.sleep(LISTEN_AGAIN_S)
    finally:
        await client.aclose()


def _kept_alive(url: str) -> dict[str, Any]:
    if url.startswith("unix:"):
        return {}
    wanted = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
    options = {getattr(socket, name): value for name, value in wanted.items() if hasattr(socket, name)}
    return {"socket_keepalive": True, "socket_keepalive_options": options}
