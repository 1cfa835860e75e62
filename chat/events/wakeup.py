"""Wakes readers of streams in all processes: by the hub in a web process, over Valkey elsewhere."""

import logging
from collections.abc import Callable, Sequence

import redis
from django.conf import settings

from chat.events.vocabulary import StoredEvent
from graphs.site import valkey

log = logging.getLogger("countersign.wakeup")

#: A hub's: called from any thread with a stream's id, its last number, and the events up to it that are at hand.
Local = Callable[[int, int, Sequence[StoredEvent]], object]

#: What takes the wake-ups of this process; None in one without a hub.
local: Local | None = None


def channel() -> str:
    """The Valkey channel of stream wake-ups; a message is `id:number,id:number`, or `joined` and who listens now."""
    return f"{settings.REDIS_PREFIX}:streams"


def wake_readers(stream_id: int, last_sequence: int, events: Sequence[StoredEvent] = ()) -> None:
    """Wakes the stream's readers everywhere; readers poll as well. `events` are committed and end at that number."""
    if local is not None:
        local(stream_id, last_sequence, events)
        return
    try:
        with valkey.asked() as client:
            client.publish(channel(), f"{stream_id}:{last_sequence}")
    except redis.RedisError as error:
        log.warning("wake-up not published: %s", type(error).__name__)
