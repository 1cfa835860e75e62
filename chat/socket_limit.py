"""How many sockets a person has open, counted on Valkey for all processes. Without Valkey nobody is refused."""

import asyncio
import logging
import time
from functools import cache

import redis
from django.conf import settings

log = logging.getLogger("countersign.socket")

#: A socket whose process died without releasing it counts no longer than this.
FORGET_AFTER_S = 3600


async def take(user_id: int, socket_id: str) -> bool:
    """Counts a socket of the person; False when they have as many as they may."""
    return await asyncio.to_thread(_take, user_id, socket_id)


async def release(user_id: int, socket_id: str) -> None:
    await asyncio.to_thread(_release, user_id, socket_id)


@cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)


def _key(user_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:sockets:{user_id}"


def _take(user_id: int, socket_id: str) -> bool:
    now = time.time()
    try:
        pipeline = _client().pipeline()
        pipeline.zremrangebyscore(_key(user_id), "-inf", now - FORGET_AFTER_S)
        pipeline.zadd(_key(user_id), {socket_id: now})
        pipeline.zrank(_key(user_id), socket_id)
        pipeline.expire(_key(user_id), FORGET_AFTER_S)
        rank = pipeline.execute()[2]
    except redis.RedisError as error:
        log.warning("sockets not counted: %s", type(error).__name__)
        return True
    if rank < settings.LIMIT_SOCKETS:
        return True
    _release(user_id, socket_id)
    return False


def _release(user_id: int, socket_id: str) -> None:
    try:
        _client().zrem(_key(user_id), socket_id)
    except redis.RedisError as error:
        log.warning("socket not uncounted: %s", type(error).__name__)
