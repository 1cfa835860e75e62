"""The database that is away, or only reads for a while: one name for what is raised then.

Every door answers it with 503 or 4012 (`graphs.site.error_pages`, `graphs.site.api.problems`), every job that lives
tries again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import IdleInTransactionSessionTimeout, ReadOnlySqlTransaction

#: What Django raises while the database is away.
AWAY = (OperationalError, InterfaceError)


@contextmanager
def what_passes_is_away() -> Iterator[None]:
    """A server that takes no writes for a while (a failover, say) counts as away, and so does one that ended a
    transaction in which this process fell silent (because it was frozen). Django calls both internal errors.
    """
    try:
        yield
    except InternalError as error:
        if isinstance(error.__cause__, ReadOnlySqlTransaction | IdleInTransactionSessionTimeout):
            raise OperationalError(*error.args) from error
        raise


def read_only_is_away(execute: Any, *statement: Any) -> Any:
    """A wrapper of every statement."""
    with what_passes_is_away():
        return execute(*statement)


def heed(connection: Any, **_signal: Any) -> None:
    """Receives `connection_created`."""
    if read_only_is_away not in connection.execute_wrappers:
        connection.execute_wrappers.append(read_only_is_away)
