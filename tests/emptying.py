"""Between tests that commit, only the tables that hold something are emptied.

Django truncates all of them and then makes content types and permissions anew, which takes three times as long as most
of these tests. Those two are kept here; the rows go in one statement each, past triggers and in any order.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import TransactionTestCase
from psycopg.errors import DeadlockDetected

#: Written by migrations and the same for every test.
KEPT = {"django_migrations", "django_content_type", "auth_permission"}
TRIES = 5
#: Of what runs longer than a test.
_LASTING: set[str] = set()


@cache
def _tables() -> tuple[str, ...]:
    return tuple(sorted(set(connection.introspection.django_table_names(only_existing=True)) - KEPT))


def empty_tables(*_case: Any) -> None:
    """What a test has committed goes; a request that it left behind may still be at work and in the way."""
    for left in reversed(range(TRIES)):
        try:
            _empty()
        except OperationalError as error:
            if left and isinstance(error.__cause__, DeadlockDetected):
                continue
            raise
        return


@contextmanager
def kept() -> Iterator[None]:
    """Until its end nothing is emptied: the tests of a module go on with what others left."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: None)
        try:
            yield
        finally:
            empty_tables()
            connection.close()


@contextmanager
def around(*tables: str) -> Iterator[None]:
    """Until its end these tables stay as they are: a process by whose row others know that it is alive goes on."""
    _LASTING.update(tables)
    try:
        yield
    finally:
        _LASTING.difference_update(tables)
        empty_tables()
        connection.close()


def filled_tables(cursor: Any) -> list[str]:
    """Those that hold something which is not the same for every test."""
    filled = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in _tables())
    cursor.execute(filled)
    return [table for (table,) in cursor.fetchall()]


def _empty() -> None:
    with connection.cursor() as cursor:
        if found := [table for table in filled_tables(cursor) if table not in _LASTING]:
            deletions = "; ".join(f"DELETE FROM {table}" for table in found)
            cursor.execute(
                f"SET session_replication_role = replica; {deletions}; SET session_replication_role = origin"
            )


def install() -> None:
    TransactionTestCase._fixture_teardown = empty_tables
