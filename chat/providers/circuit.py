"""A circuit breaker (Nygard, "Release It!") around every call: leaves a vendor that fails again and again alone."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chat.providers.provider_error import ProviderError
from graphs.site.vendor_errors import ErrorCode

#: Calls in a row, each of them with its own repeated attempts.
FAILURES = 10
PAUSE_S = 30.0


class CircuitOpen(ProviderError):
    """The vendor was not asked, as calls before failed with `code`. `retry_after`: when to ask again."""

    def __init__(self, code: ErrorCode, retry_after: float) -> None:
        super().__init__(code, f"not asked after {FAILURES} failures in a row", retryable=True, retry_after=retry_after)


class Circuit:
    """What one workspace has seen of one provider, in this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._asked_again_at = 0.0
        self._last_code: ErrorCode = "server_error"

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wraps one call: raises `CircuitOpen` instead of letting it begin, and counts how it ends."""
        trial = self._enter()
        try:
            yield
        except ProviderError as error:
            self._failures = self._failures + 1 if error.retryable else 0
            self._last_code = error.code
            self._asked_again_at = self._clock() + PAUSE_S
            raise
        except BaseException:  # Stopped, it shows nothing: the next one may try.
            if trial:
                self._asked_again_at = self._clock()
            raise
        self._failures = 0

    def _enter(self) -> bool:
        """True for the one call that tries while the others wait for what comes of it."""
        if self._failures < FAILURES:
            return False
        wait_s = self._asked_again_at - self._clock()
        if wait_s > 0:
            raise CircuitOpen(self._last_code, wait_s)
        self._asked_again_at = self._clock() + PAUSE_S
        return True
