"""Limits how often somebody may do something, on the shared Valkey; without it each process does so by itself."""

import hashlib
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis.exceptions import RedisError

from graphs.site import valkey
from graphs.site.api.local_limits import LocalLimits
from graphs.site.api.problems import Problem

logger = logging.getLogger("countersign.limits")

_here = LocalLimits()
_SAID: dict[str, Callable[[], str]] = {
    "": lambda: _("Too many attempts."),
    "messages": lambda: _("Too many messages."),
    "changes": lambda: _("Too many changes."),
    "imports": lambda: _("Too many imports."),
    "rollbacks": lambda: _("Too many rollbacks and previews of them."),
    "writes": lambda: _("Too many requests."),
}
PERIODS = {"s": 1, "min": 60, "hour": 3600}

#: Takes one of ARGV[2] slots in the last ARGV[1] microseconds. Answers 0, or the microseconds until one is free.
_TAKE = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local period, count = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - period)
if redis.call('ZCARD', KEYS[1]) >= count then
  return redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] + period - now
end
redis.call('ZADD', KEYS[1], now, string.format('%.0f', now) .. ':' .. redis.call('INCR', KEYS[1] .. ':n'))
redis.call('PEXPIRE', KEYS[1], math.ceil(period / 1000))
redis.call('PEXPIRE', KEYS[1] .. ':n', math.ceil(period / 1000))
return 0
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """A limit of `count` times in `period` seconds."""

    count: int
    period: int

    @classmethod
    def parse(cls, text: str) -> "Rate":
        """ "10/min" -> Rate(10, 60); the period is one of s, min, hour."""
        count, _slash, period = text.partition("/")
        return cls(int(count), PERIODS[period])


def take(what: str, who: str, rate: str) -> float:
    """Counts one use by `who` and returns 0. Beyond the rate it counts nothing and returns the seconds to wait."""
    limit = Rate.parse(rate)
    name = hashlib.sha256(who.encode()).hexdigest()[:32]
    key = f"{settings.REDIS_PREFIX}:limit:{what}:{{{name}}}"
    try:
        with valkey.asked() as client:
            return float(client.eval(_TAKE, 1, key, limit.period * 1_000_000, limit.count)) / 1e6
    except RedisError as error:
        logger.warning("Valkey does not answer; each process limits %s by itself: %s", what, type(error).__name__)
        return _here.take(key, limit.count, limit.period)


def require(what: str, who: str, rate: str) -> None:
    """Counts one use; raises `Problem` 429 with Retry-After if it was one too many."""
    if wait := take(what, who, rate):
        raise throttled(wait, what)


def throttled(wait: float, what: str = "") -> Problem:
    """The refusal of who has to wait so many seconds."""
    return Problem(429, "throttled", too_often(wait, what), headers={"Retry-After": retry_after(wait)})


def retry_after(wait: float) -> str:
    """How long to wait, as the header of an answer 429 says it."""
    return str(math.ceil(wait))


def too_often(wait: float, what: str = "") -> str:
    """The sentence that says of what there was too much, without `what` attempts, and how long to wait."""
    seconds = math.ceil(wait)
    again = ngettext("Try again in %(seconds)s second.", "Try again in %(seconds)s seconds.", seconds)
    return f"{_SAID.get(what, _SAID[''])()} {again % {'seconds': intcomma(seconds)}}"
