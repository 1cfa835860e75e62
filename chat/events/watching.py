"""Readers of streams in this process, and the newest events of these streams in memory. Made by the hub."""

import asyncio
import math
import time
from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from chat.events.vocabulary import MERGEABLE, StoredEvent, to_json

if TYPE_CHECKING:
    from chat.events.hub import Hub

#: Committed events kept of a stream, and their text.
RECENT = 256
RECENT_CHARS = 262_144
#: A stream without a new event for so long rests: whoever still comes to read it reads the table.
RESTS_AFTER_S = 10.0


class Watch:
    """A reader of one stream, from the event after `after` on; `Hub.watch` makes it, its owner closes it."""

    def __init__(self, hub: "Hub", tail: "Tail", stream_id: int, after: int, *, present: bool = True) -> None:
        self._hub = hub
        self._tail = tail
        self.present = present
        self.stream_id = stream_id
        self.cursor = after
        self.news = asyncio.Event()

    async def next(self) -> list[StoredEvent]:
        """Waits for events after the cursor, moves it, and returns them, a page at most."""
        while True:
            self.news.clear()
            events = self._tail.since(self.cursor)
            if events is None:
                events = await self._hub.pages.answer((self.stream_id, self.cursor))
                self._tail.remember(events)
            if events:
                self.cursor = events[-1].sequence
                return events
            await self.news.wait()

    def close(self) -> None:
        self._hub.unwatch(self)


class Tail:
    """The end of one watched stream: its last number, its newest events, and who waits for more.

    `recent` is empty or a run without gaps that ends at `last`; `chars` is how much text it holds. A stream that rests
    keeps nothing, so that thousands of idle tabs cost next to nothing. `started` once the stream's end was looked up.
    """

    def __init__(self) -> None:
        self.started = False
        self.last = 0
        self.moved_at = -math.inf
        self.recent: deque[StoredEvent] = deque()
        self.chars = 0
        self.watches: set[Watch] = set()

    def add(self, events: Sequence[StoredEvent]) -> None:
        """Takes committed events; what is known already is dropped, a gap empties `recent` (readers use the table)."""
        fresh = [event for event in events if event.sequence > self.last]
        if not fresh:
            return
        if fresh[0].sequence != self.last + 1:
            self._forget()
        self._keep(fresh)
        self.last = fresh[-1].sequence
        self.moved_at = time.monotonic()
        self.wake()

    def start(self, last: int) -> None:
        """Takes note that the table goes on to `last` at least; what is not known here is read from there."""
        self.started = True
        if last > self.last:
            self.last = last
            self._forget()
            self.wake()

    def remember(self, page: Sequence[StoredEvent]) -> None:
        """Keeps a page that was read if it is the end of the stream, because others will want it."""
        if not self.recent and page and page[-1].sequence == self.last and not self._rests():
            self._keep(page)

    def forget_at_rest(self) -> None:
        if self.recent and self._rests():
            self._forget()

    def _rests(self) -> bool:
        return time.monotonic() - self.moved_at > RESTS_AFTER_S

    def _keep(self, events: Sequence[StoredEvent]) -> None:
        self.recent.extend(events)
        self.chars += sum(map(_chars, events))
        while len(self.recent) > RECENT or self.chars > RECENT_CHARS:
            self.chars -= _chars(self.recent.popleft())

    def _forget(self) -> None:
        self.recent.clear()
        self.chars = 0

    def wake(self) -> None:
        for watch in self.watches:
            watch.news.set()

    def since(self, cursor: int) -> list[StoredEvent] | None:
        """The events after the cursor from memory, or None if memory does not reach back so far."""
        if cursor >= self.last:
            return []
        if not self.recent or self.recent[0].sequence > cursor + 1:
            return None
        return list(islice(self.recent, cursor + 1 - self.recent[0].sequence, None))


def _chars(event: StoredEvent) -> int:
    """How much text an event holds, about."""
    return len(event.data["delta"]) if event.type in MERGEABLE else len(to_json(event.data))
