"""Wakes readers of streams in a web process: on word of its writer or Valkey, and each second for what was lost."""

import asyncio
import logging
import re
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import groupby

import redis
from django.conf import settings
from django.db import Error as DatabaseTrouble

from chat.concurrency import background
from chat.concurrency.batching import Batched
from chat.concurrency.database import in_db
from chat.events import log_pages, presence, wakeup
from chat.events.vocabulary import StoredEvent
from chat.events.watching import RECENT, Tail, Watch
from graphs.site import valkey
from graphs.site.database_away import AWAY

log = logging.getLogger("countersign.hub")

#: Pages that one statement reads.
PAGES_AT_ONCE = 8
POLL_S = 1.0
RENEW_PRESENCE_S = 5.0
#: Wake-ups for other processes are gathered this long.
COALESCE_S = 0.01
#: And so long where nobody but this process heard the last of them, and nobody has joined since.
COALESCE_ALONE_S = 0.5
_WAKE_UP = re.compile(rb"(\d{1,18}):(\d{1,18})")


class CursorBeyondEnd(Exception):
    """The cursor names an event that does not exist yet; nothing is served for it."""


class Hub:
    def __init__(self, process_id: uuid.UUID, fail: Callable[[], None]) -> None:
        """`fail` is called when a job of the hub broke: the process has to end."""
        self._process_id = process_id
        self._fail = fail
        self._tails: dict[int, Tail] = {}
        #: Streams that nobody reads, with what this process stored of them lately.
        self._unread: dict[int, Tail] = {}
        self._behind: dict[int, int] = {}
        self._outgoing: dict[int, int] = {}
        self._refresh = asyncio.Event()
        self._publish = asyncio.Event()
        self._joining = b"joined %s" % process_id.hex.encode()
        #: Set while others may listen.
        self._others = asyncio.Event()
        self._others.set()
        self._tasks: list[asyncio.Task[None]] = []
        self._loop = asyncio.get_running_loop()
        self._renew_at = 0.0
        self._left: set[int] = set()
        self._arrivals: Batched[tuple[int, bool], int] = Batched(self._arrived)
        self.pages: Batched[tuple[int, int], list[StoredEvent]] = Batched(self._read, PAGES_AT_ONCE)

    def start(self) -> None:
        self._publisher = valkey.publisher()
        hearing = valkey.listen_forever(wakeup.channel(), self._heard, self._tell_of_joining)
        jobs = (self._refresh_forever(), self._publish_forever(), hearing, self._poll_forever())
        self._tasks = background.start(jobs, self._fail)
        # A transaction of this process may append in any thread.
        wakeup.local = lambda *appended: self._loop.call_soon_threadsafe(self._take, *appended)

    async def close(self) -> None:
        wakeup.local = None
        await background.end(self._tasks)
        await self._publisher.aclose()

    async def watch(
        self, stream_id: int, after: int, *, present: bool = True, last: int | None = None, noted: bool = False
    ) -> Watch:
        """A reader from the event after `after` on; raises `CursorBeyondEnd` for a cursor from the future.

        The caller has made sure that the reader may read the stream. The leaving of a reader who is `present` may end
        the answer; `noted`: that they are here is stored already. A caller that has just read the `last` number gives
        it, so that it is not asked for again where the stream's end is known here.
        """
        tail = self._tails.setdefault(stream_id, self._unread.pop(stream_id, Tail()))
        watch = Watch(self, tail, stream_id, after, present=present)
        comes = present and not noted and not any(other.present for other in tail.watches)
        tail.watches.add(watch)
        try:
            if last is None or not tail.started or after > last or comes:
                last = await self._arrivals.answer((stream_id, comes))
            if after > max(last, tail.last):
                raise CursorBeyondEnd
        except BaseException:  # Cancelled, too: nobody else knows of the watch.
            watch.close()
            raise
        tail.start(last)
        self._refresh.set()
        return watch

    def unwatch(self, watch: Watch) -> None:
        tail = self._tails.get(watch.stream_id)
        if tail is None:
            return
        if watch.present and watch in tail.watches:
            self._left.add(watch.stream_id)
        tail.watches.discard(watch)
        if not tail.watches:
            del self._tails[watch.stream_id]
            self._behind.pop(watch.stream_id, None)

    def deliver(self, events: Sequence[StoredEvent]) -> None:
        """Takes what the writer of this process has committed, for readers here and, as wake-ups, elsewhere."""
        by_stream: dict[int, list[StoredEvent]] = {}
        for event in events:
            by_stream.setdefault(event.stream_id, []).append(event)
        for stream_id, own in by_stream.items():
            self._take(stream_id, own[-1].sequence, own)

    async def _arrived(self, arrivals: Sequence[tuple[int, bool]]) -> list[int]:
        """Stores that people read these streams, and returns the last number of each."""
        read = {stream_id for stream_id, present in arrivals if present}
        wanted = {stream_id for stream_id, _present in arrivals}
        lasts = await in_db(presence.renew_and_last, list(read), list(wanted), self._process_id)
        return [lasts.get(stream_id, 0) for stream_id, _present in arrivals]

    async def _read(self, cursors: Sequence[tuple[int, int]]) -> list[list[StoredEvent]]:
        """A page after each (stream, cursor), read at once from each stream's earliest cursor on."""
        pages: dict[tuple[int, int], list[StoredEvent]] = {}
        while left := sorted(set(cursors) - pages.keys(), reverse=True):
            earliest = dict(left)
            events = await in_db(log_pages.after, earliest, log_pages.PAGE_EVENTS)
            for stream_id, cursor in left:
                page = [event for event in events if event.stream_id == stream_id and event.sequence > cursor]
                if page or cursor == earliest[stream_id]:
                    pages[stream_id, cursor] = page
        return [pages[each] for each in cursors]

    def _take(self, stream_id: int, last: int, events: Sequence[StoredEvent]) -> None:
        """Takes that a stream ends at `last` now, with those of the events up to it that are at hand.

        Also of one that nobody reads: who asked something reads the answer in a moment.
        """
        self._outgoing[stream_id] = max(last, self._outgoing.get(stream_id, 0))
        self._publish.set()
        tail = self._tails.get(stream_id) or self._unread.get(stream_id)
        if tail is None and events:
            tail = self._unread[stream_id] = Tail()
            tail.started = True
        if tail is not None:
            tail.add(events)
        self._fall_behind(stream_id, last)

    def _fall_behind(self, stream_id: int, last: int) -> None:
        tail, unread = self._tails.get(stream_id), self._unread.get(stream_id)
        if tail is not None and last > tail.last:
            self._behind[stream_id] = max(last, self._behind.get(stream_id, 0))
            self._refresh.set()
        if unread is not None and last > unread.last:
            del self._unread[stream_id]

    def _to_renew(self) -> list[int]:
        """The streams that people read, as often as the grace period needs it, and those that somebody just left."""
        now = self._loop.time()
        left, self._left = self._left, set()
        if now < self._renew_at:
            return list(left)
        self._renew_at = now + min(RENEW_PRESENCE_S, settings.DISCONNECT_GRACE_S / 3)
        read = {id_ for id_, tail in self._tails.items() if any(watch.present for watch in tail.watches)}
        return list(left | read)

    async def _refresh_forever(self) -> None:
        """Reads the rows of all streams that others wrote to, in one query per round."""
        while True:
            await self._refresh.wait()
            self._refresh.clear()
            behind = {id_: self._tails[id_].last for id_ in self._behind if self._tails[id_].started}
            lasts = {id_: self._behind.pop(id_) for id_ in behind}
            if not behind:
                continue
            try:
                events = await in_db(log_pages.after, behind, RECENT)
            except AWAY as error:
                log.warning("events not read, trying again: %s", type(error).__name__)
                continue
            except Exception as error:  # Any: what one of them holds cannot be read. Each reader finds out alone.
                log.warning("events not read for all, each reader reads alone: %s", type(error).__name__)
                for stream_id in behind.keys() & self._tails.keys():
                    self._tails[stream_id].start(lasts[stream_id])
                continue
            for stream_id, found in groupby(events, key=lambda event: event.stream_id):
                tail = self._tails.get(stream_id)
                if tail is not None:
                    tail.add(list(found))
                    self._fall_behind(stream_id, lasts[stream_id])  # where a page did not reach so far

    async def _publish_forever(self) -> None:
        while True:
            await self._publish.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(COALESCE_ALONE_S):
                    await self._others.wait()
            await asyncio.sleep(COALESCE_S)
            self._publish.clear()
            outgoing, self._outgoing = self._outgoing, {}
            text = ",".join(f"{id_}:{last}" for id_, last in outgoing.items())
            self._others.clear()  # Before it is known that nobody heard this: somebody may join meanwhile.
            try:
                alone = await self._publisher.publish(wakeup.channel(), text) <= 1
            except (redis.RedisError, OSError) as error:
                alone = False
                log.warning("wake-ups not published: %s", type(error).__name__)
            if not alone:
                self._others.set()

    async def _tell_of_joining(self) -> None:
        """Tells the others that one more hears them: its readers are not to wait as long as nobody's would."""
        await self._publisher.publish(wakeup.channel(), self._joining)

    def _heard(self, data: bytes) -> None:
        if data.startswith(b"joined") and data != self._joining:
            self._others.set()
        for stream_id, last in _WAKE_UP.findall(data):
            self._fall_behind(int(stream_id), int(last))

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(POLL_S)
            self._unread.clear()
            for tail in self._tails.values():
                tail.forget_at_rest()
            watched = list(self._tails)
            if not watched and not self._left:
                continue
            try:
                lasts = await in_db(presence.renew_and_last, self._to_renew(), watched, self._process_id)
            except DatabaseTrouble as error:
                log.warning("streams not polled, trying again: %s", type(error).__name__)
                continue
            for stream_id, last in lasts.items():
                self._fall_behind(stream_id, last)
