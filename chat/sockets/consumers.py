"""The consumer of `/ws/chat/`; what its frames do is in `commands`."""

import uuid
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from chat.access.checks import batched_checks
from chat.actions.refusals import Refused
from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.queries.conversations import message_for
from chat.queries.streams import ReadableStream, stream_name_of
from chat.sockets import commands, frames
from chat.sockets.closing import ACCESS_CODES, RESTARTING, Closing
from chat.sockets.person import PersonConsumer
from chat.sockets.subscriptions import Subscriptions
from graphs.site.access import NotFound
from graphs.site.database_away import AWAY
from graphs.site.telemetry.events import emit


class ChatConsumer(PersonConsumer):
    """The socket of the chat: asks, decides, and reads streams."""

    prefix = "ai"
    adapter = frames.adapter

    def __init__(self) -> None:
        super().__init__()
        self._subscriptions = Subscriptions(self)

    async def disconnect(self, code: int | None) -> None:
        self._subscriptions.stop_all()
        await super().disconnect(code)

    def streams(self) -> Collection[ReadableStream]:
        return [reading.stream for reading in self._subscriptions.readings.values()]

    def lose_streams(self, stream_ids: Collection[int]) -> None:
        self._subscriptions.lose(stream_ids)

    async def handle(self, frame: Any) -> None:
        match frame:
            case frames.Chat():
                if frame.id is None:
                    raise Refused("validation", _("The frame needs an _id, so that the answer can name it."))
                self._subscriptions.require_room(frame.session_id)
                is_read = frame.session_id is not None and self._subscriptions.reads(frame.session_id)
                process = None if is_read else runtime.current().process_id
                answer, stream = await in_db(commands.post, self.asking(), self.workspace, frame, process)
                await self._accept(frame, answer, stream=stream)
            case frames.Resume(proposal_id=str()) | frames.Resume(approved=bool()):
                await self._decide(frame)
            case frames.Resume():
                self._subscriptions.require_room(frame.session_id)
                await self._accept(frame, await self.as_person(commands.answer, frame))
            case frames.Retry():
                self._subscriptions.require_room(frame.session_id)
                await self._accept(frame, await self.as_person(commands.retry, frame))
            case frames.Deepen():
                message = await self.as_person(message_for, frame.message_id)
                self._subscriptions.require_room(str(message.session_id))
                await self._accept(frame, await self.as_person(commands.deepen, message))
            case frames.Interrupt():
                await self.as_person(commands.stop, frame.session_id)
                await self.send_frame({"type": "ai:accepted", "_id": frame.id, "sessionId": frame.session_id})
            case frames.Subscribe():
                await self._subscribe(frame)
            case frames.Unsubscribe():
                stream = await self._readable(_stream_name(frame))
                self._subscriptions.stop(stream.id)
                await self._confirm("ai:unsubscribed", frame, stream)

    async def _decide(self, frame: frames.Resume) -> None:
        """Decides on a proposal of any conversation of the workspace; who may read it also sees how it goes on."""
        self._subscriptions.require_room(frame.session_id)
        decided, reads = await self.as_writer(commands.decide, frame)
        proposal = decided.proposal
        answer = {"sessionId": frame.session_id, "proposalId": str(proposal.pk), "status": proposal.status}
        if decided.run is not None and reads:
            await self._accept(frame, decided.run.to_json(), answer)
        else:
            await self.send_frame({"type": "ai:accepted", "_id": frame.id, **answer})

    async def _accept(
        self,
        frame: frames.Frame,
        accepted: dict[str, Any],
        more: dict[str, Any] | None = None,
        stream: ReadableStream | None = None,
    ) -> None:
        """Answers, and makes sure that this socket sees everything about it.

        With `stream` it was just found that the person may read it, and stored that they do.
        """
        asked = "ws_chat" if isinstance(frame, frames.Chat) else "ws_resume"
        emit(asked, "debug", session=accepted["sessionId"], run=accepted["runId"])
        if frame.id is not None:
            self._subscriptions.remember(uuid.UUID(accepted["runId"]), frame.id)
        shown = ("sessionId", "userMessageId", "messageId", "runId", "stream")
        answer = {name: accepted[name] for name in shown} | {"streamId": accepted["stream"]} | (more or {})
        await self.send_frame({"type": "ai:accepted", "_id": frame.id, **answer})
        if not self._subscriptions.reads(accepted["sessionId"]):
            noted = stream is not None
            try:
                stream = stream or await self._readable(accepted["stream"])
                watch = await self._subscriptions.watch(stream, accepted["after"], noted=noted)
                self._subscriptions.start(stream, watch)
            except AWAY:  # The frame was accepted: it comes back and reads.
                raise Closing(RESTARTING) from None

    async def _subscribe(self, frame: frames.Subscribe) -> None:
        stream = await self._readable(_stream_name(frame))
        watch = await self._subscriptions.watch(stream, frame.after)
        try:
            await self._confirm("ai:subscribed", frame, stream)
        except BaseException:  # Cancelled, too: nobody else knows of the watch.
            watch.close()
            raise
        self._subscriptions.start(stream, watch)

    async def _confirm(self, type_: str, frame: frames.Frame, stream: ReadableStream) -> None:
        named = {"sessionId": stream.session_id, "stream": stream.name}
        await self.send_frame({"type": type_, "_id": frame.id, **named})

    async def _readable(self, stream_name: str) -> ReadableStream:
        """The stream, if the person still may be here and may read it."""
        reader = self.reader()
        assert reader is not None
        access = await batched_checks.answer(replace(reader, wishes=[stream_name]))
        if access.end:
            raise Closing(ACCESS_CODES[access.end])
        if not access.granted:
            raise NotFound
        return access.granted[0]


def _stream_name(frame: frames.Subscribe | frames.Unsubscribe) -> str:
    if (frame.session_id is None) == (frame.stream is None):
        raise Refused("validation", _("Name either “sessionId” or “stream”."))
    return frame.stream or stream_name_of(frame.session_id or "")
