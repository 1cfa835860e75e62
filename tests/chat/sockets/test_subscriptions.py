"""What a chat socket reads: from which cursor, whose streams, and how many."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.models import Presence, Run, Session
from chat.providers.provider_error import ProviderError
from chat.sockets.consumers import ChatConsumer
from graphs.models import Graph
from tests.chat.inprocess import Model, Socket, run, signed_in
from tests.chat.sockets.asking import ABOUT_NBA, answered, ask

pytestmark = pytest.mark.django_db(transaction=True)


def test_who_asks_reads_on_by_what_was_found_and_stored_with_the_message(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(ChatConsumer, "_readable", lambda _self, name: asked.append(name))

    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await answered(socket, model)
            told = socket.events(accepted["stream"])
            (seen,) = await in_db(list, Presence.objects.filter(stream__name=accepted["stream"]))
            began = (await in_db(Run.objects.get)).created_at
            assert (seen.process, seen.seen_at > began) == (runtime.current().process_id, True)
        assert [each["sequence"] for each in told] == list(range(1, len(told) + 1))
        assert not asked

    run(test)


def test_a_repeated_answer_lets_nobody_read_what_is_gone(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await ask(socket, idempotencyKey="k")
            await in_db(Session.objects.filter(pk=accepted["sessionId"]).update, hidden_at=timezone.now())
        async with signed_in(alice) as other:
            other.send("ai:chat", _id="again", message="Hello", context=ABOUT_NBA, idempotencyKey="k")
            assert (await other.frame("ai:error", _id="again"))["code"] == "not_found"
            assert other.events(accepted["stream"]) == []
            model.end()

    run(test)


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
