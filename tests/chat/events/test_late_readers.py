"""Readers who come while others read already, or while something is being committed."""

import asyncio
from typing import Any

import pytest

from chat.concurrency.database import in_db
from chat.events import hub as hub_module
from chat.events import log_pages, presence, wakeup
from chat.events.vocabulary import StoredEvent
from tests.chat.events.hubs import a_hub, a_writer, elsewhere, read, run
from tests.chat.events.logs import a_stream, append_now, numbers, status

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_misses_nothing_when_a_second_reader_comes_before_the_wake_up(
    stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newcomer looks at the table and knows more than the hub."""
    monkeypatch.setattr(hub_module, "POLL_S", 60)

    async def main() -> None:
        async with a_hub() as hub, a_writer(hub) as writer:
            first = await hub.watch(stream, 0)
            await writer.put(stream, 0, status("1"))
            await writer.put(stream, 0, status("2"))
            assert numbers(await read(first, 2)) == [1, 2]
            waiting = asyncio.create_task(read(first, 3))
            await asyncio.sleep(0)
            await in_db(elsewhere, stream, 1)
            second = await hub.watch(stream, 0)
            assert numbers(await asyncio.wait_for(waiting, 30)) == [3]
            await writer.put(stream, 0, status("4"))
            assert numbers(await read(first, 4)) == [4]
            assert numbers(await read(second, 4)) == [1, 2, 3, 4]

    run(main)


def test_it_misses_nothing_that_is_committed_while_a_reader_arrives(
    stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    in_time = presence.renew_and_last

    def late(*asked: Any) -> dict[int, int]:
        """Between the look at the table and the answer somebody appends, and the hub hears of it."""
        found = in_time(*asked)
        append_now(stream, status("meanwhile"))
        return found

    async def main() -> None:
        async with a_hub() as hub:
            monkeypatch.setattr(presence, "renew_and_last", late)
            watch = await hub.watch(stream, 0)
            monkeypatch.setattr(presence, "renew_and_last", in_time)
            assert numbers(await read(watch, 1)) == [1]

    run(main)


def test_it_does_not_read_a_long_stream_from_its_beginning_for_a_late_reader(
    stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    in_time, asked = presence.renew_and_last, []
    after = log_pages.after

    def late(*arrivals: Any) -> dict[int, int]:
        found = in_time(*arrivals)
        elsewhere(stream, 1)
        wakeup.wake_readers(stream, 301)
        return found

    def counted(cursors: dict[int, int], limit: int) -> list[StoredEvent]:
        asked.append(dict(cursors))
        return after(cursors, limit)

    async def main() -> None:
        await in_db(elsewhere, stream, 300)
        async with a_hub() as hub:
            monkeypatch.setattr(presence, "renew_and_last", late)
            monkeypatch.setattr(log_pages, "after", counted)
            watch = await hub.watch(stream, 300)
            assert numbers(await read(watch, 301)) == [301]
        assert min(cursors[stream] for cursors in asked) == 300

    run(main)


def test_readers_that_come_together_share_what_is_read(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    looks, pages = count_calls(monkeypatch, presence, "renew_and_last"), count_calls(monkeypatch, log_pages, "after")
    other = a_stream("session_2")
    cursors = [0, 0, 3, 40, 590, 1100, 1199, 1200] * 5

    async def main() -> None:
        await in_db(elsewhere, stream, 1200)
        await in_db(elsewhere, other, 1200)
        async with a_hub() as hub:

            async def all_after(stream_id: int, cursor: int) -> None:
                watch = await hub.watch(stream_id, cursor)
                if cursor < 1200:
                    assert numbers(await read(watch, 1200)) == list(range(cursor + 1, 1201))

            await asyncio.gather(*[all_after(id_, cursor) for cursor in cursors for id_ in (stream, other)])
        assert len(looks) <= 2
        assert len(pages) < len(cursors)

    run(main)


def count_calls(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[tuple[Any, ...]]:
    """The arguments of every call from now on."""
    calls: list[tuple[Any, ...]] = []
    original = getattr(module, name)

    def counted(*given: Any) -> Any:
        calls.append(given)
        return original(*given)

    monkeypatch.setattr(module, name, counted)
    return calls


def test_who_asked_is_given_what_was_just_stored_from_memory(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)
    looks, pages = count_calls(monkeypatch, presence, "renew_and_last"), count_calls(monkeypatch, log_pages, "after")

    async def main() -> None:
        async with a_hub() as hub:
            await in_db(append_now, stream, status("1"), status("2"))
            watch = await hub.watch(stream, 0, last=2, noted=True)
            assert numbers(await read(watch, 2)) == [1, 2]
            await in_db(append_now, stream, status("3"))
            assert numbers(await read(watch, 3)) == [3]
            assert not looks
            assert not pages

    run(main)


def test_nothing_is_missed_where_another_process_stored_more_before_the_first_reader_came(
    stream: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 60)

    async def main() -> None:
        async with a_hub() as hub:
            await in_db(append_now, stream, status("1"))
            await in_db(elsewhere, stream, 1)
            hub._heard(f"{stream}:2".encode())
            watch = await hub.watch(stream, 0, last=1, noted=True)
            assert numbers(await read(watch, 2)) == [1, 2]

    run(main)


def test_what_nobody_reads_is_kept_for_a_moment(stream: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "POLL_S", 0.02)

    async def main() -> None:
        async with a_hub() as hub:
            await in_db(append_now, stream, status("1"))
            async with asyncio.timeout(30):
                while hub._unread:
                    await asyncio.sleep(0.01)
            watch = await hub.watch(stream, 0, last=1, noted=True)
            assert numbers(await read(watch, 1)) == [1]

    run(main)
