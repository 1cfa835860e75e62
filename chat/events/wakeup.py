"""Waking readers: "stream N has events up to K". A wake-up may be lost; it carries no event.

In a web process the hub takes it and tells the other processes; elsewhere (Celery, commands) it is published at once.
"""

import logging
from collections.abc import Callable

import redis
from django.conf import settings

from graphs import valkey

log = logging.getLogger("countersign.wakeup")

#: Set by the hub of a web process: called from any thread with (stream id, last number).
_local: Callable[[int, int], None] | None = None


def use(local: Callable[[int, int], None] | None) -> None:
    """Makes a hub of this process take the wake-ups; None when it stops."""
    global _local
    _local = local


def channel() -> str:
    """The Valkey channel of stream wake-ups; a message is `id:number,id:number`."""
    return f"{settings.REDIS_PREFIX}:streams"


def announce(stream_id: int, last_sequence: int) -> None:
    """Wakes the stream's readers everywhere. Readers poll as well, so that a lost wake-up costs a second."""
    if _local is not None:
        _local(stream_id, last_sequence)
        return
    try:
        with valkey.asked() as client:
            client.publish(channel(), f"{stream_id}:{last_sequence}")
    except redis.RedisError as error:
        log.warning("wake-up not published: %s", type(error).__name__)
