"""Tokens, money and time as the audit shows them."""

from datetime import timedelta
from decimal import Decimal

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import number_format
from django.utils.translation import gettext as _

NOTHING = "—"


def tokens(count: int) -> str:
    return intcomma(count)


def money(cost: float | Decimal | None) -> str:
    """US dollars; a dash where no price is known."""
    return NOTHING if cost is None else f"{number_format(cost, decimal_pos=4)} $"


def duration(time: timedelta | None) -> str:
    """In the unit that fits: milliseconds up to a second, then seconds, minutes, hours."""
    if time is None:
        return NOTHING
    seconds = time.total_seconds()
    if seconds < 1:
        return _("%(count)s ms") % {"count": round(seconds * 1000)}
    if seconds < 60:
        return _("%(count)s s") % {"count": number_format(seconds, decimal_pos=1)}
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest}
    return _("%(hours)s h %(minutes)s min") % {"hours": intcomma(minutes // 60), "minutes": minutes % 60}
