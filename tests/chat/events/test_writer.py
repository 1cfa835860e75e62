import asyncio
import math
import threading
import uuid

import pytest
from django.db import connection, connections
from psycopg.conninfo import make_conninfo

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.events import committing
from chat.events import writer as writer_module
from chat.events.append import Fenced
from chat.events.vocabulary import NewEvent
from chat.events.writer import GroupWriter
from chat.models import Stream
from tests.chat.events.holding import Holder
from tests.chat.events.logs import (
    a_stream,
    append_now,
    delta,
    numbers,
    status,
    stored,
    take_over,
    text,
    until,
    writing,
)

pytestmark = pytest.mark.django_db(transaction=True)


def appending(stream_ids: list[int], count: int, who: str) -> threading.Thread:
    """A thread of a web request: one event at a time, each in a transaction of its own."""

    def work() -> None:
        try:
            for number in range(count):
                append_now(stream_ids[number % len(stream_ids)], NewEvent("status", {"state": "x", "who": who}))
        finally:
            connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_it_numbers_without_gaps_beside_transactions_that_append() -> None:
    streams = [a_stream(f"session_{number}") for number in range(5)]
    threads = [appending(streams, 50, f"thread {number}") for number in range(3)]

    async def stream_words() -> None:
        async with writing() as it:

            async def one(stream_id: int) -> None:
                for number in range(100):
                    await it.writer.put(stream_id, 0, delta(f"{number} "))
                    await asyncio.sleep(0)
                await it.writer.flush(stream_id)

            await asyncio.gather(*map(one, streams))

    asyncio.run(stream_words())
    for thread in threads:
        thread.join()
    for stream_id in streams:
        events = stored(stream_id)
        assert numbers(events) == list(range(1, len(events) + 1))
        assert Stream.objects.get(pk=stream_id).last_sequence == len(events)
        assert text(events) == "".join(f"{number} " for number in range(100))
    assert sum(event.type == "status" for stream_id in streams for event in stored(stream_id)) == 150


def test_it_delivers_what_is_stored_and_in_order(stream: int) -> None:
    run = uuid.uuid4()

    async def write() -> list:
        async with writing() as it:
            for number in range(20):
                await it.writer.put(stream, 0, delta(f"{number} ", run))
                await it.writer.put(stream, 0, status("running"))
                if number % 7 == 0:
                    await it.writer.flush(stream)
            await it.writer.flush(stream)
            return it.delivered(stream)

    assert asyncio.run(write()) == stored(stream)


def test_the_rest_is_left_to_who_stores_it_once_all_before_it_is_stored(stream: int) -> None:
    async def write() -> None:
        async with writing() as it:
            await it.writer.put(stream, 0, delta("stored "))
            async with asyncio.timeout(30):
                while not it.writer._lines[stream].in_flight:
                    await asyncio.sleep(0)
            await it.writer.put(stream, 0, delta("last "))
            await it.writer.put(stream, 0, delta("words"))
            rest = await it.writer.take_rest(stream)
            assert text(await in_db(stored, stream)) == "stored "
            assert [event.data["delta"] for event in rest] == ["last words"]
            assert await it.writer.take_rest(stream) == []
            assert it.writer._queued == 0
            await it.writer.put(stream, 0, delta("later"))
            await it.writer.flush(stream)
            await in_db(take_over, stream)
            await it.writer.put(stream, 0, delta("of who lost the stream"))
            with pytest.raises(Fenced):
                await it.writer.flush(stream)
            with pytest.raises(Fenced):
                await it.writer.take_rest(stream)

    asyncio.run(write())
    assert text(stored(stream)) == "stored later"


def test_it_skips_a_stream_that_somebody_holds_while_others_proceed(stream: int) -> None:
    other = a_stream("session_2")

    async def write() -> None:
        async with writing() as it:
            with Holder(stream) as holder:
                await it.writer.put(stream, 0, delta("late"))
                for _ in range(5):
                    await it.writer.put(other, 0, status("running"))
                    async with asyncio.timeout(30):
                        await it.writer.flush(other)
                waiting = asyncio.create_task(it.writer.flush(stream))
                assert await in_db(stored, stream) == []
                await it.writer.put(stream, 0, delta(", but whole"))
                await asyncio.to_thread(holder.let_go)
                await asyncio.wait_for(waiting, 30)

    asyncio.run(write())
    assert len(stored(other)) == 5
    assert text(stored(stream)) == "late, but whole"


def test_it_takes_what_is_put_while_a_stream_is_let_go(stream: int) -> None:
    async def write() -> None:
        async with writing() as it:
            for _ in range(15):
                with Holder(stream) as holder:
                    await it.writer.put(stream, 0, status("running"))
                    await asyncio.sleep(0.005)
                    releasing = asyncio.create_task(asyncio.to_thread(holder.let_go))
                    while it.writer._lines[stream].held:
                        await it.writer.put(stream, 0, status("running"))
                        await asyncio.sleep(0)
                    await releasing
                    await asyncio.wait_for(it.writer.flush(stream), 30)

    asyncio.run(write())


def test_it_tries_a_held_stream_at_most_every_few_milliseconds(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async def write() -> list[float]:
        async with writing() as it:
            pauses: list[float] = []
            ended = math.inf
            clock, commit = asyncio.get_running_loop().time, it.writer._committer.commit

            async def timed(parts):
                nonlocal ended
                pauses.append(clock() - ended)
                try:
                    return await commit(parts)
                finally:
                    ended = clock()

            monkeypatch.setattr(it.writer._committer, "commit", timed)
            with Holder(stream):
                while len(pauses) < 8:
                    await it.writer.put(stream, 0, status("running"))
                    await asyncio.sleep(0.001)
                return pauses[2:]

    # What was put while the first try was under way makes a second one at once.
    # Without the pause every event would be a try of its own.
    assert min(asyncio.run(write())) > 0.9 * writer_module.FIRST_PAUSE_S


def test_it_writes_nothing_for_who_lost_the_stream(stream: int) -> None:
    async def write() -> None:
        async with writing() as it:
            await it.writer.put(stream, 0, delta("mine"))
            await it.writer.flush(stream)
            await in_db(take_over, stream)
            await it.writer.put(stream, 0, delta(" not any more"))
            with pytest.raises(Fenced):
                await it.writer.flush(stream)
            with pytest.raises(Fenced):
                await it.writer.put(stream, 0, delta("again"))
            with pytest.raises(Fenced):
                await it.writer.flush(stream)

    asyncio.run(write())
    assert text(stored(stream)) == "mine"


def test_it_writes_nothing_for_a_stream_that_is_gone() -> None:
    async def write() -> None:
        async with writing() as it:
            await it.writer.put(987654321, 0, delta("into the void"))
            with pytest.raises(Fenced):
                await asyncio.wait_for(it.writer.flush(987654321), 30)
            assert it.failures == 0

    asyncio.run(write())


def test_it_lets_a_new_owner_in_the_same_process_write(stream: int) -> None:
    async def write() -> None:
        async with writing() as it:
            with Holder(stream) as holder:
                await it.writer.put(stream, 0, delta("old"))
                await asyncio.sleep(0.02)
                await asyncio.to_thread(holder.let_go)
                await in_db(take_over, stream)
                await it.writer.put(stream, 1, delta("new"))
                with pytest.raises(Fenced):
                    await it.writer.put(stream, 0, delta("old again"))
                it.writer.forget(stream, 0)
                await asyncio.wait_for(it.writer.flush(stream), 30)

    asyncio.run(write())
    assert text(stored(stream)) in {"new", "oldnew"}  # the old owner's event may have been before the takeover


def test_it_keeps_room_when_forgotten_events_come_back(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends while its stream is held must not use up the queue for ever."""
    monkeypatch.setattr(writer_module, "QUEUE_LIMIT", 5)
    other = a_stream("session_2")

    async def write() -> None:
        async with writing() as it:
            for _ in range(4):
                with Holder(stream):
                    for _ in range(4):
                        await asyncio.wait_for(it.writer.put(stream, 0, status("running")), 30)
                    await asyncio.sleep(0)  # the writer takes them
                    it.writer.forget(stream, 0)
                    await asyncio.sleep(0.03)
            await asyncio.wait_for(it.writer.put(other, 0, status("running")), 30)
            await asyncio.wait_for(it.writer.flush(other), 30)

    asyncio.run(write())
    assert len(stored(other)) == 1


def test_it_makes_put_wait_while_too_much_is_queued(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer_module, "QUEUE_LIMIT", 10)

    async def write() -> None:
        async with writing() as it:
            with Holder(stream) as holder:
                for _ in range(10):
                    await it.writer.put(stream, 0, status("running"))
                eleventh = asyncio.create_task(it.writer.put(stream, 0, status("succeeded")))
                assert (await asyncio.wait([eleventh], timeout=0.1))[1]
                await asyncio.to_thread(holder.let_go)
                await asyncio.wait_for(eleventh, 30)
                await it.writer.flush(stream)

    asyncio.run(write())
    assert [event.data["state"] for event in stored(stream)] == ["running"] * 10 + ["succeeded"]


def test_it_ends_the_wait_of_who_is_left_when_it_closes(stream: int) -> None:
    async def write() -> None:
        async with writing() as it:
            with Holder(stream):
                await it.writer.put(stream, 0, delta("too late"))
                waiting = asyncio.create_task(it.writer.flush(stream))
                await asyncio.sleep(0.02)
                await it.writer.close()
                with pytest.raises(Fenced):
                    await asyncio.wait_for(waiting, 30)

    asyncio.run(write())
    assert stored(stream) == []


def test_it_gives_up_loudly_when_writing_cannot_work(stream: int) -> None:
    async def write() -> int:
        conninfo = make_conninfo(runtime.conninfo(), options="-c search_path=pg_catalog")
        async with writing(conninfo) as it:
            await it.writer.put(stream, 0, delta("nowhere to go"))
            async with asyncio.timeout(30):
                while not it.failures:
                    await asyncio.sleep(0.01)
            return it.failures

    assert asyncio.run(write()) == 1


def test_it_waits_while_the_server_is_read_only(stream: int) -> None:
    def make_read_only(state: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                f"ALTER DATABASE {connection.settings_dict['NAME']} SET default_transaction_read_only = {state}"
            )

    async def write() -> None:
        await in_db(make_read_only, "on")
        try:
            async with writing() as it:
                await it.writer.put(stream, 0, delta("after the failover"))
                await asyncio.sleep(0.1)
                assert it.failures == 0
                await in_db(allow_again)
                await asyncio.wait_for(it.writer.flush(stream), 30)
        finally:
            await in_db(allow_again)

    def allow_again() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")
        make_read_only("off")

    asyncio.run(write())
    assert text(stored(stream)) == "after the failover"


def test_its_connection_knows_the_tables_before_an_event_comes(stream: int) -> None:
    async def connect() -> None:
        writer = GroupWriter(runtime.conninfo(), lambda _batch: None, lambda: None)
        writer.start(connects=True)
        try:
            await until(lambda: _planned_by(writer._committer._name))
        finally:
            await writer.close()

    asyncio.run(connect())
    assert stored(stream) == []


def _planned_by(name: str) -> bool:
    """Whether the connection of this name rests, and the statement that stores events was its last."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT query FROM pg_stat_activity WHERE application_name = %s AND state = 'idle'", [name])
        return any("INSERT INTO chat_streamevent" in query for (query,) in cursor.fetchall())


def test_a_first_connection_has_no_other_to_end(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committing, "_END_LOST", "SELECT %s = ''")

    async def write() -> None:
        async with writing() as it:
            await it.writer.put(stream, 0, delta("at once"))
            await asyncio.wait_for(it.writer.flush(stream), 30)

    asyncio.run(write())
    assert text(stored(stream)) == "at once"
