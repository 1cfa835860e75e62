"""When a budget begins anew. Days and months are those of the site's time zone."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone

from chat.models import BudgetPeriod

#: When the one period of a budget that never begins anew began.
EVER = date(1970, 1, 1)


def starts_on(period: str, today: date) -> date:
    if period == BudgetPeriod.DAY:
        return today
    return today.replace(day=1) if period == BudgetPeriod.MONTH else EVER


def ends_at(period: str, start: date) -> datetime | None:
    """The moment from which the next period counts; None if there is none."""
    if period == BudgetPeriod.DAY:
        return midnight(start + timedelta(days=1))
    return midnight((start + timedelta(days=32)).replace(day=1)) if period == BudgetPeriod.MONTH else None


def midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
