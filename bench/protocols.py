"""What is said on a socket of each system: how one enters, how one asks, and by which frames the answer is known."""

import json
import re
import uuid
from collections.abc import Iterable
from typing import Any, ClassVar

from bench.websocket import WebSocket, connect

#: A token as the vendor wrote it: nanoseconds since 1970.
STAMP = re.compile(rb"(?<!\d)\d{19}(?!\d)")


class Failed(Exception):
    """The system says that it could not answer; the message is its frame."""


class Protocol:
    """The relay's, which has neither people nor conversations: a text is a question, a frame `number token`."""

    #: `begun`: a frame that shows something of the answer.
    token: ClassVar[re.Pattern[bytes]] = re.compile(rb"^\d+ \d{19}")
    begun: ClassVar[re.Pattern[bytes]] = token
    end: ClassVar[re.Pattern[bytes]] = re.compile(rb"^\d+ end$")
    failed: ClassVar[re.Pattern[bytes]] = re.compile(rb"(?!)")
    #: Whether a conversation is a socket of its own, so that a new one has to be opened before it is asked.
    one_conversation: ClassVar[bool] = False

    async def connect(self, url: str, token: str) -> WebSocket:
        """An open socket, signed in where people sign in."""
        return await connect(url)

    def question(self, text: str, place: dict[str, Any]) -> str:
        """The frame that asks; `place` is the conversation, or what a new one is about."""
        return text

    def conversation(self, frames: Iterable[bytes]) -> str:
        """The conversation that a question went into, by the frames of its answer."""
        return ""

    def leaving(self, conversation: str) -> str:
        """The frame that says that nobody reads the conversation here any more; empty where there is none."""
        return ""


class OfProduct(Protocol):
    token = re.compile(rb'"type":"ai:token"')
    begun = re.compile(rb'"type":"ai:(token|tool_start)"')
    #: A refusal is written with a blank, what is stored without one.
    end = re.compile(rb'"type": ?"ai:(complete|error)"')
    failed = re.compile(rb'"type": ?"ai:error"')

    async def connect(self, url: str, token: str) -> WebSocket:
        socket = await connect(url)
        answered = socket.next(re.compile(b"ai:authenticated"))
        socket.send(json.dumps({"type": "ai:authenticate", "_id": 0, "token": token}))
        await answered
        return socket

    def question(self, text: str, place: dict[str, Any]) -> str:
        return json.dumps({"type": "ai:chat", "_id": 1, "message": text, **place})

    def conversation(self, frames: Iterable[bytes]) -> str:
        accepted = next(frame for frame in frames if b'"ai:accepted"' in frame)
        return str(json.loads(accepted)["sessionId"])

    def leaving(self, conversation: str) -> str:
        return json.dumps({"type": "ai:unsubscribe", "_id": 2, "sessionId": conversation})


class SocketIo(WebSocket):
    """A socket whose server asks in a text whether somebody is there."""

    def _take(self, now: int, opcode: int, payload: bytes) -> None:
        super()._take(now, opcode, payload)
        if payload == b"2":
            self.send("3")


class OfChainlit(Protocol):
    """Engine.IO 4 and Socket.IO 5 on a WebSocket, and chainlit's events as its own page sends and gets them."""

    token = re.compile(rb'^42\["stream_(start|token)"')
    begun = token
    end = re.compile(rb'^42\["task_end"')
    failed = re.compile(rb'"isError":true')
    one_conversation = True

    async def connect(self, url: str, token: str) -> WebSocket:
        socket = await connect(url, SocketIo)
        opened = socket.next(re.compile(rb"^40\{"))
        socket.send("40" + json.dumps({"sessionId": str(uuid.uuid4()), "clientType": "webapp", "userEnv": "{}"}))
        await opened
        ready = socket.next(self.end)
        socket.send('42["connection_successful"]')
        await ready
        return socket

    def question(self, text: str, place: dict[str, Any]) -> str:
        message = {
            "id": str(uuid.uuid4()), "threadId": "", "name": "user", "type": "user_message", "output": text,
            "createdAt": "2026-01-01T00:00:00.000Z",
        }  # fmt: skip
        return "42" + json.dumps(["client_message", {"message": message, "fileReferences": []}])


PROTOCOLS: dict[str, Protocol] = {
    "reference": Protocol(), "product": OfProduct(), "before": OfProduct(), "chainlit": OfChainlit(),
}  # fmt: skip
