"""A frame that waits too long for what somebody else holds is refused and may be sent again; its socket stays open."""

import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection, transaction
from django.db.backends.signals import connection_created
from psycopg.errors import QueryCanceled

from chat.concurrency.database import in_db
from chat.engine.runtime import conninfo
from chat.models import Proposal, ProposalStatus
from chat.sockets.closing import RESTARTING
from chat.sockets.subscriptions import Subscriptions
from graphs.models import Graph, LiveEdit
from tests.chat.inprocess import Model, Socket, at_graph, run, signed_in
from tests.chat.sockets.asking import answered, ask
from tests.chat.sockets.test_graph_commands import answer, edit, rename
from tests.proposed import RENAME, waiting

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def impatient() -> Iterator[None]:
    """Threads of sockets wait for locks and statements, as those of a web process do, but not as long."""

    def bound(connection: Any, **_signal: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'; SET statement_timeout = '20s'")

    connection.ensure_connection()
    connection_created.connect(bound)
    yield
    connection_created.disconnect(bound)
    connection.close_pool()  # which would give these connections to others


@asynccontextmanager
async def held(table: str, pk: Any) -> AsyncIterator[None]:
    """Somebody else has the row, and does not let go."""
    with psycopg.connect(conninfo(), autocommit=False) as own:
        own.execute(f"SELECT FROM {table} WHERE id = %s FOR UPDATE", [pk])
        yield


def refusals_of(socket: Socket) -> list[str]:
    return [each["code"] for each in socket.received if each["type"].endswith(":error")]


def test_a_live_edit_is_refused_and_done_when_it_is_sent_again(alice: User, nba: Graph) -> None:
    async def test() -> None:
        own_id = uuid.uuid4().hex
        async with at_graph(alice) as socket:
            async with held("graphs_object", nba.pk):
                refused = await edit(socket, rename("Fetch all"), own_id)
                assert (refused["type"], refused["code"], refused["retryable"]) == ("graph:error", "busy", True)
                assert "Try again" in refused["error"]
            socket.received.clear()
            assert (await edit(socket, rename("Fetch all"), own_id))["type"] == "graph:ack"
            assert socket.close_code is None
        assert await in_db(LiveEdit.objects.count) == 1

    run(test)


def test_a_graph_that_somebody_holds_is_opened_and_watched(alice: User, bob: User, nba: Graph) -> None:
    async def test() -> None:
        async with held("graphs_object", nba.pk), at_graph(alice) as mine, at_graph(bob) as other:
            await mine.frame("graph:opened")
            mine.send("graph:presence", selection=["root"])
            await other.until(
                lambda each: any(
                    person["selection"] == ["root"]
                    for frame in each.received
                    if frame["type"] == "graph:presence"
                    for person in frame["people"]
                )
            )
            assert (mine.close_code, other.close_code) == (None, None)

    run(test)


def test_a_message_is_refused_and_taken_when_it_is_sent_again(alice: User, nba: Graph, model: Model) -> None:
    async def test() -> None:
        async with signed_in(alice) as socket:
            accepted = await answered(socket, model)
            session = accepted["sessionId"]
            async with held("chat_session", session):
                socket.send("ai:chat", _id="again", message="More", sessionId=session)
                refused = await answer(socket, "again")
                assert (refused["type"], refused["code"], refused["retryable"]) == ("ai:error", "busy", True)
                assert "sequence" not in refused
            assert (await ask(socket, "More", "once more", sessionId=session))["sessionId"] == session
            assert (socket.close_code, refusals_of(socket)) == (None, ["busy"])

    run(test)


def test_a_decision_is_refused_and_made_when_it_is_sent_again(alice: User, nba: Graph, model: Model) -> None:
    (proposal,) = waiting(alice, nba, RENAME)

    async def test() -> None:
        async with signed_in(alice) as socket:
            decision = {"sessionId": str(proposal.session_id), "proposalId": str(proposal.pk), "approved": True}
            async with held("graphs_object", nba.pk):
                socket.send("ai:resume", _id="first", **decision)
                refused = await answer(socket, "first")
                assert (refused["type"], refused["code"], refused["retryable"]) == ("ai:error", "busy", True)
                assert await in_db(lambda: Proposal.objects.get().status) == ProposalStatus.PENDING
            socket.send("ai:resume", _id="second", **decision)
            accepted = await answer(socket, "second")
            assert (accepted["type"], accepted["status"]) == ("ai:accepted", ProposalStatus.APPLIED)
            assert socket.close_code is None

    run(test)


def test_a_statement_that_takes_too_long_refuses_its_frame(
    alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_given: Any) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '100ms'")
            cursor.execute("SELECT pg_sleep(20)")

    monkeypatch.setattr("graphs.workflows.live.editing.edit", slow)

    async def test() -> None:
        async with at_graph(alice) as socket:
            refused = await edit(socket, rename("Fetch all"))
            assert (refused["code"], refused["retryable"]) == ("unavailable", True)
            assert "took the database too long" in refused["error"]
            assert socket.close_code is None

    run(test)


def test_while_the_database_is_away_the_socket_closes(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_given: Any) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr("graphs.workflows.live.editing.edit", away)

    async def test() -> None:
        async with at_graph(alice) as socket:
            socket.send("graph:edit", _id="mine", **rename("Fetch all"))
            assert await socket.closed() == RESTARTING
            assert refusals_of(socket) == []

    run(test)


def test_what_was_accepted_is_not_refused_afterwards(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client comes back and reads what the message brought."""

    async def unreadable(*_given: Any, **_named: Any) -> None:
        raise OperationalError from QueryCanceled()

    monkeypatch.setattr(Subscriptions, "watch", unreadable)

    async def test() -> None:
        async with signed_in(alice) as socket:
            await ask(socket)
            assert await socket.closed() == RESTARTING
            assert refusals_of(socket) == []

    run(test)
