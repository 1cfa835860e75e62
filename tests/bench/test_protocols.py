import asyncio
import json
from typing import Any

import pytest

from bench.protocols import PROTOCOLS, STAMP, SocketIo
from bench.websocket import frame_at

STAMPS = [b"1763593842123456789", b"1763593842143456789"]
#: As the systems send them; an answer of two tokens, shortened.
ANSWERS = {
    "reference": [b"1 %b " % STAMPS[0], b"2 %b " % STAMPS[1], b"3 end"],
    "product": [
        b'{"type":"ai:accepted","_id":1,"sessionId":"s-7"}',
        b'{"type":"ai:token","token":"%b "}' % STAMPS[0],
        b'{"type":"ai:token","token":"%b "}' % STAMPS[1],
        b'{"type":"ai:complete","text":"%b %b "}' % (STAMPS[0], STAMPS[1]),
    ],
    "chainlit": [
        b'42["task_start",{}]',
        b'42["new_message",{"name":"on_message","type":"run","isError":false,"output":""}]',
        b'42["stream_start",{"id":"a","output":"%b ","isError":false}]' % STAMPS[0],
        b'42["stream_token",{"id":"a","token":"%b ","isSequence":false}]' % STAMPS[1],
        b'42["new_message",{"id":"a","output":"%b %b ","isError":false}]' % (STAMPS[0], STAMPS[1]),
        b'42["task_end",{}]',
    ],
}


@pytest.mark.parametrize("system", ANSWERS)
def test_each_token_of_an_answer_is_counted_once(system: str) -> None:
    protocol, frames = PROTOCOLS[system], ANSWERS[system]
    tokens = [stamp for frame in frames if protocol.token.search(frame) for stamp in STAMP.findall(frame)]
    assert tokens == STAMPS
    assert [bool(protocol.end.search(frame)) for frame in frames] == [False] * (len(frames) - 1) + [True]
    assert not any(protocol.failed.search(frame) for frame in frames)


def test_an_answer_that_failed_is_known() -> None:
    assert PROTOCOLS["product"].failed.search(b'{"type":"ai:error","code":"internal"}')
    assert PROTOCOLS["product"].end.search(b'{"type":"ai:error","code":"internal"}')
    refused = b'{"type": "ai:error", "_id": 1, "error": "Unsubscribe from some.", "code": "too_many"}'
    assert PROTOCOLS["product"].failed.search(refused)
    assert PROTOCOLS["product"].end.search(refused)
    assert PROTOCOLS["chainlit"].failed.search(b'42["new_message",{"output":"No route.","isError":true}]')


def test_questions_are_asked_as_each_system_wants_them() -> None:
    place = {"sessionId": "s-7"}
    assert PROTOCOLS["reference"].question("stream 2 tokens at 500/s", place) == "stream 2 tokens at 500/s"
    assert json.loads(PROTOCOLS["product"].question("why", place)) == {
        "type": "ai:chat", "_id": 1, "message": "why", "sessionId": "s-7",
    }  # fmt: skip
    asked = PROTOCOLS["chainlit"].question("why", place)
    name, payload = json.loads(asked.removeprefix("42"))
    assert (name, payload["message"]["output"], payload["message"]["type"]) == ("client_message", "why", "user_message")
    assert asked != PROTOCOLS["chainlit"].question("why", place)  # each message has an id of its own


def test_a_question_of_the_product_tells_its_conversation() -> None:
    assert PROTOCOLS["product"].conversation(ANSWERS["product"]) == "s-7"
    assert PROTOCOLS["chainlit"].conversation(ANSWERS["chainlit"]) == ""


def test_the_product_is_told_that_a_conversation_is_left() -> None:
    left = {"type": "ai:unsubscribe", "_id": 2, "sessionId": "s-7"}
    assert json.loads(PROTOCOLS["product"].leaving("s-7")) == left
    assert PROTOCOLS["chainlit"].leaving("") == PROTOCOLS["reference"].leaving("") == ""


def test_a_server_that_asks_whether_somebody_is_there_is_answered() -> None:
    """chainlit closes the socket of one who does not."""

    async def scenario() -> None:
        class Written:
            def __init__(self) -> None:
                self.data = b""

            def write(self, data: bytes) -> None:
                self.data += data

        socket, written = SocketIo("/", "host"), Written()
        socket._transport = written  # type: ignore[assignment]
        socket._take(0, 1, b'42["task_end",{}]')
        assert written.data == b""
        socket._take(0, 1, b"2")
        unmasked: Any = frame_at(written.data[:2] + written.data[6:], 0)
        assert unmasked[:2] == (1, b"3")

    asyncio.run(scenario())
