"""Sockets of people with whom a conversation is shared: what they see live, what they may say, and how it ends."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.access import open_readers
from chat.actions import sharing
from chat.concurrency.database import in_db
from chat.models import Presence, Run
from graphs.models import Graph
from graphs.site.access import member_of
from tests.chat.inprocess import Model, Socket, run, signed_in
from tests.chat.sockets.asking import answered, ask

pytestmark = pytest.mark.django_db(transaction=True)


def share(owner: User, session: str, person: User, access: Any) -> None:
    sharing.share_with(member_of(owner), session, person.get_username(), access)


async def subscribe(socket: Socket, session: str) -> None:
    socket.send("ai:subscribe", _id="read", sessionId=session)
    await socket.frame("ai:subscribed", _id="read")


async def refused(socket: Socket, type_: str, **values: Any) -> str:
    socket.send(type_, _id=type_, **values)
    return (await socket.frame("ai:error", _id=type_))["code"]


def test_who_reads_sees_the_answer_come_and_says_nothing(alice: User, bob: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as owner, signed_in(bob) as reader:
            accepted = await ask(owner)
            session = accepted["sessionId"]
            assert await refused(reader, "ai:subscribe", sessionId=session) == "not_found"
            await in_db(share, alice, session, bob, "read")
            await subscribe(reader, session)
            for frame in (
                {"type_": "ai:chat", "message": "Me, too", "sessionId": session},
                {"type_": "ai:resume", "answer": "Yes", "sessionId": session},
                {"type_": "ai:retry", "sessionId": session},
                {"type_": "ai:interrupt", "sessionId": session},
                {"type_": "ai:deepen", "messageId": accepted["messageId"]},
            ):
                assert await refused(reader, **frame) == "forbidden"
            model.say("Good day")
            model.end()
            await owner.frame("ai:complete")
            await reader.frame("ai:complete")
            assert reader.text() == owner.text() == "Good day"

    run(test)


def test_who_writes_along_asks_in_their_own_name_and_everybody_sees_it(
    alice: User, bob: User, nba: Graph, model: Model
) -> None:
    async def test() -> None:
        async with signed_in(alice) as owner, signed_in(bob) as guest:
            accepted = await answered(owner, model)
            session = accepted["sessionId"]
            await in_db(share, alice, session, bob, "write")
            told = await ask(guest, "And then?", sessionId=session)
            seen = await owner.frame("ai:user_message", messageId=told["userMessageId"])
            assert (seen["content"], seen["author"]) == ("And then?", "bob")
            model.end()
            await owner.frame("ai:complete", messageId=told["messageId"])
            await guest.frame("ai:complete", messageId=told["messageId"])
        assert (await in_db(Run.objects.select_related("author").get, pk=told["runId"])).author == bob

    run(test)


@pytest.mark.parametrize("access", ["read", "write"])
def test_an_open_stream_ends_with_its_share(
    alice: User, bob: User, nba: Graph, model: Model, access: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_readers, "CHECK_EVERY_S", 0.05)

    async def test() -> None:
        async with signed_in(alice) as owner, signed_in(bob) as reader:
            accepted = await ask(owner)
            await in_db(share, alice, accepted["sessionId"], bob, access)
            await subscribe(reader, accepted["sessionId"])
            await in_db(sharing.unshare, await in_db(member_of, alice), accepted["sessionId"])
            assert (await reader.frame("ai:unsubscribed", stream=accepted["stream"]))["sessionId"]
            model.say("secret")
            model.end()
            await owner.frame("ai:complete")
            assert "secret" not in reader.text()
            assert await refused(reader, "ai:subscribe", sessionId=accepted["sessionId"]) == "not_found"

    run(test)


def test_only_who_writes_counts_as_being_there(alice: User, bob: User, nba: Graph, model: Model) -> None:
    """The leaving of who only reads stops no answer; whose question it may be keeps it going."""

    async def seen(stream: str) -> int:
        async with signed_in(bob) as reader:
            await subscribe(reader, stream.removeprefix("session_"))
            return await in_db(Presence.objects.filter(stream__name=stream).count)

    async def test() -> None:
        async with signed_in(alice) as owner:
            accepted = await answered(owner, model)
        await in_db(Presence.objects.all().delete)
        await in_db(share, alice, accepted["sessionId"], bob, "read")
        assert await seen(accepted["stream"]) == 0
        await in_db(share, alice, accepted["sessionId"], bob, "write")
        assert await seen(accepted["stream"]) == 1

    run(test)
