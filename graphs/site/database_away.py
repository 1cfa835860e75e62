"""One name for errors while the database is away or takes no writes: doors answer 503 or 4012, jobs try again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import (
    DeadlockDetected,
    IdleInTransactionSessionTimeout,
    LockNotAvailable,
    QueryCanceled,
    ReadOnlySqlTransaction,
)

#: What Django raises while the database is away.
AWAY = (OperationalError, InterfaceError)


@contextmanager
def what_passes_is_away() -> Iterator[None]:
    """Turns internal errors of Django during a failover, or after a process was frozen, into one of `AWAY`."""
    try:
        yield
    except InternalError as error:
        if isinstance(error.__cause__, ReadOnlySqlTransaction | IdleInTransactionSessionTimeout):
            raise OperationalError(*error.args) from error
        raise


def waited_too_long(error: Exception) -> bool:
    """Whether the database is there, and somebody else held what was to be changed for too long."""
    return isinstance(error.__cause__, LockNotAvailable | DeadlockDetected)


def took_too_long(error: Exception) -> bool:
    """Whether the database is there, and gave up a statement after the time that one has."""
    return isinstance(error.__cause__, QueryCanceled)


def read_only_is_away(execute: Any, *statement: Any) -> Any:
    """Executes a statement; Django wraps every statement of a connection in it."""
    with what_passes_is_away():
        return execute(*statement)


def heed(connection: Any, **_signal: Any) -> None:
    """Installs the wrapper on a new connection; receives `connection_created`."""
    if read_only_is_away not in connection.execute_wrappers:
        connection.execute_wrappers.append(read_only_is_away)
