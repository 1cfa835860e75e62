"""Asking by the chat socket, from the message to the end of its answer."""

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.concurrency.database import in_db
from chat.models import Message
from chat.providers.pieces import ReasoningDelta, ToolCallDelta, ToolCallStart, TurnEnd
from chat.providers.provider_error import ProviderError
from graphs.models import Graph
from tests.chat.inprocess import Model, run, signed_in
from tests.chat.sockets.asking import ABOUT_NBA, answered, ask

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_accepts_a_message_before_its_events_and_names_it_in_them(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send("ai:chat", _id="mine", message="Hello", context=ABOUT_NBA)
            accepted = await socket.frame("ai:accepted", _id="mine")
            model.say(ReasoningDelta("Hm"), "Good ", "day")
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
        assert [each["token"] for each in after if each["type"] == "ai:reasoning"] == ["Hm"]

    run(test)


def test_it_shows_tool_calls_as_frames(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            await ask(socket)
            model.say(ToolCallStart("c1", "read_node_detail"), ToolCallDelta("c1", '{"nodeKey": "root"}'))
            model.say(TurnEnd("tool_calls"), "It starts.")
            model.end()
            await socket.frame("ai:complete")
            start = await socket.frame("ai:tool_start")
            result = await socket.frame("ai:tool_result")
        assert (start["toolCallId"], start["toolName"]) == ("c1", "read_node_detail")
        assert start["args"]["nodeKey"] == "root"
        assert result["toolCallId"] == "c1"
        assert "error" not in result["result"]

    run(test)


def test_it_begins_and_closes_a_run_as_agreed(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await answered(socket, model)
        of_run = [each for each in socket.received if each.get("runId") == accepted["runId"] and "sequence" in each]
        states = [each["state"] for each in of_run if each["type"] == "ai:status"]
        assert states[:2] == ["queued", "started"]
        assert [each["type"] for each in of_run][-1] == "ai:complete"
        assert sum(each["type"] in {"ai:complete", "ai:error"} for each in of_run) == 1
        assert [each["title"] for each in socket.received if each["type"] == "ai:session_updated"] == ["Hello"]

    run(test)


def test_it_queues_a_second_message_and_answers_it_after_the_first(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            first = await ask(socket)
            model.say("One")
            await socket.frame("ai:token", token="One")
            second = await ask(socket, "And then?", "second", sessionId=first["sessionId"])
            queued = await socket.frame("ai:status", runId=second["runId"])
            assert queued["state"] == "queued"
            assert queued["_id"] == "second"
            model.end()
            await socket.frame("ai:complete", runId=first["runId"])
            model.say("Two")
            model.end()
            done = await socket.frame("ai:complete", runId=second["runId"])
        assert done["fullText"] == "Two"
        started = next(
            each for each in socket.received if each.get("runId") == second["runId"] and each.get("state") == "started"
        )
        first_done = next(each for each in socket.received if each["type"] == "ai:complete")
        assert started["sequence"] > first_done["sequence"]

    run(test)


def test_it_repeats_the_answer_to_the_same_idempotency_key(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            first = await ask(socket, idempotencyKey="k")
            again = await ask(socket, own_id="again", idempotencyKey="k")
            socket.send("ai:chat", _id="other", message="Else", context=ABOUT_NBA, idempotencyKey="k")
            refused = await socket.frame("ai:error", _id="other")
            model.end()
            await socket.frame("ai:complete")
        assert {**again, "_id": "first"} == first
        assert refused["code"] == "idempotency_key"
        assert await in_db(Message.objects.filter(role="user").count) == 1

    run(test)


def test_it_stops_an_answer_and_keeps_what_was_written(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await ask(socket)
            model.say("Half")
            await socket.frame("ai:token")
            socket.send("ai:interrupt", _id="stop", sessionId=accepted["sessionId"])
            await socket.frame("ai:accepted", _id="stop")
            done = await socket.frame("ai:complete")
        assert (done["reason"], done["fullText"]) == ("stopped", "Half")

    run(test)


def test_it_tries_again_after_an_error_that_may_pass(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await ask(socket)
            model.say("Half", ProviderError("server_error", "down"))
            error = await socket.frame("ai:error")
            assert (error["code"], error["retryable"], error["_id"]) == ("server_error", True, "first")
            socket.send("ai:retry", _id="retry", sessionId=accepted["sessionId"])
            again = await socket.frame("ai:accepted", _id="retry")
            model.say("Whole")
            model.end()
            done = await socket.frame("ai:complete")
            socket.send("ai:retry", _id="too much", sessionId=accepted["sessionId"])
            assert (await socket.frame("ai:error", _id="too much"))["code"] == "conflict"
        assert again["userMessageId"] == accepted["userMessageId"]
        assert done["messageId"] == again["messageId"] != accepted["messageId"]
        assert done["_id"] == "retry"
        assert await in_db(Message.objects.filter(role="user").count) == 1

    run(test)


@pytest.mark.parametrize("go_on", [True, False])
def test_it_asks_whether_to_go_on_at_the_limit_of_tool_rounds(
    alice: User, nba: Graph, model: Model, settings: Settings, go_on: bool
) -> None:
    settings.TOOL_ROUNDS, settings.TOOL_ROUNDS_EXTENDED = 1, 2

    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await ask(socket)
            model.say(ToolCallStart("c1", "read_node_detail"), ToolCallDelta("c1", '{"nodeKey": "root"}'))
            model.say(TurnEnd("tool_calls"))
            asked = await socket.frame("ai:tool_limit")
            rest = await socket.frame("ai:complete")
            socket.send("ai:resume", _id="wrong", sessionId=accepted["sessionId"], answer="Yes")
            assert (await socket.frame("ai:error", _id="wrong"))["code"] == "conflict"
            socket.send("ai:resume", _id="go", sessionId=accepted["sessionId"], **{"continue": go_on})
            resumed = await socket.frame("ai:accepted", _id="go")
            model.say("Summary")
            model.end()
            done = await socket.frame("ai:complete", runId=resumed["runId"])
        assert (asked["roundsUsed"], asked["maxExtended"]) == (1, 2)
        assert rest["reason"] == "toolLimit"
        assert (done["reason"], done["fullText"]) == ("finished", "Summary")
        assert model.requests[-1].tools_allowed is go_on

    run(test)
