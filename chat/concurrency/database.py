"""The one way from asyncio code to Django's ORM: a function run in a thread that gives its connection back."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import connections
from django.utils import translation

from graphs.site.database_away import what_passes_is_away

P = ParamSpec("P")
T = TypeVar("T")

_threads = ThreadPoolExecutor(8, thread_name_prefix="database")
#: Tools and retrieval may take long; claims and readers must not wait for them.
_tool_threads = ThreadPoolExecutor(8, thread_name_prefix="tools")


async def in_db(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Awaits `function(*args, **kwargs)`, run in one of eight threads outside the event loop, in the caller's language.

    Asgiref's own `sync_to_async` would run all of them in one thread, and a task that outlives its request would find
    that thread gone.
    """
    return await _run_in(_threads, partial(function, *args, **kwargs))


async def in_tool_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls `function` like `in_db`, in one of eight threads that are kept for what may take seconds."""
    return await _run_in(_tool_threads, partial(function, *args, **kwargs))


async def _run_in(threads: ThreadPoolExecutor, function: Callable[[], T]) -> T:
    """Calls `function` in a copy of the caller's context, so that telemetry there names the run."""
    language = translation.get_language()

    def work() -> T:
        try:
            with translation.override(language), what_passes_is_away():
                return function()
        finally:
            connections.close_all()

    return await asyncio.get_running_loop().run_in_executor(threads, copy_context().run, work)
