"""Asks one question after the other through a door, and tells when its first token came and when it was done."""

import asyncio
import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from bench.protocols import PROTOCOLS, Failed
from bench.question_scenes import Scene
from bench.systems import System
from bench.websocket import WebSocket

_ANSWER_WITHIN_S = 60
#: What a process does when somebody left is done before the next is measured.
_LEAVES_S = 0.3


class Door(Protocol):
    def prepare(self) -> None:
        """What has to be done before a question is asked, and is none of its cost."""
        ...

    def ask(self, text: str) -> tuple[float, float]:
        """Milliseconds until the first token (or the call of a tool) and until the end."""
        ...


@contextmanager
def door_of(system: System, scene: Scene) -> Iterator[Door]:
    door = Rest(system, scene) if scene.door == "REST" or system.name == "view" else Socket(system, scene)
    try:
        yield door
    finally:
        door.close()


def place_of(scene: Scene, session: str) -> dict[str, Any]:
    """Where a question goes: into the conversation that exists, or into a new one about the scene's object."""
    if session and not scene.new:
        return {"sessionId": session}
    if not scene.about:
        return {}
    kind, _, key = scene.about.partition(":")
    return {"context": {"type": kind, "id": key}}


class Socket:
    """One socket; where a conversation is a socket of its own, one for each question that begins one."""

    def __init__(self, system: System, scene: Scene) -> None:
        self._loop = asyncio.new_event_loop()
        self._system = system
        self._scene = scene
        self._protocol = PROTOCOLS[system.name]
        self._session = ""
        self._token = system.token()
        self._sockets = [self._opened()]

    def _opened(self) -> WebSocket:
        return self._loop.run_until_complete(self._protocol.connect(self._system.url, self._token))

    def prepare(self) -> None:
        if self._protocol.one_conversation and self._scene.new:
            self._sockets.append(self._opened())

    def ask(self, text: str) -> tuple[float, float]:
        return self._loop.run_until_complete(asyncio.wait_for(self._ask(self._sockets[-1], text), _ANSWER_WITHIN_S))

    async def _ask(self, socket: WebSocket, text: str) -> tuple[float, float]:
        socket.frames.clear()
        end = socket.next(self._protocol.end)
        began = time.time_ns()
        socket.send(self._protocol.question(text, place_of(self._scene, self._session)))
        ended, _ = await end
        for _, frame in socket.frames:
            if self._protocol.failed.search(frame):
                raise Failed(frame.decode())
        first = next(at for at, frame in socket.frames if self._protocol.begun.search(frame))
        self._session = self._protocol.conversation(frame for _, frame in socket.frames)
        return (first - began) / 1e6, (ended - began) / 1e6

    def close(self) -> None:
        for socket in self._sockets:
            socket.close()
        self._loop.run_until_complete(asyncio.sleep(_LEAVES_S))
        self._loop.close()


class Rest:
    """One connection that is kept; the answer comes whole, so its first token is its end."""

    def __init__(self, system: System, scene: Scene) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", system.port, timeout=_ANSWER_WITHIN_S)
        self._headers = {"Content-Type": "application/json"}
        if system.product:
            self._headers["Authorization"] = f"Bearer {system.token()}"
        self._scene = scene
        self._session = ""

    def prepare(self) -> None:
        """Nothing: a connection is open."""

    def ask(self, text: str) -> tuple[float, float]:
        began = time.perf_counter()
        body = {"message": text, "wait": True, **place_of(self._scene, self._session)}
        self._connection.request("POST", "/api/v1/chat/messages", json.dumps(body), self._headers)
        with self._connection.getresponse() as response:
            answer = json.loads(response.read())
        ended = (time.perf_counter() - began) * 1000
        if response.status != 200 or not (answer["message"] or answer.get("proposals")):
            raise RuntimeError(f"{response.status}: {answer}")
        self._session = answer.get("sessionId", "")
        return ended, ended

    def close(self) -> None:
        self._connection.close()
