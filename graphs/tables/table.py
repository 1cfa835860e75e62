"""A file as rows of texts, whatever its format, and the limits of all of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.site.json_values import MAX_JSON_CHARS, UNSTORABLE

MAX_ROWS = 5_000
MAX_COLUMNS = 200


class TableRefused(Exception):
    """The file cannot be read; `code` is for programs, the text for people. `row` and `column` say where, if known."""

    def __init__(self, code: str, message: str, row: int | None = None, column: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.row = row
        self.column = column


@dataclass(frozen=True, slots=True)
class Row:
    """`number` is the one that a spreadsheet shows: that of the heads is 1. One that is `refused` has empty cells."""

    number: int
    cells: tuple[str, ...]
    refused: TableRefused | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """`decimal_comma` says that numbers may have a comma, as where columns are not divided by it.

    `parent` is the key of what holds the new objects whose rows name nothing.
    """

    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    decimal_comma: bool = False
    parent: str = ""


def refuse_big(size: int) -> None:
    """Raises `TableRefused` for more bytes than are read here."""
    if size > settings.MAX_IMPORT_BYTES:
        message = _("The file has {size} bytes; at most {most} are read here.")
        raise TableRefused("too_big", message.format(size=intcomma(size), most=intcomma(settings.MAX_IMPORT_BYTES)))


def table_of(lines: Iterable[Sequence[str]], *, decimal_comma: bool = False) -> Table:
    """The table of a file's lines, of which the first one has the heads; empty lines are left out.

    Raises `TableRefused` for more than is read here.
    """
    numbered = enumerate(lines, start=1)
    first = next(numbered, None)
    heads = tuple(head.strip() for head in first[1]) if first else ()
    while heads and not heads[-1]:
        heads = heads[:-1]
    if not heads:
        raise TableRefused("empty", _("The file has no line with the names of columns."))
    if len(heads) > MAX_COLUMNS:
        message = _("The file has {count} columns; at most {most} are read here.")
        raise TableRefused("too_many_columns", message.format(count=intcomma(len(heads)), most=intcomma(MAX_COLUMNS)))
    rows: list[Row] = []
    for number, line in numbered:
        if not any(line):
            continue
        if len(rows) == MAX_ROWS:
            message = _("The file has more than {most} rows. Import it in parts.")
            raise TableRefused("too_many_rows", message.format(most=intcomma(MAX_ROWS)))
        rows.append(_row(number, line, heads))
    return Table(heads, tuple(rows), decimal_comma)


def _row(number: int, line: Sequence[str], heads: Sequence[str]) -> Row:
    try:
        return Row(number, _cells(number, line, heads))
    except TableRefused as refused:
        return Row(number, ("",) * len(heads), refused)


def _cells(number: int, line: Sequence[str], heads: Sequence[str]) -> tuple[str, ...]:
    """The cells below the heads. Raises `TableRefused`."""
    if any(line[len(heads) :]):
        raise TableRefused("no_head", _("This row has more cells than there are names of columns."), number)
    for head, cell in zip(heads, line, strict=False):
        if len(cell) > MAX_JSON_CHARS:
            message = _("This is longer than {most} characters.").format(most=intcomma(MAX_JSON_CHARS))
            raise TableRefused("too_long", message, number, head)
        if UNSTORABLE.search(cell):
            message = _("a NUL character or half of a surrogate pair cannot be stored")
            raise TableRefused("unstorable", message, number, head)
    return tuple(line[: len(heads)]) + ("",) * (len(heads) - len(line))
