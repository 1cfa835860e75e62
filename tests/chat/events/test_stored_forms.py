"""What an event may hold, and how it is stored."""

import asyncio
import json
import uuid

import pytest

from chat.concurrency.database import in_db
from chat.events.vocabulary import NewEvent
from tests.chat.events.logs import (
    status,
    stored,
    writing,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    "data",
    [
        {"state": "a\0b"},
        {"state": "\ud83d"},
        {"state\0": ["x", {"deep": "\udc00"}]},
        {"state": float("nan"), "other": [float("inf"), -float("inf")]},
        {"state": "\\u0000 and \\ud800 as text"},
        {"state": [1.5, -0.25, 1e-9], "other": 10**4000},
    ],
)
def test_it_stores_what_postgresql_refuses_in_another_form(stream: int, data: dict) -> None:
    async def write() -> None:
        async with writing() as it:
            await it.writer.put(stream, 0, NewEvent("status", data))
            await asyncio.wait_for(it.writer.flush(stream), 30)
            assert it.failures == 0
            assert it.delivered(stream) == await in_db(stored, stream)

    asyncio.run(write())


def test_who_reads_live_gets_the_bytes_that_are_stored(stream: int) -> None:
    """jsonb has an order of its own for keys: by their length in bytes, then by the bytes."""
    data = {"zz": 1, "state": {"longer": [{"b": 1, "a": 2}], "é": 1, "aa": 2, "B": 3, "a\0": 4}, "a": None}

    async def write() -> None:
        async with writing() as it:
            await it.writer.put(stream, 0, NewEvent("status", data))
            await asyncio.wait_for(it.writer.flush(stream), 30)
            live, late = it.delivered(stream), await in_db(stored, stream)
            assert [json.dumps(event.data) for event in live] == [json.dumps(event.data) for event in late]

    asyncio.run(write())


def _endless() -> list:
    nested: list = []
    nested.append(nested)
    return nested


@pytest.mark.parametrize("value", [10**5000, uuid.uuid4(), _endless(), b"bytes"], ids=["huge", "uuid", "loop", "bytes"])
def test_it_refuses_what_is_not_json_where_it_is_put(stream: int, value: object) -> None:
    async def write() -> None:
        async with writing() as it:
            with pytest.raises((TypeError, ValueError, RecursionError)):
                await it.writer.put(stream, 0, NewEvent("status", {"state": value}))
            await it.writer.put(stream, 0, status("running"))
            await asyncio.wait_for(it.writer.flush(stream), 30)
            assert it.failures == 0

    asyncio.run(write())
    assert len(stored(stream)) == 1
