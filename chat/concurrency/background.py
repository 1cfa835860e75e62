"""Jobs that run as long as the process does: starting them, noticing when one breaks, ending them for certain."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Any

log = logging.getLogger("countersign.background")


def start(jobs: Iterable[Coroutine[Any, Any, None]], broke: Callable[[], None]) -> list[asyncio.Task[None]]:
    """Starts the jobs; `broke` is called when one raises, because the process would go on without it unnoticed."""

    def ended(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            log.critical("a background job broke", exc_info=task.exception())
            broke()

    tasks = [asyncio.create_task(job) for job in jobs]
    for task in tasks:
        task.add_done_callback(ended)
    return tasks


async def end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels the tasks until they have ended: redis-py swallows a cancellation while it connects."""
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=0.1)
