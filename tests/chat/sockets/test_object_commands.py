"""The socket of an object's page: who else is there, in which field they are, and that the object was changed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.concurrency.database import in_db
from graphs.history import editing
from graphs.models import Role
from graphs.objects.actions import parse
from graphs.site.access import Member
from graphs.site.api import tokens
from tests.cast import member
from tests.chat.inprocess import Socket, opened, run
from tests.registered import shops
from tests.things import Thing, product_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def thing(alice: User, demo_workspace: Any) -> Iterator[Thing]:
    with shops():
        yield product_of(demo_workspace)


def address(thing: Thing) -> str:
    return f"/ws/objects/{thing.item.type}/{thing.item.key}/"


@asynccontextmanager
async def at(user: User, path: str) -> AsyncIterator[Socket]:
    token = (await asyncio.to_thread(tokens.issue, user)).access
    async with opened(path=path) as socket:
        socket.send("object:authenticate", token=token)
        await socket.frame("object:authenticated")
        yield socket


def test_those_who_look_see_each_other_and_where_they_are(alice: User, bob: User, thing: Thing) -> None:
    async def test() -> None:
        async with at(alice, address(thing)) as mine, at(bob, address(thing)) as other:
            assert (await mine.frame("object:opened"))["mayEdit"] is True
            assert (await other.frame("object:opened"))["mayEdit"] is False
            mine.send("object:presence", selection=["notes"])
            await other.until(
                lambda socket: any(
                    (person["name"], person["selection"]) == ("alice", ["notes"])
                    for each in socket.received
                    if each["type"] == "object:presence"
                    for person in each["people"]
                )
            )
        assert mine.received[-1]["type"] == "object:presence"

    run(test)


def test_they_hear_that_it_was_changed_and_that_it_is_gone(alice: User, thing: Thing) -> None:
    def change(action: str, **arguments: Any) -> None:
        asked = [parse(action, {"object": str(thing.item), **arguments})]
        editing.edit(Member(alice, thing.workspace, Role.EDITOR), thing.around, editing.Request(asked))

    async def test() -> None:
        async with at(alice, address(thing)) as mine:
            version = (await mine.frame("object:opened"))["version"]
            await in_db(change, "update_object", updates={"notes": "New"})
            assert (await mine.frame("object:changed"))["version"] > version
            await in_db(change, "delete_object")
            assert await mine.closed() == 4404

    run(test)


def test_foreign_absent_and_graphs_are_not_there(charlie: User, alice: User, thing: Thing) -> None:
    absent = "00000000-0000-0000-0000-000000000000"
    paths = [(charlie, address(thing))] + [
        (alice, f"/ws/objects/{path}/")
        for path in (f"product/{absent}", "product/x", "product/%00", "nothing/1", "graph/nba")
    ]

    async def test() -> None:
        for user, path in paths:
            async with at(user, path) as socket:
                assert (await socket.frame("object:error"))["code"] == "not_found"
                assert await socket.closed() == 4404, path

    run(test)


@pytest.mark.parametrize(
    "frame",
    [
        {"selection": ["x"] * 51},
        {"selection": ["x" * 251]},
        {"selection": [7]},
        {"cursor": {"sheet": "main", "x": 0, "y": 0}},
    ],
)
def test_what_is_no_presence_is_refused(alice: User, thing: Thing, frame: dict[str, Any]) -> None:
    async def test() -> None:
        async with at(alice, address(thing)) as mine:
            mine.send("object:presence", _id="a", **frame)
            assert (await mine.frame("object:error", _id="a"))["code"] == "validation"

    run(test)


def test_who_loses_access_is_sent_away(demo_workspace: Any, thing: Thing) -> None:
    dora = member("dora", demo_workspace, Role.EDITOR)

    async def test() -> None:
        async with at(dora, address(thing)) as socket:
            await socket.frame("object:opened")
            await in_db(dora.memberships.all().delete)
            assert await socket.closed() == 4403

    run(test)
