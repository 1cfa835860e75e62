"""How fast one socket may speak: `LIMIT_FRAMES`, where a big frame counts as several, as reading it costs time."""

from django.conf import settings

from graphs.site.api.limits import Rate

#: A frame counts once for each of these characters it begins.
CHARS_PER_FRAME = 25_000
#: So many frames refused beyond those allowed meanwhile, and nobody listens any more.
MOST_REFUSED = 100


class Pace:
    """A bucket that holds a period's frames and fills evenly. Times are seconds of any clock that only goes forward."""

    __slots__ = ("_left", "_rate", "_refused", "_since")

    def __init__(self, now: float) -> None:
        self._rate = Rate.parse(settings.LIMIT_FRAMES)
        self._left = float(self._rate.count)
        self._refused = 0
        self._since = now

    def allows(self, chars: int, now: float) -> bool:
        """Counts a frame of this length; False, and not counted, when it comes too soon."""
        rate = self._rate
        self._left = min(rate.count, self._left + (now - self._since) * rate.count / rate.period)
        self._since = now
        cost = min(rate.count, 1 + chars // CHARS_PER_FRAME)
        if cost > self._left:
            self._refused += 1
            return False
        self._left -= cost
        self._refused = max(0, self._refused - 1)
        return True

    @property
    def is_flood(self) -> bool:
        """Whether the client goes on sending faster than allowed though it was refused."""
        return self._refused >= MOST_REFUSED
