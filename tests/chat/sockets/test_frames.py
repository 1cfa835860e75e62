"""Frames that are not right: refused, and the socket stays open."""

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from graphs.models import Graph
from tests.chat.inprocess import Model, run, signed_in
from tests.chat.sockets.asking import ABOUT_NBA, answered, ask

pytestmark = pytest.mark.django_db(transaction=True)

SESSION = str(uuid.UUID(int=1))
WRONG: list[Any] = [
    None,
    [],
    "text",
    7,
    {},
    {"type": "ai:chat"},
    {"type": "ai:chat", "message": 7},
    {"type": "ai:chat", "message": "Hello", "unknown": 1},
    {"type": "ai:chat", "message": "Hello", "userId": 1},
    {"type": "ai:chat", "message": "Hello", "context": "graph:nba"},
    {"type": "ai:chat", "message": "Hello", "context": {"type": "graph", "id": 7}},
    {"type": "ai:chat", "message": "Hello", "context": {"type": "graph", "id": "nba", "workspace": "other"}},
    {"type": "ai:chat", "message": "", "context": ABOUT_NBA},
    {"type": "ai:chat", "message": " \n ", "context": ABOUT_NBA},
    {"type": "ai:chat", "message": "x" * 32_001, "context": ABOUT_NBA},
    {"type": "ai:chat", "message": "Hello", "context": ABOUT_NBA, "model": 7},
    {"type": "ai:chat", "message": "Hello", "context": ABOUT_NBA, "attachments": ["x"]},
    {"type": "ai:chat", "message": "Hello", "context": ABOUT_NBA, "idempotencyKey": ""},
    {"type": "ai:unknown"},
    {"type": "x" * 100_000},
    {"type": ["ai:chat"]},
    {"type": "ai:subscribe"},
    {"type": "ai:subscribe", "sessionId": SESSION, "stream": "session_1"},
    {"type": "ai:subscribe", "sessionId": SESSION, "after": -1},
    {"type": "ai:subscribe", "sessionId": SESSION, "after": "0"},
    {"type": "ai:subscribe", "sessionId": SESSION, "after": 1.5},
    {"type": "ai:subscribe", "sessionId": SESSION, "after": True},
    {"type": "ai:subscribe", "sessionId": SESSION, "after": 10**200},
    {"type": "ai:interrupt"},
    {"type": "ai:interrupt", "sessionId": ""},
    {"type": "ai:retry", "sessionId": 1},
    {"type": "ai:authenticate"},
    {"type": "ai:authenticate", "token": "x" * 5000},
    {"type": "ai:deepen"},
]


def test_it_refuses_frames_that_are_not_right_and_stays_open(
    alice: User, nba: Graph, model: Model, settings: Settings
) -> None:
    settings.LIMIT_FRAMES = "1000/s"

    async def test() -> None:
        async with signed_in(alice) as socket:
            for number, frame in enumerate(WRONG):
                own_id = number if isinstance(frame, dict) else None
                socket.received.clear()
                socket.send_text(json.dumps(frame if own_id is None else {**frame, "_id": own_id}))
                refused = await socket.frame("ai:error")
                assert (refused["_id"], refused["code"]) == (own_id, "validation"), frame
                assert "sequence" not in refused
                assert len(refused["error"]) < 1000
            await answered(socket, model)

    run(test)


NOT_JSON = [
    *("", "{", "nonsense", '{"type": "ai:chat"', "\x00", '{"a": NaN}', '{"a": 1, "a": 2}'),
    *('{"type": "ai:chat", "message": "a\\u0000b"}', '{"type": "ai:chat", "message": "\\ud800"}'),
    *("[" * 200 + "]" * 200, "[" * 500_000, '{"a":' * 100_000),
]


def test_it_refuses_what_is_no_json_and_stays_open(alice: User, nba: Graph, model: Model, settings: Settings) -> None:
    settings.LIMIT_FRAMES = "1000/s"

    async def test() -> None:
        async with signed_in(alice) as socket:
            for text in NOT_JSON:
                socket.received.clear()
                socket.send_text(text)
                assert (await socket.frame("ai:error"))["code"] == "validation", text[:50]
            await answered(socket, model)

    run(test)


def test_it_refuses_binary_frames(alice: User) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send_bytes(b'{"type": "ai:chat"}')
            assert (await socket.frame("ai:error"))["code"] == "validation"

    run(test)


def test_it_refuses_an_id_that_cannot_be_repeated(alice: User) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            for own_id in (1.5, True, [], {}, "x" * 101, 2**63):
                socket.received.clear()
                socket.send("ai:interrupt", _id=own_id, sessionId=SESSION)
                refused = await socket.frame("ai:error")
                assert (refused["_id"], refused["code"]) == (None, "validation"), own_id

    run(test)


def test_it_needs_an_id_with_a_message(alice: User, nba: Graph) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send("ai:chat", message="Hello", context=ABOUT_NBA)
            assert (await socket.frame("ai:error"))["code"] == "validation"

    run(test)


def test_it_refuses_a_message_about_another_object_than_its_conversation(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await answered(socket, model)
            socket.send(
                "ai:chat", _id=2, message="x", sessionId=accepted["sessionId"], context={"type": "graph", "id": "b"}
            )
            assert (await socket.frame("ai:error", _id=2))["code"] == "validation"
            await ask(socket, "x", "3", sessionId=accepted["sessionId"], context=ABOUT_NBA)

    run(test)
