"""chat/concurrency/background.py: jobs as long as the process."""

import asyncio

from chat.concurrency import background


async def forever() -> None:
    await asyncio.Event().wait()


async def broken() -> None:
    raise RuntimeError("a bug")


def test_it_tells_when_a_job_breaks() -> None:
    broke: list[bool] = []

    async def run() -> None:
        tasks = background.start([forever(), broken()], lambda: broke.append(True))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await background.end(tasks)

    asyncio.run(run())
    assert broke == [True]


def test_it_ends_a_job_that_swallows_the_first_cancellation() -> None:
    async def stubborn() -> None:
        try:
            await forever()
        except asyncio.CancelledError:
            await forever()

    async def run() -> bool:
        (task,) = background.start([stubborn()], lambda: None)
        await asyncio.sleep(0)
        await background.end([task])
        return task.done()

    assert asyncio.run(run())
