"""What each frame of the chat socket does, once its person is known."""

import uuid
from collections.abc import Callable, Collection
from typing import Any, ParamSpec, TypeVar

from django.core.validators import slug_re
from django.utils.translation import gettext as _

from chat import actions, asking, deciding, deepening, queries
from chat.database import in_db
from chat.identity import Identity
from chat.models import Message
from chat.refusals import Refused
from chat.sockets import frames
from chat.sockets.connection import ENDINGS
from chat.sockets.subscriptions import Subscriptions
from chat.sockets.wire import Closing, Wire
from chat.standing import Reader, Standing, look, standings
from graphs.access import Member, NotFound, member_of
from rag.telemetry.events import tell

P = ParamSpec("P")
T = TypeVar("T")


class Commands:
    """`workspace` is the slug the connection named, `home` the id of the workspace it is in (None for none)."""

    at_graph = False
    __slots__ = ("_subscriptions", "_wire", "_workspace", "home", "identity")

    def __init__(self, wire: Wire, subscriptions: Subscriptions, workspace: str) -> None:
        self._wire = wire
        self._subscriptions = subscriptions
        self._workspace = workspace
        self.home: int | None = None
        self.identity: Identity | None = None

    def enter(self, person: Identity) -> None:
        """From now on frames are this person's."""
        self.identity = person
        self.home = person.home(self._workspace)

    async def begin(self) -> None:
        """What is read is asked for."""

    def lose(self, stream_ids: Collection[int]) -> None:
        self._subscriptions.lose(stream_ids)

    def leave(self) -> None:
        self._subscriptions.stop_all()

    def read(self, data: Any) -> frames.Frame:
        """One frame of the chat socket."""
        frame: frames.Frame = frames.read(data)
        return frame

    def reader(self, *wishes: str) -> Reader:
        """Who reads what, and wishes to read these streams, for checks of access."""
        assert self.identity is not None
        home = set() if self.home is None else {self.home}
        return Reader(self.identity, home | self._subscriptions.workspaces(), self._subscriptions.stream_ids(), wishes)

    async def do(self, frame: frames.Frame) -> None:
        """Carries out one frame and answers it. Raises what refuses it, or `Closing` when the person may not stay."""
        match frame:
            case frames.Chat():
                await self._chat(frame)
            case frames.Resume(proposal_id=str()):
                self._require_room_for(frame.session_id)
                await self._decide(frame)
            case frames.Resume() | frames.Retry():
                self._require_room_for(frame.session_id)
                await self._accept(frame, await self._as_person(self._continue, frame))
            case frames.Deepen():
                await self._deepen(frame)
            case frames.Interrupt():
                await self._as_person(self._stop, frame.session_id)
                await self._wire.frame({"type": "ai:accepted", "_id": frame.id, "sessionId": frame.session_id})
            case frames.Subscribe():
                await self._subscribe(frame)
            case frames.Unsubscribe():
                stream = await self._readable(_stream_name(frame))
                self._subscriptions.stop(stream.id)
                await self._confirm("ai:unsubscribed", frame, stream)

    async def _as_person(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`act(...)` in the database, if the person still may be here: asked for every frame anew."""
        return await in_db(self._checked, lambda: act(*args, **kwargs))

    def _checked(self, act: Callable[[], T]) -> T:
        require_good(standings([self.reader()])[0])
        return act()

    async def _chat(self, frame: frames.Chat) -> None:
        if frame.id is None:
            raise Refused("validation", _("The frame needs an _id, so that the answer can name it."))
        self._require_room_for(frame.session_id)
        await self._accept(frame, await self._as_person(self._post, frame))

    def _require_room_for(self, session_id: str | None) -> None:
        """Before anything is accepted whose events this socket could not read."""
        if session_id is None or not self._subscriptions.reads(session_id):
            self._subscriptions.require_room()

    def _post(self, frame: frames.Chat) -> dict[str, Any]:
        return asking.post(self._member(frame.session_id), frame, frame.idempotency_key)

    def _continue(self, frame: frames.Resume | frames.Retry) -> dict[str, Any]:
        member = self._member(frame.session_id)
        asking.count_run(member.user)
        if isinstance(frame, frames.Retry):
            return actions.retry(member, frame.session_id).to_json()
        if (frame.answer is None) == (frame.continue_ is None) or frame.approved is not None:
            raise Refused("validation", _("Say either “answer” or “continue”."))
        return actions.answer(member, frame.session_id, text=frame.answer, go_on=frame.continue_).to_json()

    async def _deepen(self, frame: frames.Deepen) -> None:
        message = await self._as_person(self._own_message, frame.message_id)
        self._require_room_for(str(message.session_id))
        await self._accept(frame, await self._as_person(self._ask_deeper, message))

    def _own_message(self, message_id: str) -> Message:
        assert self.identity is not None
        return queries.message_for(self.identity.user, message_id)

    def _ask_deeper(self, message: Message) -> dict[str, Any]:
        member = self._member(str(message.session_id))
        asking.count_run(member.user)
        return deepening.deepen(member, str(message.session_id), message.pk).to_json()

    def _stop(self, session_id: str) -> None:
        actions.stop(self._member(session_id), session_id)

    async def _decide(self, frame: frames.Resume) -> None:
        """A decision on a proposal of any conversation of the workspace; who owns it also sees how it goes on."""
        decided, own = await self._as_person(self._decided, frame)
        answer = {"sessionId": frame.session_id, "proposalId": frame.proposal_id, "status": decided.proposal.status}
        if decided.run is not None and own:
            await self._accept(frame, decided.run.to_json(), answer)
        else:
            await self._wire.frame({"type": "ai:accepted", "_id": frame.id, **answer})

    def _decided(self, frame: frames.Resume) -> tuple[deciding.Decided, bool]:
        assert self.identity is not None
        proposal, member = queries.proposal_and_member(self.identity.user, frame.proposal_id or "")
        if proposal.session_id != queries.parsed_id(frame.session_id):
            raise NotFound
        if frame.approved is None or frame.answer is not None or frame.continue_ is not None:
            raise Refused("validation", _("A decision says “approved”, and nothing else is answered with it."))
        member.require_editor()
        asking.count_run(member.user)
        decision = deciding.Decision(frame.approved, frame.feedback, frame.edited_arguments, frame.digest)
        decided = deciding.decide(member, str(proposal.pk), decision)
        return decided, proposal.session.owner_id == member.user.pk and proposal.session.hidden_at is None

    async def _accept(self, frame: frames.Frame, accepted: dict[str, Any], more: dict[str, Any] | None = None) -> None:
        """Answers, and makes sure that this socket sees everything about it."""
        asked = "ws_chat" if isinstance(frame, frames.Chat) else "ws_resume"
        tell(asked, "debug", session=accepted["sessionId"], run=accepted["runId"])
        if frame.id is not None:
            self._subscriptions.remember(uuid.UUID(accepted["runId"]), frame.id)
        shown = ("sessionId", "userMessageId", "messageId", "runId", "stream")
        answer = {name: accepted[name] for name in shown} | {"streamId": accepted["stream"]} | (more or {})
        await self._wire.frame({"type": "ai:accepted", "_id": frame.id, **answer})
        if not self._subscriptions.reads(accepted["sessionId"]):
            stream = await self._readable(accepted["stream"])
            self._subscriptions.start(stream, await self._subscriptions.watch(stream, accepted["after"]))

    async def _subscribe(self, frame: frames.Subscribe) -> None:
        stream = await self._readable(_stream_name(frame))
        watch = await self._subscriptions.watch(stream, frame.after)
        try:
            await self._confirm("ai:subscribed", frame, stream)
        except BaseException:  # Cancelled, too: nobody else knows of the watch.
            watch.close()
            raise
        self._subscriptions.start(stream, watch)

    async def _confirm(self, type_: str, frame: frames.Frame, stream: queries.ReadableStream) -> None:
        session_id = str(stream.session_id) if stream.session_id else None
        await self._wire.frame({"type": type_, "_id": frame.id, "sessionId": session_id, "stream": stream.name})

    async def _readable(self, stream_name: str) -> queries.ReadableStream:
        """The stream, if the person still may be here and may read it."""
        standing = await look.answer(self.reader(stream_name))
        require_good(standing)
        if not standing.granted:
            raise NotFound
        return standing.granted[0]

    def _member(self, session_id: str | None) -> Member:
        """The person in the session's workspace, else in the socket's."""
        assert self.identity is not None
        if session_id:
            return queries.member_in(self.identity.user, session_id)
        return self._here(self.identity)

    def _here(self, person: Identity) -> Member:
        if self._workspace and not slug_re.fullmatch(self._workspace):
            raise NotFound
        return member_of(person.user, self._workspace or None)


def require_good(standing: Standing) -> None:
    """Raises `Closing` where the person may not stay."""
    if standing.end:
        raise Closing(ENDINGS[standing.end])


def _stream_name(frame: frames.Subscribe | frames.Unsubscribe) -> str:
    if (frame.session_id is None) == (frame.stream is None):
        raise Refused("validation", _("Name either “sessionId” or “stream”."))
    return frame.stream or queries.stream_name_of(frame.session_id or "")
