"""One object and those who watch it through this process. What happened lately is kept, so that each reads on alone."""

import asyncio
import json
import sys
from collections import deque
from typing import Any

from chat.live.people import MOST, Elsewhere, Person
from graphs.workflows.live.editing import operations_json
from graphs.workflows.live.live_states import LiveState

#: Frames that are kept, and the memory that they take; who is further behind is told to read the graph again.
REMEMBERED = 200
REMEMBERED_BYTES = 1_000_000


class Watcher:
    """One socket that watches an object: what it was sent already, and whether there is more."""

    __slots__ = ("_people_sent", "_saved_sent", "news", "person", "room", "user_id", "version")

    def __init__(self, room: "Room", person: Person, user_id: int) -> None:
        self.room = room
        self.person = person
        self.user_id = user_id
        self.version = room.version
        self._saved_sent = room.saved_number
        self._people_sent = -1
        self.news = asyncio.Event()
        self.news.set()

    async def next(self) -> list[str]:
        """The frames that it was not sent yet, as soon as there are some; raises `ObjectGone`."""
        room = self.room
        while True:
            await self.news.wait()
            self.news.clear()
            if room.gone:
                raise ObjectGone
            if self.version < room.floor:
                found = [room.frame("changed", version=room.version)]
            else:
                found = [text for version, text in room.happened if version > self.version]
            self.version = room.version
            if self._saved_sent != room.saved_number:
                self._saved_sent = room.saved_number
                found.append(room.frame("saved", version=room.version, changeSetIds=room.saved))
            if self._people_sent != room.people_number:
                self._people_sent = room.people_number
                found.append(room.presence)
            if found:
                return found


class ObjectGone(Exception):
    """The object was deleted."""


class Room:
    """`version` is the object's as far as this process has read; all that happened after `floor` is in `happened`.

    The types of its frames begin with `prefix`.
    """

    def __init__(self, prefix: str, object_id: int, version: int, unsaved: bool) -> None:
        self._prefix = prefix
        self.object_id = object_id
        self.version = self.floor = version
        self.unsaved = unsaved
        #: Into which change sets the latest edits were saved, and how often some were.
        self.saved: list[str] = []
        self.saved_number = 0
        self.happened: deque[tuple[int, str]] = deque()
        self._bytes = 0
        self.watchers: set[Watcher] = set()
        #: Users who edited through one of their pages here, until it is saved because they left.
        self.editors: set[int] = set()
        self.elsewhere = Elsewhere()
        #: Rises when somebody comes, goes, or looks at something else.
        self.people_number = 0
        self.presence = self.frame("presence", people=[])
        #: Whether those who watch will soon hear that people look at something else.
        self.presence_due = False
        self.gone = False
        self._shown: list[dict[str, Any]] = []

    def take(self, now: LiveState | None) -> None:
        """Takes what was read of the object, None if it is gone, and wakes those who watch it."""
        self.wake()
        if now is None:
            self.gone = True
            return
        edits = [edit for edit in now.edits if edit.version > self.version]
        if len(edits) == now.version - self.version:
            for edit in edits:
                edited = {
                    "by": edit.person_label,
                    "at": edit.created_at.isoformat(),
                    "operations": operations_json(edit),
                }
                self._remember(edit.version, self.frame("edited", version=edit.version, **edited))
        elif now.version > self.version:
            # Something else changed it, too; its pages read it again as a whole.
            self._remember(now.version, self.frame("changed", version=now.version))
        self.version = max(now.version, self.version)
        unsaved = now.unsaved_since is not None
        if (self.unsaved or now.edits) and not unsaved:
            self.saved = [str(change_set) for change_set in now.saved]
            self.saved_number += 1
        self.unsaved = unsaved

    def _remember(self, version: int, text: str) -> None:
        """Keeps a frame instead of the oldest ones; one that is larger than all that may be kept is not kept."""
        self.happened.append((version, text))
        self._bytes += sys.getsizeof(text)
        while len(self.happened) > REMEMBERED or self._bytes > REMEMBERED_BYTES:
            self.floor, forgotten = self.happened.popleft()
            self._bytes -= sys.getsizeof(forgotten)

    def own_people(self) -> list[dict[str, Any]]:
        return [watcher.person.to_json() for watcher in self.watchers]

    def refresh_people(self, now: float) -> None:
        """Shows everybody who is there, unless that is what they were shown last."""
        people = sorted([*self.own_people(), *self.elsewhere.people(now)], key=lambda each: str(each.get("id")))[:MOST]
        if people != self._shown:
            self._shown = people
            self.presence = self.frame("presence", people=people)
            self.people_number += 1
            self.wake()

    def wake(self) -> None:
        for watcher in self.watchers:
            watcher.news.set()

    def frame(self, name: str, **values: Any) -> str:
        return json.dumps({"type": f"{self._prefix}:{name}", **values}, ensure_ascii=False)
