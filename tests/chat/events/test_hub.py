import asyncio
import logging
import random
import uuid
from collections.abc import Callable

import pytest
import redis
from django.conf import settings as django_settings
from django.db import connection

from chat.concurrency.database import in_db
from chat.events import hub as hub_module
from chat.events import log_pages, presence, wakeup, watching
from chat.events.hub import CursorBeyondEnd, Hub
from chat.events.vocabulary import NewEvent, StoredEvent
from chat.models import Presence, Stream
from tests.chat.events.hubs import a_hub, a_writer, elsewhere, read, run
from tests.chat.events.logs import a_stream, append_now, delta, numbers, status, stored

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("after", [0, 1, 17, 399, 400])
def test_it_gives_every_event_after_the_cursor_once(stream: int, after: int) -> None:
    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            for number in range(400):
                await writer.put(stream, 0, status(str(number)))
            await writer.flush(stream)
            watch = await hub.watch(stream, after)
            reading_on = asyncio.create_task(read(watch, 460))
            for number in range(60):
                await writer.put(stream, 0, status(str(number)))
                await asyncio.sleep(0)
            assert numbers(await reading_on) == list(range(after + 1, 461))

    run(main)


def test_it_gives_the_same_live_as_late(stream: int) -> None:
    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            watch = await hub.watch(stream, 0)
            for number in range(30):
                await writer.put(stream, 0, delta(f"{number} \ud800"))
                await asyncio.sleep(0.001)
            await writer.flush(stream)
            late = await in_db(stored, stream)
            assert await read(watch, late[-1].sequence) == late

    run(main)


def test_what_this_process_appended_is_not_read_back(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither at once nor when the poll asks; and it is what the table holds."""
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    read_back: list[object] = []

    async def main() -> None:
        polled = asyncio.Event()
        async with a_hub() as hub:
            watch = await hub.watch(stream, 0)
            monkeypatch.setattr(log_pages, "after", lambda *asked: read_back.append(asked) or [])
            told = [
                status("queued \ud800"),
                delta("a\x00b"),
                NewEvent("done", {"long": [1, 0.5, 1.0, True], "é": None}),
            ]
            await in_db(append_now, stream, *told)
            got = await read(watch, 3)
            fall_behind = hub._fall_behind

            def compared(stream_id: int, last: int) -> None:
                fall_behind(stream_id, last)
                if asyncio.current_task() is polling:  # What another process says is heard as well.
                    polled.set()

            monkeypatch.setattr(hub, "_fall_behind", compared)
            # Only now: it may see what is committed before who has committed it can tell.
            monkeypatch.setattr(hub_module, "POLL_S", 0.02)
            polling = asyncio.create_task(hub._poll_forever())
            await asyncio.wait_for(polled.wait(), 30)
            await asyncio.sleep(0.1)
            polling.cancel()
            monkeypatch.undo()
            assert read_back == []
            assert got == await in_db(stored, stream)

    run(main)


def test_it_refuses_a_cursor_from_the_future(stream: int) -> None:
    async def main() -> None:
        async with a_hub() as hub:
            await in_db(append_now, stream, status("queued"))
            with pytest.raises(CursorBeyondEnd):
                await hub.watch(stream, 2)
            watch = await hub.watch(stream, 1)
            with pytest.raises(CursorBeyondEnd):
                await hub.watch(stream, 2)
            await in_db(append_now, stream, status("started"))
            assert numbers(await read(watch, 2)) == [2]

    run(main)


def test_it_finds_what_another_process_committed_without_a_word(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 0.05)

    async def main() -> None:
        async with a_hub() as hub:
            watch = await hub.watch(stream, 0)
            await in_db(elsewhere, stream, 700)
            assert numbers(await read(watch, 700)) == list(range(1, 701))

    run(main)


def test_it_hears_wake_ups_of_other_processes(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)

    async def main() -> None:
        async with a_hub() as hub, a_hub() as other, a_writer(other) as writer:
            watch = await hub.watch(stream, 0)
            await heard(by=2)
            await writer.put(stream, 0, delta("across"))
            assert numbers(await read(watch, 1)) == [1]
            await in_db(elsewhere, stream, 1)
            valkey = redis.Redis.from_url(django_settings.REDIS_URL)
            valkey.publish(wakeup.channel(), "rubbish")
            valkey.publish(wakeup.channel(), b"\xff:1,:,1:x,99999999999999999999:1")
            valkey.publish(wakeup.channel(), f"12345:3,{stream}:2")
            assert numbers(await read(watch, 2)) == [2]

    run(main)


async def heard(by: int) -> None:
    """Waits until so many hubs listen."""
    valkey = redis.asyncio.Redis.from_url(django_settings.REDIS_URL)
    async with asyncio.timeout(30):
        while (await valkey.pubsub_numsub(wakeup.channel()))[0][1] < by:
            await asyncio.sleep(0.01)
    await valkey.aclose()


def test_it_publishes_seldom_while_nobody_else_listens(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "COALESCE_ALONE_S", 60)
    published: list[str] = []

    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            await heard(by=1)
            publish = hub._publisher.publish

            async def noted(channel: str, text: str | bytes) -> int:
                if isinstance(text, str):  # not that this one listens now
                    published.append(text)
                return int(await publish(channel, text))

            monkeypatch.setattr(hub._publisher, "publish", noted)
            watch = await hub.watch(stream, 0)
            await writer.put(stream, 0, delta("one"))
            async with asyncio.timeout(30):
                while not published:
                    await asyncio.sleep(0.01)
            for number in range(2, 9):
                await writer.put(stream, 0, delta("more"))
                assert numbers(await read(watch, number))[-1] == number
                await asyncio.sleep(3 * hub_module.COALESCE_S)

    run(main)
    assert len(published) == 1


def test_it_publishes_at_once_while_another_process_listens(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    monkeypatch.setattr(hub_module, "COALESCE_ALONE_S", 60)

    async def main() -> None:
        async with a_hub() as hub, a_hub() as other, a_writer(other) as writer:
            await heard(by=2)
            watch = await hub.watch(stream, 0)
            for number in range(1, 4):
                await writer.put(stream, 0, delta("across"))
                assert numbers(await read(watch, number)) == [number]

    run(main)


def test_who_joins_is_heard_of_at_once_by_a_process_that_was_alone(
    stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    monkeypatch.setattr(hub_module, "COALESCE_ALONE_S", 60)

    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            await heard(by=1)
            await writer.put(stream, 0, delta("heard by nobody"))
            async with asyncio.timeout(30):
                while hub._others.is_set():
                    await asyncio.sleep(0.01)
            await writer.put(stream, 0, delta("told later"))
            async with a_hub() as other:
                await heard(by=2)
                watch = await other.watch(stream, 0)
                await writer.put(stream, 0, delta("across"))
                assert numbers(await read(watch, 3)) == [1, 2, 3]

    run(main)


def test_one_wake_up_brings_more_than_a_page_holds(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    long = [delta("x" * 20_000), status("between")] * 40

    async def main() -> None:
        async with a_hub() as hub:
            watch = await hub.watch(stream, 0)
            await in_db(silently, long)
            hub._heard(f"{stream}:{len(long)}".encode())
            got = await read(watch, len(long))
            assert numbers(got) == list(range(1, len(long) + 1))

    def silently(events: list[NewEvent]) -> None:
        with monkeypatch.context() as nobody:
            nobody.setattr(wakeup, "wake_readers", lambda *_: None)
            append_now(stream, *events)

    run(main)


def test_it_keeps_no_more_text_than_a_page(stream: int) -> None:
    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            first = await hub.watch(stream, 0)
            second = await hub.watch(stream, 0)
            for number in range(60):
                await writer.put(stream, 0, delta(str(number) + "x" * 15_000))
                await writer.put(stream, 0, status(str(number)))
            await writer.flush(stream)
            assert numbers(await read(first, 120)) == list(range(1, 121))
            tail = hub._tails[stream]
            assert tail.chars == sum(map(watching._chars, tail.recent)) <= watching.RECENT_CHARS
            page = await second.next()
            assert sum(map(watching._chars, page)) < log_pages.PAGE_BYTES + 16_384
            assert numbers(page + await read(second, 120)) == list(range(1, 121))

    run(main)


def test_it_keeps_nothing_of_a_stream_that_rests(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 0.02)
    monkeypatch.setattr(watching, "RESTS_AFTER_S", 3600)
    idle = a_stream("session_idle")
    append_now(idle, status("queued"))

    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            first, beside = await hub.watch(stream, 0), await hub.watch(idle, 0)
            assert numbers(await read(beside, 1)) == [1]
            assert not hub._tails[idle].recent
            for number in range(3):
                await writer.put(stream, 0, status(str(number)))
            assert numbers(await read(first, 3)) == [1, 2, 3]
            tail = hub._tails[stream]
            assert numbers([*tail.recent]) == [1, 2, 3]
            monkeypatch.setattr(watching, "RESTS_AFTER_S", 0)
            async with asyncio.timeout(30):
                while tail.recent:
                    await asyncio.sleep(0.01)
            assert tail.chars == 0
            late = await hub.watch(stream, 1)
            assert numbers(await read(late, 3)) == [2, 3]
            assert not tail.recent
            await writer.put(stream, 0, status("on"))
            assert [numbers(await read(each, 4)) for each in (first, late)] == [[4], [4]]

    run(main)


def test_it_tells_others_of_appends_in_this_process(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)

    async def main() -> None:
        async with a_hub() as hub:
            watch = await hub.watch(stream, 0)
            await in_db(append_now, stream, status("queued"))
            assert numbers(await read(watch, 1)) == [1]

    run(main)


def test_it_takes_batches_in_any_order(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    for number in range(12):
        append_now(stream, status(str(number)))
    events = stored(stream)
    parts = [events[0:3], events[3:4], events[4:8], events[8:12], events[2:6]]

    async def main(order: list[int]) -> None:
        async with a_hub() as hub:
            watch = await hub.watch(stream, 0)
            hub._tails[stream].last = 0
            got: list[StoredEvent] = []
            for i in order:
                hub.deliver(parts[i])
                got += await watch.next() if watch.cursor < hub._tails[stream].last else []
            assert got == events

    chance = random.Random(1)
    for _ in range(30):
        order = list(range(len(parts)))
        chance.shuffle(order)
        asyncio.run(main(order))


def test_it_serves_readers_that_come_and_go_while_it_writes(stream: int) -> None:
    chance = random.Random(7)

    async def reader(hub: Hub, last: int) -> None:
        seen: list[StoredEvent] = []
        cursor = 0
        while cursor < last:
            watch = await hub.watch(stream, cursor)
            for _ in range(chance.randint(1, 4)):
                if cursor < last:
                    events = await watch.next()
                    seen += events
                    cursor = watch.cursor
                    await asyncio.sleep(chance.random() / 200)
            watch.close()
            watch.close()
        assert numbers(seen) == list(range(1, last + 1))

    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            readers = [asyncio.create_task(reader(hub, 400)) for _ in range(8)]
            for number in range(400):
                if number % 10 == 9:
                    await writer.flush(stream)
                    await in_db(append_now, stream, status(str(number)))
                else:
                    await writer.put(stream, 0, status(str(number)))
                await asyncio.sleep(0)
            await asyncio.wait_for(asyncio.gather(*readers), 60)
            assert hub._tails == {}

    run(main)


def test_it_lives_without_valkey(
    stream: int, monkeypatch: pytest.MonkeyPatch, settings: object, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(django_settings, "REDIS_URL", "unix:///tmp/nobody-listens-here.sock")
    monkeypatch.setattr(hub_module, "POLL_S", 0.05)

    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            watch = await hub.watch(stream, 0)
            await writer.put(stream, 0, delta("here"))
            await in_db(append_now, stream, status("queued"))
            assert numbers(await read(watch, 2)) == [1, 2]
            await in_db(elsewhere, stream, 1)
            assert numbers(await read(watch, 3)) == [3]
            await asyncio.sleep(0.1)

    with caplog.at_level(logging.WARNING, logger="countersign"):
        run(main)
    assert not [record for record in caplog.records if record.levelno >= logging.CRITICAL]


def test_it_goes_on_when_a_watched_stream_is_deleted(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 0.05)
    gone = a_stream("session_gone")

    async def main() -> None:
        async with a_hub() as hub:
            await hub.watch(gone, 0)
            watch = await hub.watch(stream, 0)
            await in_db(Stream.objects.filter(pk=gone).delete)
            await in_db(elsewhere, stream, 1)
            assert numbers(await read(watch, 1)) == [1]

    run(main)


def test_it_asks_for_everything_watched_in_one_query(
    stream: int, django_assert_num_queries: Callable[..., object]
) -> None:
    streams = [stream, a_stream("session_2"), a_stream("session_3")]
    process = uuid.uuid4()
    append_now(stream, status("queued"))
    with django_assert_num_queries(1):
        assert presence.renew_and_last(streams, streams, process) == {streams[0]: 1, streams[1]: 0, streams[2]: 0}
    assert Presence.objects.filter(process=process).count() == 3


def test_it_renews_presence_while_somebody_reads(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 0.03)

    def age_s() -> float | None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT extract(epoch FROM now() - max(seen_at)) FROM chat_presence")
            return cursor.fetchone()[0]

    def long_ago() -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE chat_presence SET seen_at = now() - interval '1 hour'")

    async def is_left_alone() -> bool:
        await in_db(long_ago)
        await asyncio.sleep(0.1)
        return await in_db(age_s) > 60

    async def main() -> None:
        async with a_hub() as hub:
            assert await in_db(age_s) is None
            watch = await hub.watch(stream, 0)
            assert await in_db(age_s) < 60
            await in_db(long_ago)
            async with asyncio.timeout(30):
                while await in_db(age_s) > 60:
                    await asyncio.sleep(0.01)
            watch.close()
            # One look may have begun by then, and the next one tells that somebody left; none after it renews anything.
            assert await is_left_alone() or await is_left_alone() or await is_left_alone()

    run(main)


def test_it_notes_one_presence_of_readers_that_poll(stream: int) -> None:
    presence.renew([stream], None)
    presence.renew([stream], None)
    presence.renew([stream, 987654321], uuid.uuid4())
    assert Presence.objects.count() == 2


def test_it_ends_whenever_it_is_closed(stream: int) -> None:
    """The Valkey client swallows a cancellation while it connects."""

    async def main(after_s: float) -> None:
        async with a_hub():
            await asyncio.sleep(after_s)

    for number in range(20):
        asyncio.run(asyncio.wait_for(main(number * 0.00005), 30))
