"""What each frame of a graph's socket does, and what its person is told of the graph meanwhile."""

import asyncio
import hashlib
import json
import logging
import uuid
from collections.abc import Callable, Collection
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from chat.access.checks import Reader
from chat.actions.refusals import Refused
from chat.engine import runtime
from chat.live.people import Person
from chat.live.room import GraphGone, Watcher
from chat.live.rooms import Rooms
from chat.sockets import frames, graph_frames
from chat.sockets.backpressure import TooSlow
from chat.sockets.handler import Desk
from chat.sockets.wire import NOT_THERE, RESTARTING, TOO_SLOW, Closing, Wire
from graphs.api import changes
from graphs.history import live_edits
from graphs.history.editing import KeyUsed, Request
from graphs.history.recording import to_json
from graphs.models import Graph
from graphs.objects.edit_conflicts import Overlapping
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, graph_for
from graphs.site.api import limits
from graphs.site.api.problems import Problem
from graphs.site.url_keys import KeyConverter
from graphs.workflows.live import editing
from graphs.workflows.live.editing import Edited
from graphs.workflows.planning import ChangeRefused

log = logging.getLogger("countersign.socket")


class GraphCommands(Desk):
    """The desk of one graph's socket; `end` closes the connection with a code."""

    at_graph = True
    __slots__ = ("_end", "_graph_id", "_key", "_pump", "_rooms", "_watcher")

    def __init__(self, wire: Wire, end: Callable[[int], None], workspace: str, key: str) -> None:
        super().__init__(wire, workspace)
        self._end = end
        self._key = key
        self._graph_id = 0
        self._watcher: Watcher | None = None
        self._pump: asyncio.Task[None] | None = None
        self._rooms: Rooms | None = None

    def reader(self) -> Reader:
        """Who is here, and in which workspace, for checks of access."""
        assert self.identity is not None
        return Reader(self.identity, () if self.home is None else (self.home,))

    async def begin(self) -> None:
        """Opens the graph: who may not see it is told what they would be told if there were none."""
        assert self.identity is not None
        user = self.identity.user
        self._rooms = rooms = runtime.current().rooms
        try:
            self._graph_id, may_edit = await self._as_person(self._opened)
            person = Person(id=_short_id(), name=user.get_username())
            watcher = await rooms.enter(self._graph_id, person, user.pk)
            if watcher is None:
                raise NotFound
        except NotFound:
            await self._wire.refuse(None, "not_found", _("There is nothing here, or it is not open to you."))
            raise Closing(NOT_THERE) from None
        self._watcher = watcher
        opened = {"you": person.id, "version": watcher.version, "mayEdit": may_edit, "unsaved": watcher.room.unsaved}
        await self._wire.frame({"type": "graph:opened", **opened})
        self._pump = asyncio.create_task(self._tell(watcher))

    def _opened(self) -> tuple[int, bool]:
        member = self._member()
        return graph_for(member, self._key).pk, member.role.may_edit

    def lose(self, stream_ids: Collection[int]) -> None:
        """No streams are read here."""

    def leave(self) -> None:
        if self._pump is not None:
            self._pump.cancel()
        if self._watcher is not None and self._rooms is not None:
            self._rooms.leave(self._watcher)

    def read(self, data: Any) -> frames.Frame:
        """One frame of a graph's socket."""
        frame: frames.Frame = frames.read(data, graph_frames.adapter)
        return frame

    async def do(self, frame: frames.Frame) -> None:
        """Carries out one frame and answers it. Raises what refuses it, or `Closing` when the person may not stay."""
        try:
            match frame:
                case graph_frames.Edit() | graph_frames.Undo():
                    await self._edit(frame)
                case graph_frames.Save():
                    await self._save(frame)
                case graph_frames.Presence():
                    self._look(frame)
        except Problem as problem:
            details = json.loads(to_json({**({"errors": problem.errors} if problem.errors else {}), **problem.extra}))
            raise Refused(problem.code, problem.detail, details=details) from problem

    async def _edit(self, frame: graph_frames.Edit | graph_frames.Undo) -> None:
        done = await self._as_person(self._done, frame)
        if self._watcher is not None:
            self._watcher.room.editors.add(self._watcher.user_id)
        runtime.current().rooms.edited(self._graph_id)
        acknowledged = {"version": done.version, "operations": done.to_json()}
        await self._wire.frame({"type": "graph:ack", "_id": frame.id, **acknowledged})

    def _done(self, frame: graph_frames.Edit | graph_frames.Undo) -> Edited:
        """The edit, stored: it may be acknowledged."""
        member = self._member()
        member.require_editor()
        limits.require("changes", str(member.user.pk), settings.LIMIT_CHANGES)
        try:
            if isinstance(frame, graph_frames.Undo):
                request = Request((), key=frame.id, digest=_digest(frame))
                return editing.take_back(member, self._graph_id, frame.version, request)
            seen = [(Ref(one.type, one.id), one.version) for one in frame.expected]
            asked = frame.model_dump(mode="json", include={"actions", "expected"})
            digest = changes.digest_of(self._graph_id, asked)
            request = Request(changes.parsed(frame.actions), seen, key=frame.id, digest=digest)
            return editing.edit(member, self._graph_id, request)
        except Graph.DoesNotExist as gone:
            raise NotFound from gone
        except ChangeRefused as refusal:
            raise changes.refused(refusal) from refusal
        except Overlapping as overlapping:
            raise changes.conflict(overlapping.overlaps) from overlapping
        except KeyUsed as used:
            sentence = _("Another edit was sent with this _id. Use a new one.")
            raise Refused("idempotency_key", sentence) from used

    async def _save(self, frame: graph_frames.Save) -> None:
        saved = await self._as_person(self._saved)
        runtime.current().rooms.edited(self._graph_id)
        version = self._watcher.room.version if self._watcher else None
        answer = {"version": version, "changeSetIds": [str(change_set) for change_set in saved]}
        await self._wire.frame({"type": "graph:saved", "_id": frame.id, **answer})

    def _saved(self) -> Collection[Any]:
        self._member().require_editor()
        return live_edits.save_edits(self._graph_id)

    def _look(self, frame: graph_frames.Presence) -> None:
        if self._watcher is not None and self._rooms is not None:
            person = self._watcher.person
            person.selection = tuple(frame.selection)
            person.cursor = frame.cursor.model_dump() if frame.cursor else None
            self._rooms.looks(self._watcher)

    def _member(self) -> Member:
        try:
            KeyConverter().to_python(self._key)
        except ValueError:
            raise NotFound from None
        return self._here()

    async def _tell(self, watcher: Watcher) -> None:
        """Everything that happens to the graph, as fast as the reader takes it."""
        try:
            while True:
                for text in await watcher.next():
                    await self._wire.gate.passed()
                    async with self._wire.order:
                        await self._wire.text(text)
        except TooSlow:
            log.warning("graph %s cut off: 4408, its reader took nothing for a while", self._graph_id)
            self._end(TOO_SLOW)
        except GraphGone:
            self._end(NOT_THERE)
        except Exception:  # Any: the reader comes back.
            log.exception("the socket of graph %s broke", self._graph_id)
            self._end(RESTARTING)


def _short_id() -> str:
    return uuid.uuid4().hex[:12]


def _digest(frame: frames.Frame) -> str:
    return hashlib.sha256(to_json(frame.model_dump(mode="json")).encode()).hexdigest()[:40]
