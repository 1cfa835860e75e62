"""Counts the open connections of people and of unknown addresses on Valkey, each sort apart.

Those of dead processes are soon forgotten. While Valkey is away each process counts its own.
"""

import logging
import math
import threading
from collections.abc import Iterable
from dataclasses import dataclass

import redis
from django.conf import settings

from graphs.site import valkey

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
#: Does that for a new socket if fewer than ARGV[3] are open, and answers 1, else 0. Socket ARGV[4] of KEYS[2] goes.
_TAKE = (
    _RENEW
    + """
if KEYS[2] then
  redis.call('ZREM', KEYS[2], ARGV[4])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if redis.call('ZCARD', KEYS[1]) <= tonumber(ARGV[3]) then
  return 1
end
redis.call('ZREM', KEYS[1], ARGV[1])
return 0
"""
)


@dataclass(frozen=True, slots=True)
class Slot:
    """One connection of somebody, the id of a person or an address, of a sort that is counted by itself."""

    of: int | str
    id: str
    sort: str = "sockets"

    @property
    def key(self) -> str:
        """The key of the connections that are counted together."""
        return f"{settings.REDIS_PREFIX}:{self.sort}:{self.of}"


#: The open connections of this process, by key.
_here: dict[str, set[str]] = {}
_one_at_a_time = threading.Lock()


def take(slot: Slot, before: Slot | None = None) -> bool:
    """Counts a connection of a person; False when they have as many as they may. Not for the event loop.

    `before` is what it was counted as until now, and is no more.
    """
    return take_one_of(settings.LIMIT_SOCKETS, slot, before)


def take_one_of(most: int, slot: Slot, before: Slot | None = None) -> bool:
    """Counts a connection; False when `most` are open. Not for the event loop."""
    keys = [slot.key, *([before.key] if before else [])]
    values: list[str | int] = [slot.id, FORGET_AFTER_S, most, *([before.id] if before else [])]
    try:
        with valkey.asked() as client:
            is_taken = bool(client.eval(_TAKE, len(keys), *keys, *values))
    except redis.RedisError as error:
        log.warning("this process counts its sockets by itself: %s", type(error).__name__)
        return _keep(slot, most)
    return is_taken and _keep(slot)


def open_here(slot: Slot) -> int:
    """How many connections of this process count together with this one; also for the event loop."""
    with _one_at_a_time:
        return len(_here.get(slot.key, ()))


def _keep(slot: Slot, most: float = math.inf) -> bool:
    """Counts a connection of this process, unless it has as many of them already."""
    with _one_at_a_time:
        ids = _here.setdefault(slot.key, set())
        if len(ids) >= most:
            return False
        ids.add(slot.id)
        return True


def renew(slots: Iterable[Slot]) -> None:
    """Says that these are still open. Not for the event loop."""
    try:
        with valkey.asked() as client:
            pipeline = client.pipeline(transaction=False)
            for slot in slots:
                pipeline.eval(_RENEW, 1, slot.key, slot.id, FORGET_AFTER_S)
            pipeline.execute()
    except redis.RedisError as error:
        log.warning("sockets not counted: %s", type(error).__name__)


def forget_here(slot: Slot) -> None:
    """Counts a connection no more in this process; also for the event loop."""
    with _one_at_a_time:
        ids = _here.get(slot.key, set())
        ids.discard(slot.id)
        if not ids:
            _here.pop(slot.key, None)


def release(slot: Slot) -> None:
    """Counts a connection no more. Not for the event loop."""
    forget_here(slot)
    try:
        with valkey.asked() as client:
            client.zrem(slot.key, slot.id)
    except redis.RedisError as error:
        log.warning("socket not uncounted: %s", type(error).__name__)
