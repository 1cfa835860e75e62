"""Deltas that are stored as one: no text is lost, and nothing merges that does not belong together."""

import asyncio
import uuid
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chat.concurrency.database import in_db
from chat.events import writer as writer_module
from chat.events.vocabulary import NewEvent
from tests.chat.events.holding import Holder
from tests.chat.events.logs import (
    a_stream,
    delta,
    numbers,
    stored,
    writing,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def streams_of_examples() -> Iterator[list[int]]:
    return iter(lambda: a_stream(f"session_{uuid.uuid4()}"), None)


PIECES = st.lists(
    st.one_of(
        st.tuples(st.just("content_delta"), st.text(max_size=5)),
        st.tuples(st.just("reasoning_delta"), st.text(max_size=5)),
        st.tuples(st.just("status"), st.just("running")),
        st.just(("flush", "")),
        st.just(("yield", "")),
    ),
    max_size=30,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES, st.integers(1, 12))
def test_it_merges_without_losing_text_or_order(
    streams_of_examples: Iterator[int], monkeypatch: pytest.MonkeyPatch, pieces: list, limit: int
) -> None:
    stream = next(streams_of_examples)
    monkeypatch.setattr(writer_module, "MERGE_LIMIT_CHARS", limit)

    async def write() -> None:
        async with writing() as it:
            for kind, words in pieces:
                if kind == "flush":
                    await it.writer.flush(stream)
                elif kind == "yield":
                    await asyncio.sleep(0)
                else:
                    await it.writer.put(stream, 0, NewEvent(kind, {"delta" if words != "running" else "state": words}))
            await it.writer.flush(stream)
            assert it.delivered(stream) == await in_db(stored, stream)

    asyncio.run(write())
    events = stored(stream)
    assert numbers(events) == list(range(1, len(events) + 1))
    assert all(len(event.data["delta"]) <= max(limit, 5) for event in events if event.type != "status")

    def told(of: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Runs of the same kind as one, so that merged and unmerged logs look the same."""
        whole: list[tuple[str, str]] = []
        for kind, words in of:
            if whole and whole[-1][0] == kind != "status":
                whole[-1] = (kind, whole[-1][1] + words)
            else:
                whole.append((kind, words))
        return whole

    put = [(kind, words.replace("\0", "\ufffd")) for kind, words in pieces if kind not in {"flush", "yield"}]
    assert told([(event.type, event.data.get("delta", "running")) for event in events]) == told(put)


def test_it_never_merges_across_runs_or_messages(stream: int) -> None:
    first, second = uuid.uuid4(), uuid.uuid4()

    async def write() -> None:
        async with writing() as it:
            with Holder(stream) as holder:
                for run in (first, first, second, first):
                    await it.writer.put(stream, 0, delta("x", run))
                await asyncio.to_thread(holder.let_go)
            await it.writer.flush(stream)

    asyncio.run(write())
    assert [(event.run_id, event.data["delta"]) for event in stored(stream)] == [
        (first, "xx"),
        (second, "x"),
        (first, "x"),
    ]
