"""Limits within one process, for as long as Valkey does not answer: n processes let through n times as many."""

import threading
import time
from collections import OrderedDict, deque

#: Names that are counted; of more the one that came least lately is forgotten.
MOST_NAMES = 10_000


class LocalLimits:
    """Uses of the last period by name."""

    def __init__(self) -> None:
        self._uses: OrderedDict[str, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str, count: int, period_s: float) -> float:
        """Counts one use and returns 0; beyond the count it counts nothing and returns the seconds to wait."""
        now = time.monotonic()
        with self._lock:
            uses = self._uses.setdefault(name, deque())
            self._uses.move_to_end(name)
            while uses and uses[0] <= now - period_s:
                uses.popleft()
            if len(uses) >= count:
                return uses[0] + period_s - now
            uses.append(now)
            if len(self._uses) > MOST_NAMES:
                self._uses.popitem(last=False)
        return 0.0
