"""Searches look through many texts: each of their statements has a few seconds, and who needs more is told so."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

#: What one statement of a search may take. Others have 30 s (`chat.web.server`).
MOST_MS = 3_000


class TooMuchToSearch(Exception):
    """There is too much to look through in the time that a search has."""


@contextmanager
def bounded(is_search: bool = True) -> Iterator[None]:
    """Bounds the statements within it in time, if it `is_search`. Raises `TooMuchToSearch` where one took longer."""
    if not is_search:
        yield
        return
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = {MOST_MS}")
            yield
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise TooMuchToSearch from error
        raise
