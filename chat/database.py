"""The one way from asyncio code to Django's ORM: a function run in a thread that gives its connection back."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import connections
from django.utils import translation

P = ParamSpec("P")
T = TypeVar("T")

_threads = ThreadPoolExecutor(8, thread_name_prefix="database")


def _given_back(language: str | None, function: Callable[[], T]) -> T:
    try:
        with translation.override(language):
            return function()
    finally:
        connections.close_all()


async def in_db(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Awaits `function(*args, **kwargs)`, run in one of eight threads outside the event loop, in the caller's language.

    Asgiref's own `sync_to_async` would run all of them in one thread, and a task that outlives its request would find
    that thread gone.
    """
    loop = asyncio.get_running_loop()
    work = partial(function, *args, **kwargs)
    return await loop.run_in_executor(_threads, _given_back, translation.get_language(), work)
