"""The consumers of `/ws/graphs/<key>/` and `/ws/objects/<type>/<key>/`: who is there, and what they do."""

import asyncio
import uuid
from abc import abstractmethod
from typing import Any, ClassVar

from chat.engine import runtime
from chat.live.people import Person
from chat.live.room import ObjectGone, Watcher
from chat.live.rooms import Rooms
from chat.sockets import graph_commands, graph_frames, object_commands, object_frames, refusals
from chat.sockets.closing import NOT_THERE, Closing
from chat.sockets.person import PersonConsumer
from graphs.site.access import NotFound
from graphs.workflows.live.editing import operations_json


class RoomConsumer(PersonConsumer):
    """The socket of one object's page: shows who else is there, and what happens to the object."""

    def __init__(self) -> None:
        super().__init__()
        self.object_id = 0
        self.watcher: Watcher | None = None
        self._rooms: Rooms | None = None
        self._sending: asyncio.Task[None] | None = None

    @abstractmethod
    async def open(self) -> tuple[int, bool]:
        """The id of the object that the address names, and whether the person may edit it. Raises `NotFound`."""

    def told_first(self, watcher: Watcher) -> dict[str, Any]:
        """What is told besides of the object when its page is opened."""
        return {}

    async def authenticated(self) -> None:
        """Opens the object. One that the person may not see is answered as one that is not there."""
        assert self.identity is not None
        self._rooms = runtime.current().rooms
        try:
            self.object_id, may_edit = await self.open()
            person = Person(id=uuid.uuid4().hex[:12], name=self.identity.user.get_username())
            watcher = await self._rooms.enter(self.prefix, self.object_id, person, self.identity.user.pk)
            if watcher is None:
                raise NotFound
        except NotFound as error:
            await self.refuse(None, *refusals.described(error))
            raise Closing(NOT_THERE) from None
        self.watcher = watcher
        opened = {"you": person.id, "version": watcher.version, "mayEdit": may_edit, **self.told_first(watcher)}
        await self.send_frame({"type": f"{self.prefix}:opened", **opened})
        self._sending = asyncio.create_task(self.forward(f"{self.prefix} {self.object_id}", self._news, str))

    async def _news(self) -> list[str]:
        assert self.watcher is not None
        try:
            return await self.watcher.next()
        except ObjectGone:
            raise Closing(NOT_THERE) from None

    async def disconnect(self, code: int | None) -> None:
        if self._sending is not None:
            self._sending.cancel()
        if self.watcher is not None and self._rooms is not None:
            self._rooms.leave(self.watcher)
        await super().disconnect(code)

    def look(self, selection: tuple[str, ...], cursor: dict[str, Any] | None = None) -> None:
        """Shows the others what the person looks at."""
        if self.watcher is None or self._rooms is None:
            return
        self.watcher.person.selection = selection
        self.watcher.person.cursor = cursor
        self._rooms.show_presence_soon(self.watcher.room)


class GraphConsumer(RoomConsumer):
    """The socket of one graph: edits it live, and shows what others do to it."""

    prefix = "graph"
    adapter = graph_frames.adapter
    sort = "graph-sockets"

    async def open(self) -> tuple[int, bool]:
        return await self.as_person(graph_commands.open_graph, self.workspace, self.scope["url_route"]["kwargs"]["key"])

    def told_first(self, watcher: Watcher) -> dict[str, Any]:
        return {"unsaved": watcher.room.unsaved}

    async def handle(self, frame: Any) -> None:
        match frame:
            case graph_frames.Edit() | graph_frames.Undo():
                done = await self.as_writer(graph_commands.edit, self.workspace, self.object_id, frame)
                if self.watcher is not None:
                    self.watcher.room.editors.add(self.watcher.user_id)
                runtime.current().rooms.edited(self.object_id)
                acknowledged = {"version": done.version, "operations": operations_json(done)}
                await self.send_frame({"type": "graph:ack", "_id": frame.id, **acknowledged})
            case graph_frames.Save():
                saved = await self.as_writer(graph_commands.save, self.workspace, self.object_id)
                runtime.current().rooms.edited(self.object_id)
                version = self.watcher.room.version if self.watcher else None
                answer = {"version": version, "changeSetIds": [str(change_set) for change_set in saved]}
                await self.send_frame({"type": "graph:saved", "_id": frame.id, **answer})
            case graph_frames.Presence():
                self.look(tuple(frame.selection), frame.cursor.model_dump() if frame.cursor else None)


class ObjectConsumer(RoomConsumer):
    """The socket of the page of any other object: who is there, and in which field they are."""

    prefix = "object"
    adapter = object_frames.adapter
    sort: ClassVar[str] = "object-sockets"

    async def open(self) -> tuple[int, bool]:
        named = self.scope["url_route"]["kwargs"]
        return await self.as_person(object_commands.open_object, self.workspace, named["type"], named["key"])

    async def handle(self, frame: Any) -> None:
        if isinstance(frame, object_frames.Presence):
            self.look(tuple(frame.selection))
