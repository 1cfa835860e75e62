"""The limits of one call to a vendor: how long nothing may come, and how long it may take in all."""

import asyncio
import math
from collections.abc import Awaitable
from typing import TypeVar

from chat.providers.provider import ProviderConfig
from chat.providers.provider_error import ProviderError

T = TypeVar("T")


class Clock:
    """Limits the waits of one task, one wait at a time. A wait that is too long raises `TimeoutError`.

    One timer serves all waits: when it rings it looks whether the present one is too long. `asyncio.timeout` would
    start and cancel one for each chunk, which costs more than reading the chunk.
    """

    def __init__(self, config: ProviderConfig, deadline: float) -> None:
        """`deadline` in the loop's time; the call's own limit counts as well."""
        self._config = config
        self._loop = asyncio.get_running_loop()
        self._deadline = min(deadline, self._loop.time() + config.total_timeout_s)
        self._until = math.inf
        self._rings_at = math.inf
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._late = False

    async def wait(self, awaited: Awaitable[T], seconds: float = math.inf) -> T:
        """The result, unless it takes longer than `seconds`, the pause that is allowed, or what is left in all."""
        pause = min(seconds, self._config.idle_timeout_s)
        self._task = task = asyncio.current_task()
        assert task is not None
        cancelled_before = task.cancelling()
        self._until = min(self._loop.time() + pause, self._deadline)
        if self._until < self._rings_at:
            self._ring_at(self._until)
        try:
            return await awaited
        except asyncio.CancelledError:
            if self._late and task.uncancel() <= cancelled_before:
                raise TimeoutError from None
            raise
        finally:
            self._until = math.inf

    def _ring_at(self, when: float) -> None:
        self.close()
        self._rings_at = when
        self._timer = self._loop.call_at(when, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        if now >= self._until and self._task is not None:
            self._late = True
            self._rings_at = math.inf
            self._task.cancel()
        else:
            self._ring_at(min(self._until, now + self._config.idle_timeout_s))

    def close(self) -> None:
        """Stops the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def error(self) -> ProviderError:
        """The error that a wait which was too long amounts to."""
        if self._loop.time() >= self._deadline:
            limit = self._config.total_timeout_s
            return ProviderError("timeout", f"the answer took longer than {limit:g} s", billed=True)
        return ProviderError("timeout", f"nothing came for {self._config.idle_timeout_s:g} s", billed=True)
