"""The world of the doors, made once in a process: where it is needed again, its rows are put back.

To make it takes a second, as much as many tests that need it. Its keys stay as they were: nobody else is given them.
"""

import copy
from dataclasses import dataclass

from django.db import connection

from tests import emptying
from tests.doors import world
from tests.doors.world import World


@dataclass(frozen=True, slots=True)
class _Kept:
    world: World
    #: By table, as PostgreSQL copies them.
    rows: dict[str, bytes]


_kept: list[_Kept] = []


def there() -> World:
    """The world, whose rows are in the database now."""
    if _kept:
        _put_back(_kept[0].rows)
    else:
        _kept.append(_Kept(world.build(), _rows()))
    return copy.deepcopy(_kept[0].world)


def _rows() -> dict[str, bytes]:
    with connection.cursor() as cursor:
        found = {}
        for table in emptying.filled_tables(cursor):
            with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)") as copied:
                found[table] = b"".join(map(bytes, copied))
        return found


def _put_back(rows: dict[str, bytes]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # Without triggers and in any order.
        for table, held in rows.items():
            with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copied:
                copied.write(held)
        cursor.execute("SET session_replication_role = origin")
