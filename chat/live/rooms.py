"""The objects that are watched through this process: who comes and goes, what happened, what other processes say.

Valkey only says that there are edits and who is there. Because that may be lost, watched objects are read every second.
"""

import asyncio
import json
import logging
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

import redis
from django.conf import settings

from chat.concurrency import background
from chat.concurrency.database import in_db
from chat.live.people import Person
from chat.live.room import Room, Watcher
from graphs.history import live_edits
from graphs.site import valkey
from graphs.site.database_away import AWAY
from graphs.workflows.live.live_states import live_states

log = logging.getLogger("countersign.live")

LOOK_EVERY_S = 1.0
#: How often each process publishes who watches through it.
PUBLISH_EVERY_S = 3.0
#: What happens within it is published together.
TOGETHER_S = 0.02
#: What people look at and where they point, which they change all the time, is gathered longer.
PRESENCE_TOGETHER_S = 0.1
#: How often every process looks for edits that have waited long enough, of whichever process.
SAVE_LOOK_S = 5.0


def channel() -> str:
    """The Valkey channel; a message is JSON: `process`, `graph` (an object's id), and `people`, `edited` or `asks`."""
    return f"{settings.REDIS_PREFIX}:graphs"


class Rooms:
    """One for each web process."""

    def __init__(self, process_id: uuid.UUID, fail: Callable[[], None]) -> None:
        self._process = process_id.hex
        self._fail = fail
        self._rooms: dict[int, Room] = {}
        self._look = asyncio.Event()
        self._outgoing_news = asyncio.Event()
        self._outgoing: dict[tuple[int, str], dict[str, Any]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._savings: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        self._publisher = valkey.publisher()
        jobs: tuple[Coroutine[Any, Any, None], ...] = (
            *(self._look_forever(), self._publish_forever(), self._renew_forever(), self._save_forever()),
            valkey.listen_forever(channel(), self._heard),
        )
        self._tasks = background.start(jobs, self._fail)

    async def close(self) -> None:
        """Waits for edits that are being saved because their people left."""
        if self._savings:
            await asyncio.wait(self._savings)
        await background.end(self._tasks)
        await self._publisher.aclose()

    async def enter(self, prefix: str, object_id: int, person: Person, user_id: int) -> Watcher | None:
        """A watcher of an object in its present version, whose frames have this prefix; None if the object is gone."""
        room = self._rooms.get(object_id)
        if room is None:
            found = (await in_db(live_states, {object_id: 0}, edits=False)).get(object_id)
            if found is None:
                return None
            fresh = Room(prefix, object_id, found.version, found.unsaved_since is not None)
            room = self._rooms.setdefault(object_id, fresh)
            self._publish(object_id, "asks", True)
        watcher = Watcher(room, person, user_id)
        room.watchers.add(watcher)
        self._show_people(room)
        self._look.set()
        return watcher

    def leave(self, watcher: Watcher) -> None:
        """Ends watching. What somebody did live is saved when the last page that they have here is closed."""
        room = watcher.room
        room.watchers.discard(watcher)
        stays = any(other.user_id == watcher.user_id for other in room.watchers)
        if watcher.user_id in room.editors and not stays:
            room.editors.discard(watcher.user_id)
            task = asyncio.create_task(self._save(room.object_id))
            self._savings.add(task)
            task.add_done_callback(self._savings.discard)
        self._show_people(room)
        if not room.watchers:
            self._rooms.pop(room.object_id, None)

    def show_presence_soon(self, room: Room) -> None:
        """Shows that somebody looks at something else or points elsewhere, together with what follows at once."""
        if not room.presence_due:
            room.presence_due = True
            self._loop.call_later(PRESENCE_TOGETHER_S, self._show_presence, room)

    def _show_presence(self, room: Room) -> None:
        room.presence_due = False
        if room.watchers:
            self._show_people(room)

    def _show_people(self, room: Room) -> None:
        room.refresh_people(self._loop.time())
        self._publish(room.object_id, "people", room.own_people())

    def edited(self, object_id: int) -> None:
        """Has all rooms look at an object that this process changed."""
        self._look.set()
        self._publish(object_id, "edited", True)

    async def _save(self, object_id: int) -> None:
        try:
            await in_db(live_edits.save_edits, object_id)
        except Exception:  # Any: the clock of some process saves it.
            log.warning("object %s not saved when somebody left", object_id, exc_info=True)
        self.edited(object_id)

    def _publish(self, object_id: int, what: str, value: Any) -> None:
        self._outgoing[object_id, what] = {"process": self._process, "graph": object_id, what: value}
        self._outgoing_news.set()

    async def _look_forever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._look.wait()
            except TimeoutError:
                pass
            self._look.clear()
            if not self._rooms:
                continue
            try:
                rooms = dict(self._rooms)
                found = await in_db(
                    live_states,
                    {object_id: room.version for object_id, room in rooms.items()},
                    unsaved={object_id for object_id, room in rooms.items() if room.unsaved},
                )
            except AWAY as error:
                log.warning("objects not looked at, trying again: %s", type(error).__name__)
                await asyncio.sleep(LOOK_EVERY_S)
                continue
            for object_id, room in rooms.items():
                now = found.get(object_id)
                if now is None or (now.version, now.unsaved_since is not None) != (room.version, room.unsaved):
                    room.take(now)
                room.refresh_people(self._loop.time())

    async def _publish_forever(self) -> None:
        while True:
            await self._outgoing_news.wait()
            await asyncio.sleep(TOGETHER_S)
            self._outgoing_news.clear()
            outgoing, self._outgoing = self._outgoing, {}
            try:
                for message in outgoing.values():
                    await self._publisher.publish(channel(), json.dumps(message))
            except (redis.RedisError, OSError) as error:
                log.warning("other processes not reached: %s", type(error).__name__)

    async def _renew_forever(self) -> None:
        while True:
            await asyncio.sleep(PUBLISH_EVERY_S)
            for object_id, room in self._rooms.items():
                self._publish(object_id, "people", room.own_people())

    def _heard(self, data: bytes) -> None:
        try:
            message = json.loads(data)
            room, process = self._rooms.get(message["graph"]), message["process"]
        except (ValueError, KeyError, TypeError):
            log.warning("what another process said of an object cannot be read")
            return
        if room is None or process == self._process:
            return
        if isinstance(message.get("people"), list):
            room.elsewhere.hear(process, message["people"], self._loop.time())
            room.refresh_people(self._loop.time())
        elif "asks" in message:
            self._publish(room.object_id, "people", room.own_people())
        else:
            self._look.set()

    async def _save_forever(self) -> None:
        while True:
            await asyncio.sleep(SAVE_LOOK_S)
            try:
                if await in_db(live_edits.save_due):
                    self._look.set()
            except AWAY as error:
                log.warning("live edits not saved, trying again: %s", type(error).__name__)
            except Exception:  # Any: whatever is wrong with one graph, those of others have to be saved.
                log.warning("live edits not saved, trying again", exc_info=True)
