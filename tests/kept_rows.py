"""Rows that many tests begin with are made once in a process, and put back where they are needed again.

Their keys stay as they were: nobody else is given them.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connection

from tests import emptying

Made = TypeVar("Made")
#: By table, as PostgreSQL writes them.
Rows = dict[str, list[bytes]]


@dataclass(frozen=True, slots=True)
class _Kept:
    made: Any
    rows: Rows


_kept: dict[str, _Kept] = {}


def made_once(name: str, make: Callable[[], Made]) -> Made:
    """What `make` returned the first time, whose rows are in the database now; the caller may change it.

    It adds rows, and what they refer to has the same keys each time.
    """
    if name in _kept:
        _put_back(_kept[name].rows)
    else:
        before = _rows()
        made = make()
        _kept[name] = _Kept(made, _added(before, _rows()))
    found: Made = copy.deepcopy(_kept[name].made)
    return found


def _rows() -> Rows:
    with connection.cursor() as cursor:
        found = {}
        for table in emptying.filled_tables(cursor):
            with cursor.copy(f"COPY {table} TO STDOUT") as copied:
                found[table] = b"".join(map(bytes, copied)).splitlines(keepends=True)
        return found


def _added(before: Rows, after: Rows) -> Rows:
    found = {}
    for table, rows in after.items():
        there = set(before.get(table, ()))
        assert there <= set(rows), f"rows of {table} were changed"
        if added := [row for row in rows if row not in there]:
            found[table] = added
    return found


def _put_back(rows: Rows) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # Without triggers and in any order.
        for table, held in rows.items():
            with cursor.copy(f"COPY {table} FROM STDIN") as copied:
                copied.write(b"".join(held))
        cursor.execute("SET session_replication_role = origin")
