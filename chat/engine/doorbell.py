"""Tells runners here and, over Valkey, elsewhere what to claim or stop; they look every second by themselves."""

import logging
from typing import TYPE_CHECKING

import redis
from django.conf import settings

from graphs.site import valkey

if TYPE_CHECKING:
    from chat.engine.runner import Runner

log = logging.getLogger("countersign.doorbell")


#: The runner of this process, which hears the bell from any of its threads; None in one that drives no runs.
local: "Runner | None" = None


def channel() -> str:
    return f"{settings.REDIS_PREFIX}:runs"


def ring() -> None:
    if local is not None:
        local.ring()
    try:
        with valkey.asked() as client:
            client.publish(channel(), "")
    except redis.RedisError as error:
        log.warning("runners elsewhere not told: %s", type(error).__name__)
