"""The history of an object written as JSON, CSV or PDF: one row for each modification, the oldest first."""

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from graphs.history import queries
from graphs.history.searching import sides
from graphs.models import Modification, Object
from graphs.objects.refs import Ref
from graphs.pdf.blocks import Block, plain
from graphs.pdf.making import pdf
from graphs.site.temporary_files import written
from graphs.tables import csv_files

#: Formats of exports, with their media types.
FORMATS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "pdf": "application/pdf"}
#: Modifications that are in memory at the same time: a value may have a megabyte.
BATCH = 50
#: Characters of a value in a PDF, which is for reading; the other formats have all.
MOST_SHOWN = 5_000
HEADS = (
    *("version", "at", "who", "origin", "reason", "model", "promptVersion", "changeSet"),
    *("item", "action", "field", "old", "new"),
)


def write(of: Object, format_: str) -> IO[bytes]:
    """An open file with the history, from its beginning. Raises `NotMade` where there is no PDF."""
    if format_ == "pdf":
        title = _("History of %(object)s") % {"object": Ref(of.type, of.key)}
        return pdf(title, _blocks(_modifications(of)), get_language() or "en")
    parts = _json_parts(of) if format_ == "json" else _csv_parts(of)
    return written(lambda file: file.writelines(parts))


def _modifications(of: Object) -> Iterator[Modification]:
    """All of them, in their order; which they are is asked once, and what they say some at a time."""
    rows = queries.modifications_of(of)
    ids = list(rows.values_list("pk", flat=True))
    for begin in range(0, len(ids), BATCH):
        yield from rows.filter(pk__in=ids[begin : begin + BATCH])


def _record(each: Modification) -> dict[str, Any]:
    change_set = each.change_set
    values = (
        *(each.version, change_set.created_at.isoformat(), change_set.actor_label, change_set.origin),
        *(change_set.reason, change_set.model, change_set.prompt_version, str(change_set.pk)),
        *(str(Ref(each.kind, each.key)), each.action, each.field, *sides(each)),
    )
    return dict(zip(HEADS, values, strict=True))


def _json_parts(of: Object) -> Iterator[bytes]:
    head = {"object": Ref(of.type, of.key).to_json(), "version": of.version}
    yield (json.dumps(head, ensure_ascii=False)[:-1] + ', "modifications": [').encode()
    before = "\n"
    for each in _modifications(of):
        yield (before + json.dumps(_record(each), ensure_ascii=False)).encode()
        before = ",\n"
    yield b"\n]}\n"


def _csv_parts(of: Object) -> Iterator[bytes]:
    yield csv_files.line(HEADS).encode("utf-8-sig")  # a spreadsheet takes it for another text else
    for each in _modifications(of):
        yield csv_files.line(csv_files.escaped(_text(value)) for value in _record(each).values()).encode()


def _blocks(modifications: Iterable[Modification]) -> Iterator[Block]:
    shown = None
    for each in modifications:
        if shown != (shown := each.version):
            yield from plain("speaker", _head(each))
            if each.change_set.reason:
                yield from plain("quote", each.change_set.reason)
        what = [str(Ref(each.kind, each.key)), each.get_action_display(), each.field]
        yield from plain("note", " · ".join(filter(None, what)))
        for sign, value in zip("−+", sides(each), strict=True):
            if value not in (None, ""):
                yield from plain("text", f"{sign} {_shortened(_text(value))}")


def _head(each: Modification) -> str:
    made = each.change_set
    version = _("Version %(number)s") % {"number": each.version}
    when = date_format(localtime(made.created_at), "SHORT_DATETIME_FORMAT")
    return " · ".join(filter(None, [version, when, made.actor_label, made.get_origin_display(), made.model]))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
