"""What each frame of the chat socket does, once its person is known."""

import uuid
from collections.abc import Collection
from typing import Any

from django.utils.translation import gettext as _

from chat import queries
from chat.access.checks import Reader, look
from chat.actions import conversations, deciding, deepening, posting
from chat.actions.refusals import Refused
from chat.models import Message
from chat.sockets import frames
from chat.sockets.handler import Desk, require_good
from chat.sockets.subscriptions import Subscriptions
from chat.sockets.wire import Wire
from graphs.site.access import Member, NotFound
from graphs.site.telemetry.events import tell


class Commands(Desk):
    """The desk of the chat socket."""

    __slots__ = ("_subscriptions",)

    def __init__(self, wire: Wire, subscriptions: Subscriptions, workspace: str) -> None:
        super().__init__(wire, workspace)
        self._subscriptions = subscriptions

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
        return posting.post(self._member(frame.session_id), frame, frame.idempotency_key)

    def _continue(self, frame: frames.Resume | frames.Retry) -> dict[str, Any]:
        member = self._member(frame.session_id)
        posting.count_run(member.user)
        if isinstance(frame, frames.Retry):
            return conversations.retry(member, frame.session_id).to_json()
        if (frame.answer is None) == (frame.continue_ is None) or frame.approved is not None:
            raise Refused("validation", _("Say either “answer” or “continue”."))
        return conversations.answer(member, frame.session_id, text=frame.answer, go_on=frame.continue_).to_json()

    async def _deepen(self, frame: frames.Deepen) -> None:
        message = await self._as_person(self._own_message, frame.message_id)
        self._require_room_for(str(message.session_id))
        await self._accept(frame, await self._as_person(self._ask_deeper, message))

    def _own_message(self, message_id: str) -> Message:
        assert self.identity is not None
        return queries.message_for(self.identity.user, message_id)

    def _ask_deeper(self, message: Message) -> dict[str, Any]:
        member = self._member(str(message.session_id))
        posting.count_run(member.user)
        return deepening.deepen(member, str(message.session_id), message.pk).to_json()

    def _stop(self, session_id: str) -> None:
        conversations.stop(self._member(session_id), session_id)

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
        posting.count_run(member.user)
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
        if session_id:
            assert self.identity is not None
            return queries.member_in(self.identity.user, session_id)
        return self._here()


def _stream_name(frame: frames.Subscribe | frames.Unsubscribe) -> str:
    if (frame.session_id is None) == (frame.stream is None):
        raise Refused("validation", _("Name either “sessionId” or “stream”."))
    return frame.stream or queries.stream_name_of(frame.session_id or "")
