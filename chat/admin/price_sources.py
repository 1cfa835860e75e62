"""Says in words where the price of a call is written, which calls keep as `Price.source`."""

from collections.abc import Iterable

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from chat.admin import figures
from chat.models import EnteredPrice


def in_words(sources: Iterable[str]) -> dict[str, str]:
    """The words for each source, in one statement for all that people entered."""
    parts = {source: source.partition(":") for source in sources}
    ids = {int(rest) for kind, _colon, rest in parts.values() if kind == "entered"}
    rows = EnteredPrice.objects.select_related("entered_by").in_bulk(ids) if ids else {}
    return {
        source: _entered(rows[int(rest)]) if kind == "entered" and int(rest) in rows else _written(kind, rest)
        for source, (kind, _colon, rest) in parts.items()
    }


def amounts(row: EnteredPrice) -> str:
    """ "0.5 · 0.1 · 1.5"."""
    return " · ".join(f"{float(each):g}" for each in (row.input, row.cached_input, row.output))


def _entered(row: EnteredPrice) -> str:
    facts = {
        "amounts": amounts(row),
        "person": row.entered_by.get_username() if row.entered_by else figures.NOTHING,
        "day": date_format(timezone.localtime(row.entered_at), "DATE_FORMAT"),
    }
    return _("%(amounts)s, entered by %(person)s on %(day)s") % facts


def _written(kind: str, name: str) -> str:
    match kind:
        case "table":
            return _("the site’s table of vendors")
        case "variable":
            return _("the variable %(name)s") % {"name": name}
        case _:
            return _("not recorded")
