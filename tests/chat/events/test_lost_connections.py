"""The writer's connection is lost before, during and after a commit: every event is stored once."""

import asyncio
import random
from collections.abc import Iterator

import pytest
from django.db import connection

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.events import committing, wakeup
from chat.events.append import Fenced
from chat.events.vocabulary import NewEvent
from chat.models import Stream
from tests.chat.events.cutting_proxy import Cut, cutting_proxy
from tests.chat.events.logs import a_stream, append_now, delta, numbers, status, stored, take_over, text, writing

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committing, "RECONNECT_PAUSE_S", 0.02)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    heard: list[tuple[int, int]] = []
    monkeypatch.setattr(wakeup, "wake_readers", lambda stream_id, last: heard.append((stream_id, last)))
    return heard


@pytest.fixture
def slow_inserts(db: None) -> Iterator[None]:
    """Storing events takes a third of a second, so that a connection can be lost meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$"
        )
        cursor.execute("CREATE TRIGGER slowly AFTER INSERT ON chat_streamevent EXECUTE FUNCTION slowly()")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER slowly ON chat_streamevent")
        cursor.execute("DROP FUNCTION slowly")


@pytest.mark.parametrize("cut", list(Cut))
def test_it_stores_every_event_once(stream: int, slow_inserts: None, woken: list[tuple[int, int]], cut: Cut) -> None:
    async def write() -> None:
        async with cutting_proxy() as proxy, writing(proxy.conninfo) as it:
            await it.writer.put(stream, 0, delta("one "))
            await it.writer.flush(stream)
            proxy.cut = cut
            await it.writer.put(stream, 0, delta("two "))
            await it.writer.put(stream, 0, status("running"))
            await asyncio.wait_for(it.writer.flush(stream), 30)
            await it.writer.put(stream, 0, delta("three"))
            await it.writer.flush(stream)
            assert (proxy.cuts, it.failures) == (1, 0)
            events = await in_db(stored, stream)
            assert text(events) == "one two three"
            assert numbers(events) == [1, 2, 3, 4]
            told = [(event.stream_id, event.sequence) for event in it.delivered(stream)] + woken
            assert {(stream, 3), (stream, 4)} <= set(told)
            assert [event for event in events if event.sequence in numbers(it.delivered(stream))] == it.delivered(
                stream
            )

    asyncio.run(write())


def test_it_delivers_no_wrong_number_when_others_appended_before_it_could_ask(
    stream: int, woken: list[tuple[int, int]]
) -> None:
    async def write() -> None:
        async with cutting_proxy() as proxy, writing(proxy.conninfo) as it:
            await it.writer.put(stream, 0, delta("one "))
            await it.writer.flush(stream)
            proxy.cut = Cut.AFTER
            proxy.open.clear()
            await it.writer.put(stream, 0, delta("two"))
            async with asyncio.timeout(30):
                while len(await in_db(stored, stream)) < 2:
                    await asyncio.sleep(0.01)
            await in_db(append_now, stream, NewEvent("user_message", {"content": "me too"}))
            proxy.open.set()
            await asyncio.wait_for(it.writer.flush(stream), 30)
            events = await in_db(stored, stream)
            assert [event.type for event in events] == ["content_delta", "content_delta", "user_message"]
            assert [event for event in events if event.sequence in numbers(it.delivered(stream))] == it.delivered(
                stream
            )

    asyncio.run(write())
    assert woken[-1] == (stream, 3)


def test_it_is_fenced_when_the_stream_was_taken_over_while_it_was_cut_off(stream: int) -> None:
    async def write() -> None:
        async with cutting_proxy() as proxy, writing(proxy.conninfo) as it:
            await it.writer.put(stream, 0, delta("mine"))
            await it.writer.flush(stream)
            proxy.cut = Cut.BEFORE
            proxy.open.clear()
            await it.writer.put(stream, 0, delta(" and lost"))
            await in_db(take_over, stream)
            proxy.open.set()
            with pytest.raises(Fenced):
                await asyncio.wait_for(it.writer.flush(stream), 30)

    asyncio.run(write())
    assert text(stored(stream)) == "mine"


def _end_writers() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name LIKE 'countersign writer%'"
        )
        return int(cursor.fetchone()[0])


def test_it_survives_that_its_backend_is_terminated_again_and_again(stream: int) -> None:
    other = a_stream("session_2")

    async def write() -> int:
        ended = 0
        async with writing() as it:
            for number in range(60):
                await it.writer.put(stream, 0, delta(f"{number} "))
                await it.writer.put(other, 0, status("running"))
                await asyncio.sleep(0.002)
                if number == 0:
                    await it.writer.flush(stream)  # It is connected.
                if number % 6 == 0:
                    ended += await in_db(_end_writers)
            await asyncio.wait_for(it.writer.flush(stream), 30)
            await asyncio.wait_for(it.writer.flush(other), 30)
            assert it.failures == 0
        return ended

    assert asyncio.run(write()) > 0
    assert text(stored(stream)) == "".join(f"{number} " for number in range(60))
    assert numbers(stored(other)) == list(range(1, 61))


@pytest.mark.parametrize("seed", range(3))
def test_it_survives_cuts_at_random_beside_others_who_append(stream: int, seed: int) -> None:
    chance = random.Random(seed)
    streams = [stream, a_stream("session_2"), a_stream("session_3")]

    async def write() -> int:
        async with cutting_proxy() as proxy, writing(proxy.conninfo) as it:
            count = 0
            # Where commits are slow, one of them stores more, and fewer can be cut.
            while count < 90 or proxy.cuts <= 3:
                for stream_id in streams:
                    await it.writer.put(stream_id, 0, delta(f"{count} "))
                if chance.random() < 0.15:
                    proxy.cut = chance.choice(list(Cut))
                if chance.random() < 0.2:
                    await in_db(append_now, chance.choice(streams), status("queued"))
                await asyncio.sleep(0.003)
                count += 1
            for stream_id in streams:
                await asyncio.wait_for(it.writer.flush(stream_id), 30)
                events = await in_db(stored, stream_id)
                assert text(events) == "".join(f"{number} " for number in range(count))
                assert numbers(events) == list(range(1, len(events) + 1))
                shown = it.delivered(stream_id)
                assert [event for event in events if event.sequence in set(numbers(shown))] == shown
            assert it.failures == 0
            return proxy.cuts

    assert asyncio.run(write()) > 3
    assert all(one.last_sequence == len(stored(one.pk)) for one in Stream.objects.all())


def test_it_comes_through_the_proxy_at_all(stream: int) -> None:
    """Otherwise the tests above would prove nothing."""

    async def write() -> None:
        async with cutting_proxy() as proxy:
            assert proxy.conninfo != runtime.conninfo()
            proxy.open.clear()
            async with writing(proxy.conninfo) as it:
                await it.writer.put(stream, 0, delta("held"))
                await asyncio.sleep(0.1)
                assert await in_db(stored, stream) == []

    asyncio.run(write())
