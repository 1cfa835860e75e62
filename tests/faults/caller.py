"""Somebody who asks one question and does not give up: comes back after every lost connection and reads on."""

import json
import threading
import time
import uuid
from typing import Any, Protocol

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from graphs.objects.refs import Ref

#: Between two attempts to come back.
PAUSE_S = 0.2


class Door(Protocol):
    @property
    def chat_url(self) -> str: ...


class Caller(threading.Thread):
    """A thread; `joined` gives what the closed answer began with. `events`, `answers`, `began` are for the checker."""

    def __init__(self, door: Door, username: str, token: str, about: Ref, question: str, patience_s: float) -> None:
        super().__init__(daemon=True)
        self.username = username
        self.token = token
        self.events: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.began: dict[str, int] = {}
        self.accepted: dict[str, Any] | None = None
        self.connections = 0
        self._door = door
        asked = {"message": question, "context": about.to_json(), "idempotencyKey": str(uuid.uuid4())}
        self._question = {"type": "ai:chat", "_id": 1, **asked}
        self._deadline = time.monotonic() + patience_s
        self._closed = False

    def run(self) -> None:
        while not self._closed and time.monotonic() < self._deadline:
            try:
                with connect(self._door.chat_url, max_size=None, open_timeout=5) as socket:
                    self.connections += 1
                    self._converse(socket)
            except (OSError, WebSocketException):
                time.sleep(PAUSE_S)

    def _converse(self, socket: ClientConnection) -> None:
        """Until the answer is closed. A refusal, as while the database is away, is a reason to come back later."""
        socket.send(json.dumps({"type": "ai:authenticate", "token": self.token}))
        socket.send(json.dumps(self._what_to_say()))
        while not self._closed and time.monotonic() < self._deadline:
            frame = json.loads(socket.recv(timeout=self._deadline - time.monotonic()))
            if "sequence" in frame:
                self.events.append(frame)
                self._closed = frame["type"] in {"ai:complete", "ai:error"}
                continue
            self.answers.append(frame)
            if frame["type"] == "ai:accepted":
                self._accept(frame)
            elif frame["type"] == "ai:error":
                time.sleep(PAUSE_S)
                return

    def _what_to_say(self) -> dict[str, Any]:
        if self.accepted is None:
            return self._question
        after = max((frame["sequence"] for frame in self.events), default=0)
        return {"type": "ai:subscribe", "_id": 2, "sessionId": self.accepted["sessionId"], "after": after}

    def _accept(self, frame: dict[str, Any]) -> None:
        self.accepted = frame
        self.began[frame["stream"]] = 0

    def served(self) -> dict[str, Any]:
        """Waits for the end: what the question was accepted with."""
        self.join(max(self._deadline - time.monotonic(), 0) + 10)
        assert self._closed, (
            f"{self.username} was not answered: {self.accepted}, {self.answers[-3:]}, {self.events[-1:]}"
        )
        assert self.accepted is not None
        return self.accepted
