"""How many sockets a person has open, counted on Valkey for all processes. Without Valkey nobody is refused.

A socket counts while its process keeps saying that it is open, so that those of a dead process are soon forgotten.
"""

import asyncio
import logging
import time
from collections.abc import Iterable

import redis
from django.conf import settings

from graphs import valkey

log = logging.getLogger("countersign.socket")

#: A socket nobody renewed for so long is gone with its process.
FORGET_AFTER_S = 10


async def take(user_id: int, socket_id: str) -> bool:
    """Counts a socket of the person; False when they have as many as they may."""
    return await asyncio.to_thread(_take, user_id, socket_id)


async def renew(sockets: Iterable[tuple[int, str]]) -> None:
    """Says that these (person, socket) are still open."""
    await asyncio.to_thread(_renew, list(sockets))


async def release(user_id: int, socket_id: str) -> None:
    await asyncio.to_thread(_release, user_id, socket_id)


def _key(user_id: int) -> str:
    return f"{settings.REDIS_PREFIX}:sockets:{user_id}"


def _take(user_id: int, socket_id: str) -> bool:
    now = time.time()
    try:
        client = valkey.client()
        pipeline = client.pipeline()
        pipeline.zremrangebyscore(_key(user_id), "-inf", now - FORGET_AFTER_S)
        pipeline.zadd(_key(user_id), {socket_id: now})
        pipeline.zcard(_key(user_id))
        pipeline.expire(_key(user_id), 2 * FORGET_AFTER_S)
        count = pipeline.execute()[2]
    except redis.RedisError as error:
        log.warning("sockets not counted: %s", type(error).__name__)
        return True
    if count <= settings.LIMIT_SOCKETS:
        return True
    _release(user_id, socket_id)
    return False


def _renew(sockets: list[tuple[int, str]]) -> None:
    now = time.time()
    try:
        client = valkey.client()
        pipeline = client.pipeline(transaction=False)
        for user_id, socket_id in sockets:
            pipeline.zadd(_key(user_id), {socket_id: now})
            pipeline.expire(_key(user_id), 2 * FORGET_AFTER_S)
        pipeline.execute()
    except redis.RedisError as error:
        log.warning("sockets not counted: %s", type(error).__name__)


def _release(user_id: int, socket_id: str) -> None:
    try:
        valkey.client().zrem(_key(user_id), socket_id)
    except redis.RedisError as error:
        log.warning("socket not uncounted: %s", type(error).__name__)
