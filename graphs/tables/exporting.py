"""Objects of a kind as a file: CSV, XLSX or JSON, written batch by batch into a file on the disk."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Literal

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import parent_of, ref_of, unseen
from graphs.objects.kinds import Kind
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.site.api.paging import page_of
from graphs.site.temporary_files import written
from graphs.tables import csv_files
from graphs.tables.cells import is_text, text_of
from graphs.tables.columns import PARENT, heads_of, own_fields

Format = Literal["csv", "xlsx", "json"]
#: Rows that are in memory at the same time.
BATCH = 500
#: What a sheet and a cell of a spreadsheet hold.
MOST_SHEET_ROWS = 1_048_575
MOST_CELL_CHARS = 32_767


@dataclass(frozen=True, slots=True)
class Exported:
    """One object, with those of its values that the person may see."""

    key: str
    record: Record


def export(member: Member, kind: Kind, rows: QuerySet[Any], ordering: Sequence[str], format_: Format) -> IO[bytes]:
    """An open file with the rows, from its beginning. Raises `ChangeRefused` for what the format cannot hold."""
    return written(lambda file: _WRITERS[format_](kind, _objects(member, kind, rows, ordering), file))


def _objects(member: Member, kind: Kind, rows: QuerySet[Any], ordering: Sequence[str]) -> Iterator[Exported]:
    cursor: str | None = None
    while True:
        page = page_of(rows, ordering, cursor, BATCH)
        yield from _shown(member, kind, page.rows)
        if (cursor := page.next) is None:
            return


def _shown(member: Member, kind: Kind, rows: Sequence[Model]) -> Iterator[Exported]:
    """The rows; a parent that the person may not see is none."""
    holder = parent_of(kind)
    records = [(ref_of(kind, row).key, record_of(kind, row)) for row in rows]
    named = {Ref(holder.name, record[PARENT]) for _key, record in records if record.get(PARENT)} if holder else set()
    hidden = {ref.key for ref in unseen(member, named)} if named else set()
    for key, record in records:
        yield Exported(key, record | {PARENT: None} if record.get(PARENT) in hidden else record)


def _cells(kind: Kind, each: Exported) -> list[tuple[str, bool]]:
    """The texts of the cells, each with whether it is a text and no number."""
    parent = [(each.record.get(PARENT) or "", True)] if kind.parent else []
    fields = [(field, text_of(kind, field, each.record[field.name])) for field in own_fields(kind)]
    return [(each.key, True), *parent, *((text, is_text(field, text)) for field, text in fields)]


def _write_csv(kind: Kind, objects: Iterator[Exported], file: IO[bytes]) -> None:
    file.write(csv_files.line(heads_of(kind)).encode("utf-8-sig"))  # a spreadsheet takes it for another text else
    for each in objects:
        cells = [csv_files.escaped(text) if plain else text for text, plain in _cells(kind, each)]
        file.write(csv_files.line(cells).encode())


def _write_xlsx(kind: Kind, objects: Iterator[Exported], file: IO[bytes]) -> None:
    from xlsxwriter import Workbook  # 2 MB that most processes never need

    # In this mode a row is written as soon as the next one begins, and none is in memory.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with Workbook(file, options) as book:
        sheet = book.add_worksheet()
        as_text = book.add_format({"num_format": "@", "quote_prefix": True})
        for place, head in enumerate(heads_of(kind)):
            sheet.write_string(0, place, head)
        for number, each in enumerate(objects, start=1):
            if number > MOST_SHEET_ROWS:
                message = _("A spreadsheet holds {most} objects. Export them as CSV.")
                raise ChangeRefused(message.format(most=intcomma(MOST_SHEET_ROWS)))
            for place, (text, plain) in enumerate(_cells(kind, each)):
                if len(text) > MOST_CELL_CHARS or _NO_XML.search(text):
                    raise _no_cell(kind, each, place)
                if not plain and _is_exact(text):
                    sheet.write_number(number, place, float(text))
                elif text:
                    sheet.write_string(number, place, text, as_text if text.startswith(_RISKY) else None)


_RISKY = tuple(csv_files.FORMULA)
#: What XML has not, nor the escapes of spreadsheets as they are read again.
_NO_XML = re.compile("[\ufffe\uffff]")


def _is_exact(text: str) -> bool:
    """Whether a spreadsheet keeps the number as it is: it has sixteen digits, and no truth values of ours."""
    try:
        return float(f"{float(text):.15G}") == float(text) and repr(float(text)) != "inf"
    except ValueError:
        return False


def _no_cell(kind: Kind, each: Exported, place: int) -> ChangeRefused:
    message = _(
        "{field} of {object} is longer than the {most} characters of a cell, or has one that no cell holds. "
        "Export it as CSV or JSON."
    )
    named = {"field": heads_of(kind)[place], "object": Ref(kind.name, each.key)}
    return ChangeRefused(message.format(most=intcomma(MOST_CELL_CHARS), **named))


def _write_json(kind: Kind, objects: Iterator[Exported], file: IO[bytes]) -> None:
    before = b"["
    for each in objects:
        shown: dict[str, Any] = {"type": kind.name, "id": each.key, "title": kind.name_of(each.record) or each.key}
        if kind.parent:
            shown["parent"] = each.record[PARENT]
        shown["fields"] = {field.name: each.record[field.name] for field in own_fields(kind)}
        file.write(before + b"\n" + json.dumps(shown, ensure_ascii=False).encode())
        before = b","
    file.write(b"\n]\n" if before == b"," else b"[]\n")


_WRITERS: dict[Format, Callable[[Kind, Iterator[Exported], IO[bytes]], None]] = {
    "csv": _write_csv,
    "xlsx": _write_xlsx,
    "json": _write_json,
}
