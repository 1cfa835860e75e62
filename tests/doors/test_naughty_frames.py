"""Naughty texts in every frame of the chat socket: answered or refused, and no forged log.

Apart from those of the other doors, whose world is put back in a transaction that lasts as long as their module.
"""

import json
from typing import Any

import pytest
from pytest_django import Settings

from tests.chat.inprocess import Socket, run, signed_in
from tests.doors import world
from tests.doors.naughty import NAUGHTY, SHARE

pytestmark = pytest.mark.usefixtures("honest_log")


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_frames_take_it_or_refuse_it(settings: Settings) -> None:
    settings.LIMIT_FRAMES = "100000/s"
    user = world.kept().users["editor"]

    async def test() -> None:
        async with signed_in(user) as socket:
            for turn, text in enumerate(NAUGHTY.values()):
                for frame in frames_with(text)[turn % SHARE :: SHARE]:
                    answer = await answered(socket, frame)
                    assert answer["code"] in {"validation", "not_found", "model_unavailable"}, answer
            answer = await answered(socket, {"type": "ai:chat", "_id": NAUGHTY["zalgo"], "message": NAUGHTY["zalgo"]})
            assert (answer["type"], answer["_id"]) == ("ai:accepted", NAUGHTY["zalgo"])

    run(test)


def frames_with(text: str) -> list[dict[str, Any]]:
    return [
        {"type": text},
        {"type": "ai:subscribe", "sessionId": text},
        {"type": "ai:unsubscribe", "stream": text},
        {"type": "ai:interrupt", "sessionId": text},
        {"type": "ai:resume", "sessionId": text, "answer": text},
        {"type": "ai:chat", "_id": 1, "message": text, "sessionId": text or "x"},
        {"type": "ai:chat", "_id": 1, "message": "Hello", "model": text or "x"},
        {"type": "ai:chat", "_id": 1, "message": "Hello", "context": {"type": text, "id": text}},
        {"type": "ai:chat", "_id": text, "message": "Hello", "idempotencyKey": text, "model": "x"},
        {"type": "ai:subscribe", text or "x": text},
    ]


async def answered(socket: Socket, frame: dict[str, Any]) -> dict[str, Any]:
    """The next frame that is an answer; events go by."""
    seen = len(socket.received)
    socket.send_text(json.dumps(frame))
    found: dict[str, Any] = await socket.until(
        lambda each: next((one for one in each.received[seen:] if "sequence" not in one), None)
    )
    return found
