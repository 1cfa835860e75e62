"""Spreadsheets (XLSX), read by a process of its own: a file that is made to take all memory or time ends only that."""

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import BoundedSemaphore

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.tables.spreadsheet_child import MAX_RATIO, MAX_UNPACKED_BYTES, TOO_MUCH
from graphs.tables.table import MAX_COLUMNS, MAX_ROWS, Table, TableRefused, refuse_big, table_of

#: How the archive begins that a spreadsheet is.
MARK = b"PK\x03\x04"
SECONDS = 30
#: Files that this process has read at the same time; others wait.
AT_ONCE = 2
_CHILD = Path(__file__).with_name("spreadsheet_child.py")
_places = BoundedSemaphore(AT_ONCE)


def read(data: bytes) -> Table:
    """The table in the first sheet of a file. Raises `TableRefused`."""
    refuse_big(len(data))
    if not _places.acquire(timeout=SECONDS):
        raise TableRefused("busy", _("Other spreadsheets are being read. Try again in a moment."))
    try:
        done = _run(data)
    except subprocess.TimeoutExpired as error:
        raise _unreadable() from error
    finally:
        _places.release()
    if done.returncode == TOO_MUCH:
        code = json.loads(done.stdout)
        raise TableRefused(code, _sentence(code))
    if done.returncode:
        raise _unreadable()
    return table_of(json.loads(done.stdout))


def _run(data: bytes) -> "subprocess.CompletedProcess[bytes]":
    """The program with as little of this one's environment as Python needs."""
    most = map(str, (MAX_ROWS, MAX_COLUMNS, settings.MAX_IMPORT_BYTES))
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return subprocess.run(  # noqa: S603 - a program of ours, with numbers
        [sys.executable, "-P", str(_CHILD), *most],
        input=data,
        capture_output=True,
        timeout=SECONDS,
        env=environment,
        check=False,
    )


def _sentence(code: str) -> str:
    return {
        "too_many_rows": _("The file has more than {most} rows. Import it in parts.").format(most=intcomma(MAX_ROWS)),
        "too_many_columns": _("The file has more than {most} columns.").format(most=intcomma(MAX_COLUMNS)),
        "packed_too_tightly": _("The file is packed more than {most} times and is not unpacked.").format(
            most=intcomma(MAX_RATIO)
        ),
    }.get(code, _("Unpacked, the file has more than {most} bytes.").format(most=intcomma(MAX_UNPACKED_BYTES)))


def _unreadable() -> TableRefused:
    message = _("This is no spreadsheet (XLSX) that could be read within {seconds} s and a fair amount of memory.")
    return TableRefused("no_spreadsheet", message.format(seconds=SECONDS))
