"""Rows of a list of records as HTML, put together here: in a template, fifty take longer than all else of the page."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape

from django.contrib.humanize.templatetags.humanize import intcomma, naturaltime
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from graphs.models.records import Status
from graphs.records.listing import ListedRecord

_ROW = """<tr>
  {choice}
  <th scope="row"><a class="row-link" href="{url}{here}">{name}</a>{badge}</th>
  {holder}{held}
  <td>{status}</td>
  <td class="when">{changed}</td>
</tr>
"""
_CHOICE = '<td class="choice"><input type="checkbox" name="record" value="{}" aria-label="{}"></td>'
_BADGE = (
    ' <span class="badge" title="{0}"><span aria-hidden="true">{1}</span>'
    '<span class="visually-hidden">{0}</span></span>'
)
_HOLDER = '<td class="holder"><a href="{}{}">{}</a></td>'
_STATUS = '<span class="status" data-status="{}">{}</span>'
_MOMENT = '<time datetime="{}" title="{}">{}</time>'


def rows_of(
    records: Sequence[ListedRecord], conversations: Mapping[str, int], here: str, *, may_choose: bool, are_held: bool
) -> SafeString:
    """The rows of a table. Addresses end with `here`; `conversations` are counted by key.

    Who `may_choose` gets boxes to choose by. Where records `are_held`, a column tells what holds them.
    """
    choose = _("Choose %(name)s")
    statuses = {status.value: format_html(_STATUS, status.value, capfirst(status.label)) for status in Status}
    holders, moments = _holders(records, here) if are_held else {}, _moments(records)
    # What differs from row to row is escaped here: to go through `format_html` takes longer than all else of a row.
    rows = (
        _ROW.format(
            choice=_CHOICE.format(escape(record.key), escape(choose % {"name": record.name})) if may_choose else "",
            url=escape(record.url),
            here=escape(here),
            name=escape(record.name),
            badge=_badge(conversations[record.key]) if conversations.get(record.key) else "",
            holder=holders.get(record.holder_url, ""),
            held=_held(record) if record.held else "",
            status=statuses.get(record.status) or format_html(_STATUS, record.status, record.status),
            changed=moments[_second(record)],
        )
        for record in records
    )
    return SafeString("".join(rows))


def _badge(count: int) -> SafeString:
    """How many conversations of the reader are about a record."""
    told = ngettext("%(n)s conversation of yours", "%(n)s conversations of yours", count) % {"n": intcomma(count)}
    return format_html(_BADGE, told, intcomma(count))


def _holders(records: Sequence[ListedRecord], here: str) -> dict[str, SafeString]:
    """The cells that tell what holds records, by its address: many have the same."""
    named = {record.holder_url: record.holder for record in records}
    return {
        url: format_html(_HOLDER, url, here, name) if name else SafeString('<td class="holder"></td>')
        for url, name in named.items()
    }


def _held(record: ListedRecord) -> SafeString:
    cells = ((called, intcomma(count)) for called, count in record.held)
    return format_html_join("", '<td class="number" data-label="{}">{}</td>', cells)


def _moments(records: Sequence[ListedRecord]) -> dict[datetime, SafeString]:
    """The moments of the last changes, by second: what was made together was so in few, and to write one takes long."""
    seconds = {_second(record) for record in records}
    minutes = {second.replace(second=0) for second in seconds}
    written = {minute: date_format(localtime(minute), "DATETIME_FORMAT") for minute in minutes}
    return {
        second: format_html(
            _MOMENT, localtime(second).isoformat(), written[second.replace(second=0)], naturaltime(second)
        )
        for second in seconds
    }


def _second(record: ListedRecord) -> datetime:
    return record.changed.replace(microsecond=0)
