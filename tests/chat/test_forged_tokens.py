"""What `tests/graphs/site/api/test_authentication.py` refuses at the API, at the doors that stream."""

import pytest
from django.contrib.auth.models import User

from chat.actions.conversations import post_message
from graphs.models import Graph
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.site.api import tokens
from tests.chat.inprocess import asked, opened, request, run
from tests.forged_tokens import FORGERIES, claims, sign

pytestmark = pytest.mark.django_db(transaction=True)
SSE = "/api/v1/streams/sse"
IN_AN_ADDRESS = ("token", "access", "access_token", "jwt", "authorization", "Authorization", "bearer")


def stream_of(user: User) -> str:
    return post_message(member_of(user), "Hello", context=Ref("graph", "nba")).stream


def test_they_take_a_token_signed_like_ours(alice: User, nba: Graph) -> None:
    """Without this the refusals below would prove nothing."""
    stream, token = stream_of(alice), sign(claims(alice))

    async def test() -> None:
        async with opened() as socket:
            socket.send("ai:authenticate", token=token)
            await socket.frame("ai:authenticated")
        async with asked("GET", f"{SSE}?streams={stream}", headers={"authorization": f"Bearer {token}"}) as answer:
            await answer.until(lambda each: each.events())

    run(test)


def test_they_refuse_forged_tokens(alice: User, nba: Graph) -> None:
    stream = stream_of(alice)
    forged = {name: forge(alice) for name, forge in FORGERIES.items()}

    async def test() -> None:
        for name, token in forged.items():
            async with opened() as socket:
                socket.send("ai:authenticate", token=token)
                assert await socket.closed() == 4401, name
                assert socket.received == []
            answer = await request("GET", f"{SSE}?streams={stream}", authorization=f"Bearer {token}")
            assert (answer.status, answer.json()["code"]) == (401, "not_authenticated"), name

    run(test)


def test_they_take_no_token_from_an_address(alice: User, nba: Graph) -> None:
    stream, token = stream_of(alice), tokens.issue(alice).access

    async def test() -> None:
        for name in IN_AN_ADDRESS:
            for value in (token, f"Bearer%20{token}"):
                async with opened(query=f"{name}={value}") as socket:
                    socket.send("ai:subscribe", _id=1, stream=stream)
                    assert await socket.closed() == 4401, name
                answer = await request("GET", f"{SSE}?streams={stream}&{name}={value}")
                assert answer.status == 401, name

    run(test)
