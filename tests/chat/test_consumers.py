import asyncio
import uuid

import pytest
from django.contrib.auth.models import User

from chat.models import Message, Session
from graphs.models import Graph
from tests.chat import inprocess
from tests.chat.inprocess import Model, run, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
ABOUT_NBA = {"type": "graph", "id": "nba"}


def test_it_accepts_a_message_before_its_events_and_names_it_in_them(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send("ai:chat", _id="mine", message="Hello", context=ABOUT_NBA)
            accepted = await socket.frame("ai:accepted", _id="mine")
            model.say("Good ", "day")
            model.end()
            complete = await socket.frame("ai:complete")
            after = socket.received[socket.received.index(accepted) + 1 :]

        assert set(accepted) == {
            *("type", "_id", "sessionId", "userMessageId", "messageId", "runId", "stream", "streamId"),
        }
        assert [each["sequence"] for each in after] == list(range(1, len(after) + 1))
        assert all(each["_id"] == "mine" for each in after if each["runId"])
        assert all(each["sessionId"] == accepted["sessionId"] for each in after)
        assert all(each["stream"] == accepted["stream"] for each in after)
        assert after[0]["type"] == "ai:user_message"
        assert after[0]["messageId"] == accepted["userMessageId"]
        assert complete["messageId"] == accepted["messageId"]
        assert complete["fullText"] == socket.text() == "Good day"
        assert complete["reason"] == "finished"

    run(test)
