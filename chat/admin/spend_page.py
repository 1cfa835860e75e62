"""The page of what is spent, for superusers and admins of workspaces, and its figures as a file for spreadsheets."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from chat.admin import charts, figures, price_sources, spend
from chat.concurrency.database import in_tool_thread
from chat.models import ModelCall, Purpose
from graphs.admin.audit import auditable, may_audit
from graphs.models import Workspace

DEFAULT = "30"
#: Days that one page shows at most.
LONGEST = 366
#: Spreadsheets take what begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class SpendFilter:
    """`period` is one of the choices, "" where two days were given; `problem` says why they were not taken."""

    workspace: Workspace | None
    period: str
    first: date
    last: date
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a table; `bar` is its share of all that was spent."""

    name: str
    calls: str
    tokens: str
    cost: str
    bar: SafeString


def page(request: HttpRequest, site: Mapping[str, Any]) -> HttpResponse:
    """What was spent in a workspace, or in all that the person may audit."""
    wanted = _wanted(request)
    calls = _calls(request, wanted)
    total = spend.total(calls)
    query = {"from": wanted.first.isoformat(), "to": wanted.last.isoformat()}
    if wanted.workspace:
        query["workspace"] = wanted.workspace.slug
    context = {
        **site,
        "title": _("What is spent"),
        "opts": ModelCall._meta,
        "wanted": wanted,
        "workspaces": auditable(request).order_by("name", "pk"),
        "periods": _periods(),
        "total": _line(total, total),
        "any": total.calls > 0,
        "unpriced": figures.number(total.unpriced) if total.unpriced else "",
        "chart": _chart(calls, wanted),
        "tables": _tables(calls, total) if total.calls else (),
        "csv": reverse("admin:chat_spend_csv", query=query),
    }
    return render(request, "admin/chat/modelcall/spend.html", context)


def csv_file(request: HttpRequest, _site: Mapping[str, Any]) -> HttpResponseBase:
    """One line for each day, person, model, purpose and object; no more than a day of them is in memory."""
    wanted = _wanted(request)
    if wanted.problem:
        return HttpResponse(wanted.problem, status=400, content_type="text/plain; charset=utf-8")
    name = f"spend-{wanted.first}-{wanted.last}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    parts = _csv_by_day(_calls(request, wanted), spend.days(wanted.first, wanted.last))
    return StreamingHttpResponse(parts, content_type="text/csv; charset=utf-8", headers=headers)


async def _csv_by_day(calls: QuerySet[ModelCall], days: Iterable[date]) -> AsyncIterator[str]:
    yield _as_csv([spend.table_head()])
    for day in days:
        if rows := await in_tool_thread(spend.table_of, calls, day):
            yield _as_csv(rows)


def _as_csv(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """Amounts in digits alone, never as 0E-8; no text that a spreadsheet would work out."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _wanted(request: HttpRequest) -> SpendFilter:
    """What the address asks for. Raises 404 for a workspace that is not there, or not for this person."""
    if not may_audit(request):
        raise PermissionDenied
    slug = request.GET.get("workspace")
    workspace = auditable(request).filter(slug=slug).first() if slug else None
    if slug and workspace is None:
        raise Http404
    today = timezone.localdate()
    if request.GET.get("from") or request.GET.get("to"):
        days = _days(request.GET.get("from", ""), request.GET.get("to", ""), today)
        if days is not None:
            return SpendFilter(workspace, "", *days)
        problem = _("Give two days, the first one not after the last, at most a year apart.")
        return SpendFilter(workspace, DEFAULT, today - timedelta(days=int(DEFAULT) - 1), today, problem)
    period = request.GET.get("period", DEFAULT)
    if period not in _periods():
        period = DEFAULT
    month = today.replace(day=1)
    match period:
        case "month":
            return SpendFilter(workspace, period, month, today)
        case "before":
            last = month - timedelta(days=1)
            return SpendFilter(workspace, period, last.replace(day=1), last)
        case _:
            return SpendFilter(workspace, period, today - timedelta(days=int(period) - 1), today)


def _days(first: str, last: str, today: date) -> tuple[date, date] | None:
    try:
        begin, end = date.fromisoformat(first), date.fromisoformat(last) if last else today
    except ValueError:
        return None
    too_late = end > date.max - timedelta(days=2)
    return None if too_late or not 0 <= (end - begin).days < LONGEST else (begin, end)


def _periods() -> dict[str, str]:
    return {
        "7": _("7 days"),
        "30": _("30 days"),
        "90": _("90 days"),
        "month": _("this month"),
        "before": _("last month"),
    }


def _calls(request: HttpRequest, wanted: SpendFilter) -> QuerySet[ModelCall]:
    workspaces: Any = [wanted.workspace] if wanted.workspace else auditable(request)
    return spend.calls_of(ModelCall.objects.filter(workspace__in=workspaces), wanted.first, wanted.last)


def _chart(calls: QuerySet[ModelCall], wanted: SpendFilter) -> SafeString:
    """Dollars by day; tokens where nothing that was called has a price."""
    days = spend.by_day(calls, wanted.first, wanted.last)
    in_dollars = any(spent.cost for _day, spent in days)

    def said(spent: spend.Spent) -> str:
        tokens = _("%(count)s tokens") % {"count": figures.number(spent.tokens)}
        return f"{figures.money(spent.cost)} · {tokens}" if in_dollars else tokens

    bars = [
        charts.Bar(
            label=date_format(day, "MONTH_DAY_FORMAT"),
            value=float(spent.cost) if in_dollars else spent.tokens,
            text=f"{date_format(day, 'DATE_FORMAT')}: {said(spent)}",
        )
        for day, spent in days
    ]
    highest = max((spent for _day, spent in days), key=lambda spent: (spent.cost, spent.tokens))
    most = figures.money(highest.cost) if in_dollars else said(highest)
    return charts.columns(bars, most, _("Spent by day"))


def _tables(calls: QuerySet[ModelCall], total: spend.Spent) -> list[tuple[str, list[Line]]]:
    purposes = {str(value): str(label) for value, label in Purpose.choices}
    sources = price_sources.in_words(filter(None, calls.values_list("price_source", flat=True).distinct()))
    wanted: tuple[tuple[str, tuple[str, ...], str, dict[str, str]], ...] = (
        (_("By person"), ("user__username",), _("nobody in particular"), {}),
        (_("By model"), ("provider", "model"), "", {}),
        (_("By object"), ("object",), _("no object"), {}),
        (_("By purpose"), ("purpose",), "", purposes),
        (_("By price"), ("price_source",), _("no price, or one that was not recorded"), sources),
    )
    return [(title, _lines(calls, fields, total, empty, names)) for title, fields, empty, names in wanted]


def _lines(
    calls: QuerySet[ModelCall], fields: Sequence[str], total: spend.Spent, empty: str, names: Mapping[str, str]
) -> list[Line]:
    dearest, others = spend.by(calls, *fields)
    lines = [_line(spent, total, names.get(spent.name, spent.name) or empty) for spent in dearest]
    return [*lines, _line(others, total, _("all others"))] if others else lines


def _line(spent: spend.Spent, total: spend.Spent, name: str = "") -> Line:
    part = spent.cost / total.cost if total.cost else spent.tokens / (total.tokens or 1)
    return Line(
        name=name,
        calls=figures.number(spent.calls),
        tokens=figures.number(spent.tokens),
        cost=figures.NOTHING if spent.unpriced == spent.tokens and spent.tokens else figures.money(spent.cost),
        bar=charts.share(float(part), name=f"{float(part):.0%}"),
    )
