"""Numbers, money and time as the audit shows them."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format, number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

NOTHING = "—"
number = intcomma


def money(cost: float | Decimal | None) -> str:
    """US dollars; a dash where no price is known."""
    if cost is None:
        return NOTHING
    return _("$%(amount)s") % {"amount": number_format(Decimal(f"{cost:.4f}"), decimal_pos=4)}


def duration(time: timedelta | None) -> str:
    """The time in the unit that fits: milliseconds up to a second, then seconds, minutes, hours."""
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


def moment(time: datetime) -> str:
    """Date and time as short as the language allows."""
    return date_format(localtime(time), "SHORT_DATETIME_FORMAT")
