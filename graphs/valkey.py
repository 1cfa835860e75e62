"""The way to Valkey. It is asked for what may be missing: whoever gets no answer soon goes on without it."""

import socket
from functools import lru_cache
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

#: Who does not answer for so long counts as away.
PATIENCE_S = 0.5
_PATIENT: dict[str, Any] = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}


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


def subscriber() -> redis.asyncio.Redis:
    """The same for who listens, however long it is silent; a dead network is noticed in half a minute."""
    return redis.asyncio.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=PATIENCE_S, **_kept_alive(settings.REDIS_URL)
    )


def _kept_alive(url: str) -> dict[str, Any]:
    if url.startswith("unix:"):
        return {}
    wanted = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
    options = {getattr(socket, name): value for name, value in wanted.items() if hasattr(socket, name)}
    return {"socket_keepalive": True, "socket_keepalive_options": options}
