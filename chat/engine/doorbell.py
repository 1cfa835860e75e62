"""Tells runners that there is something to claim or to stop: this process's at once, others over Valkey.

A lost ring costs a second: runners look by themselves as well.
"""

import logging
from collections.abc import Callable
from functools import cache

import redis
from django.conf import settings

log = logging.getLogger("countersign.doorbell")

_local: Callable[[], None] | None = None


def use(local: Callable[[], None] | None) -> None:
    """Makes the runner of this process hear the bell; `local` is called from any thread."""
    global _local
    _local = local


def channel() -> str:
    return f"{settings.REDIS_PREFIX}:runs"


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.5, socket_connect_timeout=0.5)


def ring() -> None:
    if _local is not None:
        _local()
    try:
        _client().publish(channel(), "")
    except redis.RedisError as error:
        log.warning("runners elsewhere not told: %s", type(error).__name__)
