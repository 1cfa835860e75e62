"""Asks one question after the other through a door, and tells when its first token came and when it was done."""

import asyncio
import http.client
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from bench.question_scenes import Scene
from bench.systems import System
from bench.websocket import WebSocket, connect

_ANSWER_WITHIN_S = 60


class Door(Protocol):
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
    """One socket of the product or the relay."""

    _FIRST = re.compile(rb'"type":"ai:(token|tool_start)"|^\d+ \d{19}')
    _END = re.compile(rb'"type":"ai:(complete|error)"|^\d+ end$')

    def __init__(self, system: System, scene: Scene) -> None:
        self._loop = asyncio.new_event_loop()
        self._scene = scene
        self._product = system.product
        self._session = ""
        self._socket: WebSocket = self._loop.run_until_complete(self._open(system))

    async def _open(self, system: System) -> WebSocket:
        socket = await connect(system.url)
        if system.product:
            answered = socket.next(re.compile(b"ai:authenticated"))
            socket.send(json.dumps({"type": "ai:authenticate", "_id": 0, "token": system.token()}))
            await answered
        return socket

    def ask(self, text: str) -> tuple[float, float]:
        return self._loop.run_until_complete(asyncio.wait_for(self._ask(text), _ANSWER_WITHIN_S))

    async def _ask(self, text: str) -> tuple[float, float]:
        self._socket.frames.clear()
        end = self._socket.next(self._END)
        began = time.time_ns()
        self._socket.send(self._message(text))
        ended, last = await end
        if b"ai:error" in last:
            raise RuntimeError(last.decode())
        first = next(at for at, frame in self._socket.frames if self._FIRST.search(frame))
        accepted = (frame for _, frame in self._socket.frames if b'"ai:accepted"' in frame)
        self._session = json.loads(next(accepted))["sessionId"] if self._product else ""
        return (first - began) / 1e6, (ended - began) / 1e6

    def _message(self, text: str) -> str:
        if not self._product:
            return text
        return json.dumps({"type": "ai:chat", "_id": 1, "message": text, **place_of(self._scene, self._session)})

    def close(self) -> None:
        self._socket.close()
        self._loop.run_until_complete(asyncio.sleep(0.05))
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

    def ask(self, text: str) -> tuple[float, float]:
        began = time.perf_counter()
        body = {"message": text, "wait": True, **place_of(self._scene, self._session)}
        self._connection.request("POST", "/api/v1/chat/messages", json.dumps(body), self._headers)
        with self._connection.getresponse() as response:
            answer = json.loads(response.read())
        ended = (time.perf_counter() - began) * 1000
        if response.status != 200 or not answer["message"]:
            raise RuntimeError(f"{response.status}: {answer}")
        self._session = answer.get("sessionId", "")
        return ended, ended

    def close(self) -> None:
        self._connection.close()
