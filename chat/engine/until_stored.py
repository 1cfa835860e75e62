"""Work in the database that a run cannot do without: tried again while PostgreSQL is away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import ParamSpec, TypeVar

from psycopg.errors import ProgramLimitExceeded, QueryCanceled, StatementTooComplex

from chat.concurrency.database import in_db, in_tool_thread
from graphs.site.database_away import AWAY

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("countersign.engine")

RECONNECT_PAUSE_S = 0.5
#: A statement that was given up so often is not tried again.
MAX_ATTEMPTS = 3
_GIVEN_UP = (QueryCanceled, ProgramLimitExceeded, StatementTooComplex)


async def retry_until_stored(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Awaits `function(*args, **kwargs)`, run by `in_db` and repeated while PostgreSQL is away.

    It is finished even if the run is stopped meanwhile. What PostgreSQL gave up on (a statement that took too long, one
    beyond its limits) is not repeated for ever.
    """
    return await _retry(partial(in_db, function, *args, **kwargs))


async def retry_slow_until_stored(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Does that with a function that may take seconds, run by `in_tool_thread`."""
    return await _retry(partial(in_tool_thread, function, *args, **kwargs))


async def _retry(work: Callable[[], Awaitable[T]]) -> T:
    given_up = 0
    while True:
        task = asyncio.ensure_future(work())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.gather(task, return_exceptions=True)
            raise
        except AWAY as error:
            given_up += isinstance(error.__cause__, _GIVEN_UP)
            if given_up == MAX_ATTEMPTS:
                raise
            log.warning("database unreachable, trying again: %s", type(error.__cause__ or error).__name__)
            await asyncio.sleep(RECONNECT_PAUSE_S)
