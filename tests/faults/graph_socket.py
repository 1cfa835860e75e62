"""A program at the socket of the graph `nba`."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidMessage
from websockets.sync.client import ClientConnection, connect

from tests.web_process import WebProcess

PATIENCE_S = 60
AWAY = (ConnectionClosed, InvalidMessage, OSError)


@contextmanager
def at(web: WebProcess, token: str) -> Iterator[ClientConnection]:
    with connect(f"ws://127.0.0.1:{web.port}/ws/graphs/nba/", open_timeout=PATIENCE_S) as socket:
        say(socket, {"type": "graph:authenticate", "token": token})
        heard(socket, lambda frame: frame["type"] == "graph:opened")
        yield socket


def say(socket: ClientConnection, frame: dict[str, Any]) -> None:
    socket.send(json.dumps(frame))


def heard(socket: ClientConnection, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The next frame that is wanted."""
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(PATIENCE_S))
        if wanted(frame):
            return frame


def new_note(key: str) -> dict[str, Any]:
    """The frame that creates a node; it may be sent again."""
    arguments = {"typeKey": "note", "sheet": "main", "posX": 0, "posY": 0, "key": key}
    return {"type": "graph:edit", "_id": key, "actions": [{"action": "create_node", "arguments": arguments}]}


def acknowledged(socket: ClientConnection, frame: dict[str, Any]) -> dict[str, Any]:
    """What the edit was acknowledged with."""
    say(socket, frame)
    answer = heard(socket, lambda told: told.get("_id") == frame["_id"])
    assert answer["type"] == "graph:ack", answer
    return answer
