"""A program on the chat socket, which keeps everything it received."""

import json
from contextlib import ExitStack
from typing import Any

from django.contrib.auth.models import User
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from graphs.site.api import tokens
from tests.web_process import WebProcess


class Listener:
    """Signed in with a token; `events` are the numbered frames, in order of arrival. It reads a stream once."""

    def __init__(self, web: WebProcess, username: str = "alice") -> None:
        self.username = username
        self.token = tokens.issue(User.objects.get(username=username)).access
        self._closing = ExitStack()
        self._socket = self._closing.enter_context(connect(web.chat_url, max_size=None))
        self.events: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.began: dict[str, int] = {}
        self.close_code: int | None = None
        self.send({"type": "ai:authenticate", "token": self.token})

    def send(self, frame: dict[str, Any]) -> None:
        self._socket.send(json.dumps(frame))

    def ask(self, text: str, session_id: str | None = None) -> dict[str, Any]:
        """Sends a message about `nba`, or into a session; the frame that accepted it."""
        nba = {"context": {"type": "graph", "id": "nba"}}
        place: dict[str, Any] = {"sessionId": session_id} if session_id else nba
        number = len(self.answers) + 1
        self.send({"type": "ai:chat", "_id": number, "message": text, **place})
        accepted = self.until(lambda frame: frame["type"] == "ai:accepted" and frame["_id"] == number)
        if not session_id:
            self.began[accepted["stream"]] = 0
        return accepted

    def follow(self, session_id: str, after: int = 0) -> None:
        self.began[f"session_{session_id}"] = after
        self.send({"type": "ai:subscribe", "_id": "follow", "sessionId": session_id, "after": after})

    def until(self, wanted: Any, timeout: float = 30) -> dict[str, Any]:
        """Reads frames until one is wanted, and returns it."""
        while True:
            frame = self._receive(timeout)
            if wanted(frame):
                return frame

    def to_the_end(self, timeout: float = 60) -> dict[str, Any]:
        """Reads until the answer is closed."""
        return self.until(lambda frame: frame["type"] in {"ai:complete", "ai:error"} and "sequence" in frame, timeout)

    def until_closed(self, timeout: float = 60) -> int | None:
        try:
            while True:
                self._receive(timeout)
        except ConnectionClosed as closed:
            self.close_code = closed.rcvd.code if closed.rcvd else None
            return self.close_code

    def _receive(self, timeout: float) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(self._socket.recv(timeout))
        (self.events if "sequence" in frame else self.answers).append(frame)
        return frame

    @property
    def text(self) -> str:
        return "".join(frame["token"] for frame in self.events if frame["type"] == "ai:token")

    @property
    def last(self) -> int:
        return max((frame["sequence"] for frame in self.events), default=0)

    def close(self) -> None:
        self._closing.close()
