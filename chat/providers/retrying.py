"""Makes a failed call again while nothing of it was shown. Wraps every provider that talks to a vendor."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from chat.providers.model_request import ModelRequest
from chat.providers.pieces import Piece, Retrying, UsageReport
from chat.providers.provider import Provider
from chat.providers.provider_error import ProviderError

MAX_ATTEMPTS = 3
FIRST_DELAY_S = 0.5
MAX_RETRY_AFTER_S = 60.0

log = logging.getLogger("countersign.providers")


class RetryingProvider:
    """Tries retryable failures again, `MAX_ATTEMPTS` in all, within one `total_timeout_s`; announces each."""

    def __init__(
        self,
        provider: Provider,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self.config = provider.config
        self._provider = provider
        self._sleep = sleep
        self._jitter = jitter

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        deadline = min(request.deadline, self._clock() + self.config.total_timeout_s)
        request = replace(request, deadline=deadline)
        for attempt in range(1, MAX_ATTEMPTS + 1):
            shown = False
            log.debug("%s: call %d of %s", self.config.name, attempt, request.model)
            try:
                async with aclosing(self._provider.stream(request)) as pieces:
                    async for piece in pieces:
                        shown = shown or not isinstance(piece, UsageReport)
                        yield piece
                return
            except ProviderError as error:
                delay_s = self._delay(error, attempt)
                if shown or delay_s is None or self._clock() + delay_s >= deadline:
                    raise
                failure = error
                log.warning("%s: call %d failed: %s: %s", self.config.name, attempt, error.code, error.detail)
            yield Retrying(attempt + 1, delay_s, failure)
            await self._sleep(delay_s)

    async def close(self) -> None:
        await self._provider.close()

    def _delay(self, error: ProviderError, attempt: int) -> float | None:
        """Seconds until the next attempt, or None where there is none."""
        if not error.retryable or attempt == MAX_ATTEMPTS:
            return None
        if error.retry_after is None:
            # With jitter of at most a half every pause is longer than the one before.
            return FIRST_DELAY_S * 2 ** (attempt - 1) * (1 + self._jitter() / 2)
        return error.retry_after if error.retry_after <= MAX_RETRY_AFTER_S else None
