"""How many frames, messages and sockets a person may have."""

import asyncio
import math
import uuid
from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from chat.access import connections
from chat.concurrency.database import in_db
from chat.models import Message
from chat.sockets.pace import MOST_REFUSED
from graphs.models import Graph
from graphs.site import valkey
from graphs.site.api import tokens
from tests import cast
from tests.chat.inprocess import opened, run, signed_in
from tests.chat.sockets.asking import ask

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_refuses_frames_that_come_too_fast(alice: User, settings: Settings) -> None:
    settings.LIMIT_FRAMES = "5/hour"

    async def test() -> None:
        async with signed_in(alice) as socket:
            for number in range(5):
                socket.send("ai:interrupt", _id=number, sessionId=str(uuid.UUID(int=1)))
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


def from_address(address: str) -> dict[str, str]:
    return {"x-forwarded-for": address}


def test_it_limits_the_sockets_of_an_address_that_say_not_whose_they_are(alice: User, settings: Settings) -> None:
    settings.LIMIT_UNKNOWN_SOCKETS = 2

    async def test() -> None:
        async with opened() as first, opened() as second, opened() as third:
            assert (first.accepted, second.accepted, third.accepted) == (True, True, False)
            first.send("ai:authenticate", token=await in_db(lambda: tokens.issue(alice).access))
            await first.frame("ai:authenticated")
            async with opened() as next_one, opened() as one_more:
                assert (next_one.accepted, one_more.accepted) == (True, False)
        async with opened() as first, opened() as second:
            assert first.accepted
            assert second.accepted
        assert not any("unknown-sockets" in key for key in connections._here)
        with valkey.asked() as client:
            assert not client.keys(f"{settings.REDIS_PREFIX}:unknown-sockets:*")

    run(test)


def test_it_counts_those_of_an_address_at_all_processes(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LIMIT_UNKNOWN_SOCKETS = 1

    async def test() -> None:
        async with opened() as first:
            here = dict(connections._here)
            monkeypatch.setattr(connections, "_here", {})  # as in another process
            async with opened() as second:
                assert (first.accepted, second.accepted) == (True, False)
            monkeypatch.setattr(connections, "_here", here)
        async with opened() as next_one:
            assert next_one.accepted

    run(test)


def test_while_valkey_is_away_each_process_counts_strangers_by_itself(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LIMIT_UNKNOWN_SOCKETS = 1
    monkeypatch.setattr(valkey, "_away", {settings.REDIS_URL: math.inf})

    async def test() -> None:
        async with opened() as first, opened() as second:
            assert (first.accepted, second.accepted) == (True, False)
        async with opened() as next_one:
            assert next_one.accepted

    run(test)


def as_browser(user: User) -> dict[str, str]:
    return {"origin": "http://testserver", "cookie": f"sessionid={cast.signed_in(user).cookies['sessionid'].value}"}


@pytest.mark.parametrize(("by", "commands"), [("cookie", 1), ("token", 2)])
def test_who_has_signed_in_asks_valkey_no_more_than_to_be_counted(
    alice: User, monkeypatch: pytest.MonkeyPatch, by: str, commands: int
) -> None:
    """A token is not known yet at the handshake, which counts its socket as that of somebody unknown."""
    asked: list[str] = []

    async def test() -> None:
        headers = await in_db(as_browser, alice) if by == "cookie" else {}
        token = await in_db(lambda: tokens.issue(alice).access)
        with valkey.asked() as client:
            plain = client.execute_command
        monkeypatch.setattr(client, "execute_command", lambda *args, **kw: asked.append(args[0]) or plain(*args, **kw))
        async with opened(headers) as socket:
            if by == "token":
                socket.send("ai:authenticate", token=token)
                await socket.frame("ai:authenticated")
            await asyncio.to_thread(client.ping)  # after all that was asked so far
            assert asked == ["EVAL"] * commands + ["PING"]

    run(test)


def test_a_flood_of_strangers_asks_valkey_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LIMIT_UNKNOWN_SOCKETS = 1

    async def test() -> None:
        async with opened():
            monkeypatch.setattr(valkey, "asked", lambda: pytest.fail("Valkey was asked"))
            async with opened() as second:
                assert not second.accepted
            monkeypatch.undo()

    run(test)


def test_behind_a_proxy_that_is_trusted_the_address_is_the_strangers_own(settings: Settings) -> None:
    settings.LIMIT_UNKNOWN_SOCKETS = 1

    async def test() -> None:
        async with opened(from_address("10.1.1.1")), opened(from_address("10.1.1.2")) as liar:
            assert not liar.accepted, "whoever is no proxy may write what they like"
        settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]
        async with opened(from_address("10.1.1.1")), opened(from_address("10.1.1.2")) as other:
            assert other.accepted
            async with opened(from_address("10.1.1.9, 10.1.1.1")) as again:
                assert not again.accepted

    run(test)
