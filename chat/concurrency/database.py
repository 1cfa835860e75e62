"""The one way from asyncio code to Django's ORM: a function run in a thread that gives its connection back."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from django.db import connections
from django.utils import translation
from psycopg.errors import ProgramLimitExceeded, QueryCanceled, StatementTooComplex

from graphs.site.database_away import AWAY, what_passes_is_away

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("countersign.database")

RECONNECT_PAUSE_S = 0.5
#: A statement that was given up so often is not tried again.
MAX_ATTEMPTS = 3
_GIVEN_UP = (QueryCanceled, ProgramLimitExceeded, StatementTooComplex)


class Threads:
    """Some threads; asgiref's `sync_to_async` has one, which is gone for a task that outlives its request."""

    def __init__(self, name: str, most: int = 8) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=name)

    async def __call__(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Awaits `function(*args, **kwargs)`, in the caller's language and context: telemetry there names the run."""
        return await self._begin(function, *args, **kwargs)

    def _begin(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        language = translation.get_language()

        def work() -> T:
            try:
                # Django's language does not come along to a thread, and what is activated here ends with the context.
                if language is None:
                    translation.deactivate_all()
                else:
                    translation.activate(language)
                with what_passes_is_away():
                    return function(*args, **kwargs)
            finally:
                connections.close_all()

        return asyncio.get_running_loop().run_in_executor(self._pool, copy_context().run, work)

    async def until_done(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Awaits it while PostgreSQL is away, too, and tries again: what a run cannot do without.

        It is finished even if the run is stopped meanwhile. What PostgreSQL gave up on (a statement that took too long,
        one beyond its limits) is not repeated for ever.
        """
        given_up = 0
        while True:
            done = self._begin(function, *args, **kwargs)
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                await asyncio.gather(done, return_exceptions=True)
                raise
            except AWAY as error:
                given_up += isinstance(error.__cause__, _GIVEN_UP)
                if given_up == MAX_ATTEMPTS:
                    raise
                log.warning("database unreachable, trying again: %s", type(error.__cause__ or error).__name__)
                await asyncio.sleep(RECONNECT_PAUSE_S)


in_db = Threads("database")
#: For tools and retrieval, which may take seconds: claims and readers must not wait for them.
in_tool_thread = Threads("tools")
