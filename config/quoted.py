"""What the database quotes of its rows when it refuses them, kept out of the log unless text is asked for."""

from collections.abc import Iterator

from django.db import DatabaseError, DataError
from psycopg import DataError as RefusedData
from psycopg import Error as PostgresError


def without_rows(text: str, error: BaseException | None) -> str:
    """The text of a traceback with no more of the database's words than name the constraint or the table.

    The first line of them does that. The next ones quote the row ("Failing row contains ..."), and where a value
    is no value of its type the first one quotes it, too.
    """
    for each in _with_causes(error):
        said = str(each)
        if said and isinstance(each, DatabaseError | PostgresError):
            text = text.replace(said, "" if isinstance(each, DataError | RefusedData) else said.splitlines()[0])
    return text


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
