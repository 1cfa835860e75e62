import asyncio
from collections.abc import Callable, Collection
from datetime import datetime, timedelta, tzinfo
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.utils import timezone
from pytest_django import Settings
from rest_framework_simplejwt.tokens import AccessToken

from chat.access import checks, open_readers
from chat.access.checks import End, Reader
from chat.access.identity import Identity
from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.models import Session
from chat.sockets import connection, person
from graphs.models import Graph, Membership, Role
from graphs.site import valkey
from graphs.site.api import tokens
from tests import cast
from tests.chat.inprocess import Model, opened, run, signed_in
from tests.silent_server import silent_server

pytestmark = pytest.mark.django_db(transaction=True)
OURS = {"origin": "http://testserver"}


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Access is checked so often that a test need not wait."""
    monkeypatch.setattr(open_readers, "CHECK_EVERY_S", 0.05)
    settings.ALLOWED_HOSTS = ["testserver"]


def cookie_of(user: User) -> str:
    return f"sessionid={cast.signed_in(user).cookies['sessionid'].value}"


def test_it_lets_a_page_of_this_site_in_by_its_cookie(alice: User, nba: Graph, model: Model) -> None:
    cookie = cookie_of(alice)

    async def test() -> None:
        async with opened({**OURS, "cookie": cookie}) as socket:
            socket.send("ai:chat", _id=1, message="Hello", context={"type": "graph", "id": "nba"})
            await socket.frame("ai:accepted")

    run(test)
    assert Session.objects.get().owner == alice


@pytest.mark.parametrize("origin", ["null", "", "http://evil.example", "https://testserver", "http://testserver.evil"])
def test_it_refuses_the_handshake_of_another_page(alice: User, origin: str) -> None:
    cookie = cookie_of(alice)

    async def test() -> None:
        async with opened({"origin": origin, "cookie": cookie}) as socket:
            assert socket.accepted is False
            assert socket.close_code is None

    run(test)


def test_it_ignores_a_cookie_without_an_origin(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = cookie_of(alice)

    async def test() -> None:
        async with opened({"cookie": cookie}) as socket:
            socket.send("ai:subscribe", _id=1, stream="session_x")
            assert await socket.closed() == 4401
        monkeypatch.setattr(person, "AUTHENTICATE_WITHIN_S", 0.1)
        async with opened({"cookie": cookie}) as socket:
            assert await socket.closed() == 4401

    run(test)


def test_it_waits_for_a_token_no_longer_because_of_other_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person, "AUTHENTICATE_WITHIN_S", 0.3)

    async def test() -> None:
        async with opened() as socket:
            while socket.close_code is None:
                socket.send_text("nonsense")
                await asyncio.sleep(0.02)
            assert socket.close_code == 4401

    run(test)


@pytest.mark.parametrize("token", ["", "nonsense", "a.b.c", "x" * 4096])
def test_it_refuses_a_wrong_token(alice: User, token: str) -> None:
    async def test() -> None:
        async with opened() as socket:
            socket.send("ai:authenticate", _id=1, token=token)
            assert await socket.closed() == 4401
        assert socket.received == []

    run(test)


def test_it_refuses_a_refresh_token_and_an_expired_one(alice: User) -> None:
    expired = AccessToken(tokens.issue(alice).access)
    expired.set_exp(lifetime=timedelta(seconds=-1))
    for token in (tokens.issue(alice).refresh, str(expired)):

        async def test(token: str = token) -> None:
            async with opened() as socket:
                socket.send("ai:authenticate", token=token)
                assert await socket.closed() == 4401

        run(test)


def test_it_reads_no_long_frame_of_a_stranger(alice: User) -> None:
    async def test() -> None:
        async with opened() as socket:
            socket.send_text("[" * 500_000)
            assert await socket.closed() == 4401

    run(test)


class InTwoMinutes(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        return datetime.now(tz) + timedelta(minutes=2)


def test_it_renews_a_token_before_it_expires(alice: User, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    short = AccessToken(tokens.issue(alice).access)
    short.set_exp(lifetime=timedelta(minutes=2))
    renewed, other = tokens.issue(alice).access, tokens.issue(bob).access

    async def test() -> None:
        async with opened() as kept, opened() as left, opened() as stolen:
            for socket in (kept, left, stolen):
                socket.send("ai:authenticate", _id="first", token=str(short))
                await socket.frame("ai:authenticated", _id="first")
            kept.send("ai:authenticate", _id="again", token=renewed)
            await kept.frame("ai:authenticated", _id="again")
            stolen.send("ai:authenticate", _id="again", token=other)
            assert await stolen.closed() == 4401
            monkeypatch.setattr(checks, "datetime", InTwoMinutes)
            assert await left.closed() == 4401
            kept.send("ai:subscribe", _id=3, stream="session_x")
            assert (await kept.frame("ai:error", _id=3))["code"] == "not_found"

    run(test)


def disable(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User) -> None:
    user.set_password("another one")
    user.save()


def delete_membership(user: User) -> None:
    Membership.objects.filter(user=user).delete()


def log_out(user: User) -> None:
    BrowserSession.objects.all().delete()


def delete_account(user: User) -> None:
    User.objects.filter(pk=user.pk).delete()


def lower_role(user: User) -> None:
    Membership.objects.filter(user=user).update(role=Role.VIEWER)


ENDS = [disable, change_password, delete_membership, log_out, lower_role]


@pytest.mark.parametrize("end", [*ENDS, delete_account])
def test_it_closes_the_socket_of_somebody_who_may_not_be_here_any_more(
    alice: User, bob: User, end: Callable[[User], None]
) -> None:
    cookie = cookie_of(alice)

    async def test() -> None:
        async with signed_in(bob) as another, opened({**OURS, "cookie": cookie}) as socket:
            await in_db(end, alice)
            assert await socket.closed() == 4403
            another.send("ai:subscribe", _id=1, stream="session_x")
            await another.frame("ai:error", _id=1)

    run(test)


class Unanswerable:
    """A reader that makes the statement fail for everybody who is checked with it."""

    slot = None

    def __init__(self, identity: Identity) -> None:
        self.checked = Reader(identity, streams=[2**64])

    def reader(self) -> Reader:
        return self.checked

    def end_access(self, why: End) -> None:
        pytest.fail("nobody knows what this reader may do")

    def lose_streams(self, stream_ids: Collection[int]) -> None:
        pytest.fail("nobody knows what this reader may do")


def test_it_checks_everybody_beside_a_reader_that_cannot_be_checked(
    alice: User, bob: User, caplog: pytest.LogCaptureFixture
) -> None:
    cookie = cookie_of(alice)

    async def test() -> None:
        async with signed_in(bob), opened({**OURS, "cookie": cookie}) as socket:
            socket.send("ai:subscribe", _id=1, stream="session_x")
            await socket.frame("ai:error", _id=1)
            (identity,) = (each.identity for each in connection._open if each.identity and each.identity.user == alice)
            unanswerable = Unanswerable(identity)
            open_readers.add(unanswerable)
            try:
                await in_db(disable, alice)
                assert await socket.closed() == 4403
            finally:
                open_readers.remove(unanswerable)

    run(test)
    assert "a reader not checked" in caplog.text


@pytest.mark.parametrize("end", ENDS)
def test_it_refuses_the_next_frame_of_somebody_who_may_not_be_here_any_more(
    alice: User, nba: Graph, end: Callable[[User], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = cookie_of(alice)
    monkeypatch.setattr(open_readers, "CHECK_EVERY_S", 3600)

    async def test() -> None:
        async with opened({**OURS, "cookie": cookie}) as socket:
            socket.send("ai:subscribe", _id=1, stream="session_x")
            await socket.frame("ai:error", _id=1)
            await in_db(end, alice)
            socket.send("ai:chat", _id=2, message="Hello", context={"type": "graph", "id": "nba"})
            assert await socket.closed() == 4403
        assert len(socket.received) == 1
        assert await in_db(Session.objects.count) == 0

    run(test)


def test_access_ends_while_valkey_keeps_those_who_count_waiting(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey, "_PATIENT", {"socket_timeout": 600, "socket_connect_timeout": 600})
    monkeypatch.setattr(valkey, "_away", {})

    async def test() -> None:
        async with signed_in(alice) as socket:
            with silent_server() as silent:
                settings.REDIS_URL = silent.url
                async with asyncio.timeout(20):
                    while not silent.reached():
                        await asyncio.sleep(0.01)
                await in_db(User.objects.filter(pk=alice.pk).update, is_active=False)
                assert await socket.closed() == 4403

    run(test)


def test_it_stops_streams_of_a_workspace_that_somebody_was_removed_from(
    alice: User, nba: Graph, charlie: User, model: Model
) -> None:
    Membership.objects.create(user=alice, workspace=charlie.memberships.get().workspace, role=Role.EDITOR)

    async def test() -> None:
        async with signed_in(alice, "workspace=demo") as asking:
            asking.send("ai:chat", _id=1, message="Hello", context={"type": "graph", "id": "nba"})
            accepted = await asking.frame("ai:accepted")
        async with signed_in(alice, "workspace=other") as reading, signed_in(alice, "workspace=other") as staying:
            reading.send("ai:subscribe", _id=1, sessionId=accepted["sessionId"])
            model.say("Before")
            await reading.frame("ai:token")
            await in_db(Membership.objects.filter(user=alice, workspace__slug="demo").delete)
            assert await reading.closed() == 4403
            model.say("After")
            model.end()
            staying.send("ai:subscribe", _id=1, sessionId=accepted["sessionId"])
            assert (await staying.frame("ai:error", _id=1))["code"] == "not_found"
            assert staying.close_code is None
        assert reading.text() == "Before"

    run(test)


def test_it_ends_the_stream_of_a_deleted_conversation_and_nothing_else(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send("ai:chat", _id=1, message="Hello", context={"type": "graph", "id": "nba"})
            accepted = await socket.frame("ai:accepted")
            model.say("Before")
            await socket.frame("ai:token")
            await in_db(Session.objects.update, hidden_at=timezone.now())
            told = await socket.frame("ai:unsubscribed")
            assert (told["_id"], told["stream"], told["sessionId"]) == (None, accepted["stream"], accepted["sessionId"])
            model.say("After")
            socket.send("ai:subscribe", _id=2, sessionId=accepted["sessionId"])
            assert (await socket.frame("ai:error", _id=2))["code"] == "not_found"
            assert not runtime.current().hub._tails
        assert socket.text() == "Before"

    run(test)


def test_it_frees_everything_when_a_socket_goes(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            socket.send("ai:chat", _id=1, message="Hello", context={"type": "graph", "id": "nba"})
            await socket.frame("ai:user_message")
            assert connection._open
            assert runtime.current().hub._tails
        assert not connection._open
        assert not runtime.current().hub._tails

    run(test)
