"""People change to the other process again and again in the middle of answers: all read the same, byte for byte."""

import asyncio
import os
from collections.abc import Callable

import pytest

from tests import checker
from tests.faults.crowd import ANSWER
from tests.faults.outage import Outage
from tests.faults.switching import OnPages, OnServerSentEvents, OnSocket, Switcher

pytestmark = [pytest.mark.processes, pytest.mark.faults, pytest.mark.timeout(1200)]

SWITCHES = 200 if os.environ.get("FULL") else 20


def test_everybody_reads_what_is_stored(outage: Outage) -> None:
    alice = outage.alice()
    first = alice.post("/api/v1/chat/messages", {"message": ANSWER, "wait": True})
    place = (outage.urls, alice.token, first["sessionId"], first["streamId"])
    readers: list[Switcher] = [OnSocket(*place), OnServerSentEvents(*place), OnPages(*place)]

    def ask() -> int:
        alice.post("/api/v1/chat/messages", {"message": ANSWER, "sessionId": first["sessionId"], "wait": True})
        last: int = alice.get(f"/api/v1/chat/sessions/{first['sessionId']}/stream-events?limit=0")["last"]
        return last

    end = asyncio.run(_switch(readers, ask))
    for reader in readers:
        assert reader.last >= end
        assert reader.texts == reader.wanted()[: len(reader.texts)]
    checker.check_run(outage)


async def _switch(readers: list[Switcher], ask: Callable[[], int]) -> int:
    """Answers come until everybody has changed often enough. The number up to which all have read then."""
    end: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        for reader in readers:
            group.create_task(reader.read_up_to(end))
        while any(reader.switches < SWITCHES for reader in readers):
            last = await asyncio.to_thread(ask)
        end.set_result(last)
        # Who waits for more is given some.
        await asyncio.to_thread(ask)
    return last
