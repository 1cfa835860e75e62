import asyncio
import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.database import in_db
from chat.models import Message, Run, Session
from chat.providers.base import ProviderError, ReasoningDelta, ToolCallDelta, ToolCallStart, TurnEnd
from chat.sockets.pace import MOST_REFUSED
from graphs.api import tokens
from graphs.models import Graph
from tests.chat.inprocess import Model, Socket, opened, run, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
ABOUT_NBA = {"type": "graph", "id": "nba"}


async def ask(socket: Socket, text: str = "Hello", own_id: str = "first", **values: Any) -> dict[str, Any]:
    """`ai:accepted` for a message."""
    place = {} if "sessionId" in values else {"context": ABOUT_NBA}
    socket.send("ai:chat", _id=own_id, message=text, **place, **values)
    return await socket.frame("ai:accepted", _id=own_id)


async def answered(socket: Socket, model: Model, text: str = "Good day") -> dict[str, Any]:
    """`ai:accepted` for a message whose answer is complete."""
    accepted = await ask(socket)
    model.say(text)
    model.end()
    await socket.frame("ai:complete")
    return accepted


# --- asking -------------------------------------------------------------------------------------------------------


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


# --- reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["sessionId", "stream"])
def test_it_reads_on_from_a_cursor_in_another_socket(alice: User, nba: Graph, model: Model, by: str) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket, signed_in(alice) as other:
            accepted = await ask(socket)
            model.say("Good ")
            seen = await socket.frame("ai:token")
            other.send("ai:subscribe", _id=7, after=seen["sequence"], **{by: accepted[by]})
            confirmed = await other.frame("ai:subscribed", _id=7)
            model.say("day")
            model.end()
            await other.frame("ai:complete")
            await socket.frame("ai:complete")
        rest = [each for each in socket.events(accepted["stream"]) if each["sequence"] > seen["sequence"]]
        for each in rest:
            each.pop("_id", None)
        assert other.events(accepted["stream"]) == rest
        assert (confirmed["stream"], confirmed["sessionId"]) == (accepted["stream"], accepted["sessionId"])

    run(test)


def test_it_replays_a_conversation_from_the_beginning(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket, signed_in(alice) as other:
            accepted = await answered(socket, model)
            other.send("ai:subscribe", _id=1, sessionId=accepted["sessionId"], after=0)
            await other.frame("ai:complete")
        assert other.text() == "Good day"
        assert [each["sequence"] for each in other.events(accepted["stream"])] == [
            each["sequence"] for each in socket.events(accepted["stream"])
        ]

    run(test)


def test_it_sends_nothing_more_of_an_unsubscribed_stream(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket, signed_in(alice) as other:
            accepted = await ask(socket)
            other.send("ai:subscribe", _id=1, sessionId=accepted["sessionId"], after=0)
            await other.frame("ai:user_message")
            other.send("ai:unsubscribe", _id=2, sessionId=accepted["sessionId"])
            await other.frame("ai:unsubscribed", _id=2)
            model.say("Later")
            model.end()
            await socket.frame("ai:complete")
            other.send("ai:unsubscribe", _id=3, sessionId=accepted["sessionId"])
            await other.frame("ai:unsubscribed", _id=3)
        assert other.text() == ""

    run(test)


def test_it_refuses_a_cursor_beyond_the_end_and_keeps_what_was_subscribed(
    alice: User, nba: Graph, model: Model
) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await ask(socket)
            socket.send("ai:subscribe", _id=2, stream=accepted["stream"], after=10_000)
            refused = await socket.frame("ai:error", _id=2)
            model.say("Still here")
            model.end()
            await socket.frame("ai:complete")
        assert refused["code"] == "cursor"
        assert "sequence" not in refused
        assert socket.text() == "Still here"

    run(test)


def test_it_takes_a_foreign_conversation_for_absent(
    alice: User, bob: User, charlie: User, nba: Graph, model: Model
) -> None:
    def refusals(id_: str, stream: str) -> list[dict[str, Any]]:
        return [
            {"type": "ai:chat", "message": "Hello", "sessionId": id_},
            {"type": "ai:resume", "sessionId": id_, "answer": "Yes"},
            {"type": "ai:retry", "sessionId": id_},
            {"type": "ai:interrupt", "sessionId": id_},
            {"type": "ai:subscribe", "sessionId": id_},
            {"type": "ai:subscribe", "stream": stream},
            {"type": "ai:unsubscribe", "stream": stream},
            {"type": "ai:subscribe", "sessionId": id_, "after": 10_000},
        ]

    async def answers(socket: Socket, id_: str, stream: str) -> list[dict[str, Any]]:
        frames = refusals(id_, stream)
        for number, frame in enumerate(frames):
            socket.send(_id=number, type_=frame.pop("type"), **frame)
        found = [await socket.frame("ai:error", _id=number) for number in range(len(frames))]
        socket.received.clear()
        return found

    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await ask(socket)
            model.end()
            await socket.frame("ai:complete")
        absent_id = str(uuid.uuid4())
        for stranger in (bob, charlie):
            async with signed_in(stranger) as socket:
                foreign = await answers(socket, accepted["sessionId"], accepted["stream"])
                absent = await answers(socket, absent_id, f"session_{absent_id}")
                malformed = await answers(socket, "%00' OR 1=1", "session_")
            assert foreign == absent == malformed
            assert {each["code"] for each in foreign} == {"not_found"}

    run(test)


def test_it_takes_a_foreign_graph_for_absent(alice: User, charlie: User, nba: Graph) -> None:
    async def test() -> None:
        async with signed_in(charlie) as socket:
            socket.send("ai:chat", _id=1, message="Hello", context=ABOUT_NBA)
            foreign = await socket.frame("ai:error", _id=1)
            socket.send("ai:chat", _id=2, message="Hello", context={"type": "graph", "id": "none"})
            absent = await socket.frame("ai:error", _id=2)
            socket.send("ai:chat", _id=3, message="Hello", context={"type": "unicorn", "id": "nba"})
            assert (await socket.frame("ai:error", _id=3))["code"] == "validation"
        assert foreign == {**absent, "_id": 1}
        assert foreign["code"] == "not_found"
        assert await in_db(Session.objects.count) == 0

    run(test)


def test_it_works_in_the_workspace_that_the_connection_names(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice, query="workspace=other") as socket:
            socket.send("ai:chat", _id=1, message="Hello", context=ABOUT_NBA)
            assert (await socket.frame("ai:error", _id=1))["code"] == "not_found"
        async with signed_in(alice, query="workspace=%00") as socket:
            socket.send("ai:chat", _id=1, message="Hello", context=ABOUT_NBA)
            assert (await socket.frame("ai:error", _id=1))["code"] == "not_found"
        async with signed_in(alice, query="workspace=demo") as socket:
            await answered(socket, model)

    run(test)


def test_it_limits_the_streams_of_one_socket(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.sockets.subscriptions.MAX_SUBSCRIPTIONS", 1)

    async def test() -> None:
        async with signed_in(alice) as socket:
            first = await ask(socket)
            socket.send("ai:chat", _id="more", message="Hello", context=ABOUT_NBA)
            assert (await socket.frame("ai:error", _id="more"))["code"] == "too_many"
            await ask(socket, "More", "same", sessionId=first["sessionId"])
        assert await in_db(Session.objects.count) == 1

    run(test)


@pytest.mark.parametrize("again", [{"type_": "ai:retry"}, {"type_": "ai:resume", "answer": "yes"}])
def test_it_accepts_nothing_that_a_full_socket_could_not_show(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch, again: dict[str, str]
) -> None:
    monkeypatch.setattr("chat.sockets.subscriptions.MAX_SUBSCRIPTIONS", 1)

    async def test() -> None:
        async with signed_in(alice) as other:
            failed = await ask(other)
            model.say(ProviderError("server_error", "down"))
            await other.frame("ai:error", runId=failed["runId"])
        async with signed_in(alice) as socket:
            read = await answered(socket, model)
            assert read["sessionId"] != failed["sessionId"]
            socket.send(**again, _id="full", sessionId=failed["sessionId"])
            assert (await socket.frame("ai:error", _id="full"))["code"] == "too_many"
        assert not [each for each in socket.received if each["type"] == "ai:accepted" and each["_id"] == "full"]
        assert await in_db(Run.objects.filter(session_id=failed["sessionId"]).count) == 1

    run(test)


# --- bad input ----------------------------------------------------------------------------------------------------

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


# --- limits -------------------------------------------------------------------------------------------------------


def test_it_refuses_frames_that_come_too_fast(alice: User, settings: Settings) -> None:
    settings.LIMIT_FRAMES = "5/hour"

    async def test() -> None:
        async with signed_in(alice) as socket:
            for number in range(5):
                socket.send("ai:interrupt", _id=number, sessionId=SESSION)
            await socket.until(lambda each: len(each.received) == 6)
        assert [each["code"] for each in socket.received[1:]] == ["not_found"] * 4 + ["throttled"]
        assert [each["_id"] for each in socket.received[1:]] == list(range(5))

    run(test)


@pytest.mark.parametrize("known", [True, False])
def test_it_ends_a_flood(alice: User, settings: Settings, known: bool) -> None:
    settings.LIMIT_FRAMES = "5/hour"

    async def test() -> None:
        async with signed_in(alice) if known else opened() as socket:
            for _ in range(10_000):
                socket.send_text("{}")
            assert await socket.closed() == 4429
        assert len(socket.received) <= 5 + MOST_REFUSED

    run(test)


def test_others_have_their_turn_between_frames(settings: Settings) -> None:
    settings.LIMIT_FRAMES = "1000/s"
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def test() -> None:
        async with opened() as socket:
            for _ in range(500):
                socket.send_text("{}")
            other = asyncio.create_task(take_turns())
            await socket.until(lambda each: len(each.received) == 500)
            other.cancel()

    run(test)
    assert turns >= 500


def test_it_refuses_messages_that_are_too_many(alice: User, nba: Graph, settings: Settings) -> None:
    settings.LIMIT_MESSAGES = "2/hour"

    async def test() -> None:
        async with signed_in(alice) as socket:
            first = await ask(socket)
            await ask(socket, own_id="second", sessionId=first["sessionId"])
            socket.send("ai:chat", _id="third", message="Hello", sessionId=first["sessionId"])
            assert (await socket.frame("ai:error", _id="third"))["code"] == "throttled"
            socket.send("ai:retry", _id="retry", sessionId=first["sessionId"])
            assert (await socket.frame("ai:error", _id="retry"))["code"] == "throttled"
        assert await in_db(Message.objects.filter(role="user").count) == 2

    run(test)


def test_it_limits_the_sockets_of_a_person(alice: User, bob: User, settings: Settings) -> None:
    settings.LIMIT_SOCKETS = 2

    async def test() -> None:
        token = await in_db(lambda: tokens.issue(alice).access)
        async with signed_in(alice), signed_in(bob), signed_in(bob):
            async with signed_in(alice), opened() as third:
                third.send("ai:authenticate", token=token)
                assert (await third.frame("ai:error"))["code"] == "too_many_sockets"
                assert await third.closed() == 4429
            async with signed_in(alice):
                pass

    run(test)
