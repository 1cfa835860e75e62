"""How many connections a person has open, sockets and server-sent events, counted on Valkey for all processes.

One counts while its process keeps saying that it is open, so that those of a dead process are soon forgotten. Without
Valkey nobody is refused.
"""

import asyncio
import logging
from collections.abc import Iterable

import redis
from django.conf import settings

from graphs import valkey

log = logging.getLogger("countersign.socket")

#: A socket nobody renewed for so long is gone with its process.
FORGET_AFTER_S = 10

#: Says that socket ARGV[1] is open, by Valkey's clock, which all hosts share. ARGV[2] seconds later it is forgotten.
_RENEW = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], 2 * ARGV[2])
"""
#: The same for a new socket, where fewer than ARGV[3] are open: answers 1, else 0.
_TAKE = (
    _RENEW
    + """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if redis.call('ZCARD', KEYS[1]) <= tonumber(ARGV[3]) then
  return 1
end
redis.call('ZREM', KEYS[1], ARGV[1])
return 0
"""
)


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
    try:
        with valkey.asked() as client:
            return bool(client.eval(_TAKE, 1, _key(user_id), socket_id, FORGET_AFTER_S, settings.LIMIT_SOCKETS))
    except redis.RedisError as error:
        log.warning("sockets not counted: %s", type(error).__name__)
        return True


def _renew(sockets: list[tuple[int, str]]) -> None:
    try:
        with valkey.asked() as client:
            pipeline = client.pipeline(transaction=False)
            for user_id, socket_id in sockets:
                pipeline.eval(_RENEW, 1, _key(user_id), socket_id, FORGET_AFTER_S)
            pipeline.execute()
    except redis.RedisError as error:
        log.warning("sockets not counted: %s", type(error).__name__)


def _release(user_id: int, socket_id: str) -> None:
    try:
        with valkey.asked() as client:
            client.zrem(_key(user_id), socket_id)
    except redis.RedisError as error:
        log.warning("socket not uncounted: %s", type(error).__name__)
