"""CSV: bytes of any of the usual encodings and separators to a table, and lines of it.

A text that a spreadsheet would work out gets an apostrophe in front, which is taken away again: `'=1+1` is `=1+1`.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.site.json_values import MAX_JSON_CHARS
from graphs.tables.table import Table, TableRefused, refuse_big, table_of

DELIMITERS = (",", ";", "\t")
#: What a spreadsheet takes for the beginning of a formula.
FORMULA = "=+-@\t\r"
_ESCAPABLE = re.compile(rf"'*[{re.escape(FORMULA)}]")
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(data: bytes, is_known: Callable[[str], bool]) -> Table:
    """The table of a file; the separator is the one by which most heads are known. Raises `TableRefused`."""
    refuse_big(len(data))
    text = _decoded(data)
    delimiter = max(DELIMITERS, key=lambda each: _known_heads(text, each, is_known))
    return table_of(_lines(text, delimiter), decimal_comma=delimiter != ",")


def line(cells: Iterable[str]) -> str:
    """One line of a file that `read` reads back."""
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()


def escaped(text: str) -> str:
    """The text as it is written, so that no spreadsheet works it out."""
    return f"'{text}" if _ESCAPABLE.match(text) else text


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode(data, encoding)
    if b"\x00" in data[:4]:  # no text of other encodings begins so
        return _decode(data, "utf-16-be" if data[:1] == b"\x00" else "utf-16-le")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode(data, "cp1252")


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        message = _("The file is no text in UTF-8, UTF-16 or Windows-1252, and no spreadsheet (XLSX).")
        raise TableRefused("encoding", message) from error


def _known_heads(text: str, delimiter: str, is_known: Callable[[str], bool]) -> tuple[int, int]:
    """How many heads are known with this separator, and how many there are."""
    heads = next(_lines(text[:100_000], delimiter, strict=False), [])
    return sum(is_known(head.strip()) for head in heads), len(heads)


def _lines(text: str, delimiter: str, *, strict: bool = True) -> Iterator[Sequence[str]]:
    """The lines with their cells. Raises `TableRefused`."""
    csv.field_size_limit(MAX_JSON_CHARS + 2)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    number = 0
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise TableRefused("no_csv", _reason(str(error)), number) from error
        yield [_unescaped(cell) for cell in cells]


def _reason(said: str) -> str:
    """What the library says of a line, for people."""
    if "unexpected end" in said:
        return _("A cell begins with a quotation mark that nothing ends. Within a cell it is written twice.")
    if "expected after" in said:
        return _("A quotation mark ends a cell and more of it follows. Within a cell it is written twice.")
    if "field larger" in said:
        return _("A cell is longer than {most} characters.").format(most=intcomma(MAX_JSON_CHARS))
    return _("This row is no CSV.")


def _unescaped(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _ESCAPABLE.match(cell) else cell
