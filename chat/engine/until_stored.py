"""Work in the database that a run cannot do without: tried again while PostgreSQL is away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from psycopg.errors import ProgramLimitExceeded, QueryCanceled, StatementTooComplex

from graphs.site.database_away import AWAY

T = TypeVar("T")

log = logging.getLogger("countersign.engine")

RECONNECT_PAUSE_S = 0.5
#: A statement that was given up so often is not tried again.
MAX_ATTEMPTS = 3
_GIVEN_UP = (QueryCanceled, ProgramLimitExceeded, StatementTooComplex)


async def persistently(work: Callable[[], Awaitable[T]]) -> T:
    """Work that is finished even when the run is stopped meanwhile, and repeated while PostgreSQL is away.

    What PostgreSQL gave up on (a statement that took too long, one beyond its limits) is not repeated for ever.
    """
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
