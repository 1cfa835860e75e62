"""Tells runners here and, over Valkey, elsewhere what to claim or stop; they look every second by themselves."""

import logging
import uuid
from typing import Protocol

import redis
from django.conf import settings

from chat.engine.claims import ClaimedRun
from graphs.site import valkey

log = logging.getLogger("countersign.doorbell")


class LocalRunner(Protocol):
    """The runner of this process, as seen from any of its threads."""

    process_id: uuid.UUID

    def takes(self, session_id: uuid.UUID) -> bool:
        """Whether it drives runs of this session and has room for one more."""

    def adopt(self, run: ClaimedRun) -> None:
        """Drives a run that was begun for it."""

    def ring(self) -> None:
        """Says that there is something to claim or to stop."""


#: None in a process that drives no runs.
local: LocalRunner | None = None


def use(runner: LocalRunner | None) -> None:
    """Makes the runner of this process hear the bell; None when it stops."""
    global local
    local = runner


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
