"""A cursor for the statements that every change makes: PostgreSQL plans them once for each connection."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from django.db.backends.utils import CursorWrapper


@contextmanager
def prepared() -> Iterator[CursorWrapper]:
    """A cursor of Django's connection, with its wrappers, whose parameters PostgreSQL puts in."""
    connection.ensure_connection()
    wrapped = connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    with wrapped(psycopg.Cursor(connection.connection)) as cursor:  # type: ignore[arg-type]
        yield cursor
