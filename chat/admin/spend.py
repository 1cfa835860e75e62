"""What was spent in some days, added up: by day, person, model, object and purpose."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from chat.models import ModelCall
from chat.spending.uses import midnight

#: Lines of a table; what is below is one line more.
MOST = 12

_TOTALS: dict[str, Any] = {
    "calls": Count("pk"),
    "tokens": Coalesce(Sum(F("prompt_tokens") + F("completion_tokens")), 0),
    "spent": Sum("cost"),
    "unpriced": Coalesce(Sum(F("prompt_tokens") + F("completion_tokens"), filter=Q(cost=None)), 0),
}
_TABLE = (
    *("day", "workspace__slug", "user__username", "provider", "model", "purpose", "object"),
    *("calls", "prompt_tokens_sum", "cached_tokens_sum", "cache_write_tokens_sum", "completion_tokens_sum"),
    *("reasoning_tokens_sum", "spent", "unpriced"),
)


@dataclass(frozen=True, slots=True)
class Spent:
    """`cost` is in US dollars, of the calls that have a price; the others took `unpriced` tokens."""

    name: str
    calls: int
    tokens: int
    cost: Decimal
    unpriced: int


def calls_of(calls: QuerySet[ModelCall], first: date, last: date) -> QuerySet[ModelCall]:
    """The calls of these days, both included."""
    until = midnight(last + timedelta(days=1))
    return calls.filter(created_at__gte=midnight(first), created_at__lt=until).order_by()


def total(calls: QuerySet[ModelCall]) -> Spent:
    return _spent("", calls.aggregate(**_TOTALS))


def by_day(calls: QuerySet[ModelCall], first: date, last: date) -> list[tuple[date, Spent]]:
    """Every day, also those without a call."""
    rows = calls.annotate(day=TruncDate("created_at")).values("day").annotate(**_TOTALS)
    found: dict[date, dict[str, Any]] = {row["day"]: dict(row) for row in rows}
    nothing: dict[str, Any] = {"calls": 0, "tokens": 0, "spent": None, "unpriced": 0}
    return [(day, _spent(day.isoformat(), found.get(day, nothing))) for day in days(first, last)]


def days(first: date, last: date) -> list[date]:
    """The days from the first to the last, both included."""
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def by(calls: QuerySet[ModelCall], *fields: str) -> tuple[list[Spent], Spent | None]:
    """The dearest, and all others together."""
    rows = calls.values(*fields).annotate(**_TOTALS).order_by(F("spent").desc(nulls_last=True), "-tokens")
    found = [_spent(" · ".join(filter(None, (row[field] for field in fields))), row) for row in rows]
    rest = found[MOST:]
    if not rest:
        return found, None
    others = Spent(
        name="",
        calls=sum(each.calls for each in rest),
        tokens=sum(each.tokens for each in rest),
        cost=sum((each.cost for each in rest), Decimal(0)),
        unpriced=sum(each.unpriced for each in rest),
    )
    return found[:MOST], others


def table_head() -> list[str]:
    """The names of what stands in the rows of a spreadsheet."""
    return [name.partition("__")[0].removesuffix("_sum") for name in _TABLE]


def table_of(calls: QuerySet[ModelCall], day: date) -> list[list[Any]]:
    """The rows of one day."""
    sums = {f"{name.removesuffix('_sum')}_sum": Sum(name.removesuffix("_sum")) for name in _TABLE if "_sum" in name}
    groups = calls_of(calls, day, day).annotate(day=TruncDate("created_at")).values(*_TABLE[:7])
    rows = groups.annotate(**sums, calls=_TOTALS["calls"], spent=_TOTALS["spent"], unpriced=_TOTALS["unpriced"])
    return [[row[name] for name in _TABLE] for row in rows.order_by(*_TABLE[:7])]


def _spent(name: str, row: dict[str, Any]) -> Spent:
    return Spent(name, row["calls"], row["tokens"], row["spent"] or Decimal(0), row["unpriced"])
