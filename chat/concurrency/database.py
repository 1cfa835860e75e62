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


def _given_back(language: str | None, function: Callable[[], T]) -> T:
    try:
        with translation.override(language), what_passes_is_away():
            return function()
    finally:
        connections.close_all()


async def in_db(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Awaits `function(*args, **kwargs)`, run in one of eight threads outside the event loop, in the caller's language.

    Asgiref's own `sync_to_async` would run all of them in one thread, and a task that outlives its request would find
    that thread gone.
    """
    return await _in(_threads, partial(function, *args, **kwargs))


async def in_tool_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same in one of eight other threads, for what may take seconds."""
    return await _in(_tool_threads, partial(function, *args, **kwargs))


async def _in(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """In a copy of the caller's context, so that what is told there is told about the same run."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(
        threads, partial(copy_context().run, _given_back, translation.get_language(), work)
    )
