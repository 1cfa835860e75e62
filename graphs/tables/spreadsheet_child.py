"""A program of its own: reads a spreadsheet from stdin and writes its first sheet to stdout as JSON, within limits.

Formulas are not worked out: a cell has the value that was stored with it. Ends with 3 for more than is read, after a
line of JSON `{code, figures}`; with anything else but 0 where the file is none that can be read.
"""

import io
import json
import resource
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from typing import Any

MEMORY_BYTES = 1_000_000_000
CPU_S = 20
MAX_UNPACKED_BYTES = 200_000_000
#: So many times as large as it is packed a part may be: texts of people are 3 to 20 times.
MAX_RATIO = 200
#: Below this size a part may be packed as tightly as it will.
RATIO_FROM_BYTES = 1_000_000
TOO_MUCH = 3


def main(most_rows: int, most_columns: int, most_chars: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    data = sys.stdin.buffer.read()
    if problem := _bomb(data):
        return _too_much(problem)
    from python_calamine import CalamineWorkbook  # after the limits hold

    sheet = CalamineWorkbook.from_filelike(io.BytesIO(data)).get_sheet_by_index(0)
    if sheet.total_height > most_rows + 1:
        return _too_much("too_many_rows")
    if sheet.total_width > most_columns:
        return _too_much("too_many_columns")
    rows = [[_text(cell) for cell in row] for row in sheet.to_python(skip_empty_area=False)]
    if sum(len(cell) for row in rows for cell in row) > most_chars:
        return _too_much("too_big_unpacked")
    json.dump(rows, sys.stdout)
    return 0


def _bomb(data: bytes) -> str:
    """Why the archive is not unpacked; "" if it may be."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if sum(part.file_size for part in parts) > MAX_UNPACKED_BYTES:
        return "too_big_unpacked"
    if any(part.file_size > max(RATIO_FROM_BYTES, part.compress_size * MAX_RATIO) for part in parts):
        return "packed_too_tightly"
    return ""


def _too_much(code: str) -> int:
    print(json.dumps(code))  # noqa: T201 - this is how it answers
    return TOO_MUCH


def _text(cell: Any) -> str:
    """The value as people write it."""
    match cell:
        case bool():
            return "true" if cell else "false"
        case float() if cell.is_integer() and abs(cell) < 1e16:
            return str(int(cell))
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime() | date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
    return str(cell)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
