"""Ending background tasks for certain; used by whatever keeps tasks that talk to Valkey."""

import asyncio
from collections.abc import Collection
from typing import Any


async def end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels the tasks until they have ended: redis-py swallows a cancellation while it connects."""
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting, timeout=0.1)
