"""What a newer version of the program stored is refused by every door until the update is complete."""

import asyncio
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.concurrency.database import in_db
from chat.engine import runtime
from chat.engine.states import STATE_VERSION, State
from chat.events import wakeup
from chat.events.vocabulary import EVENT_VERSION
from chat.models import Session, Stream, StreamEvent
from chat.sockets.closing import RESTARTING
from graphs.models import Workspace
from graphs.site.stored_json import UnknownVersion
from tests.chat.events.logs import append_now, numbers, status
from tests.chat.events.old_runs import a_run
from tests.chat.inprocess import request, run, signed_in
from tests.rewriting import past_triggers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(alice: User, demo_workspace: Workspace) -> Session:
    return a_session(alice, demo_workspace)


def a_session(owner: User, workspace: Workspace) -> Session:
    id_ = uuid.uuid4()
    stream = Stream.objects.create(name=f"session_{id_}", workspace=workspace)
    found = Session.objects.create(id=id_, workspace=workspace, owner=owner, stream=stream, title="Tomorrow")
    a_run(found)
    found.stream.refresh_from_db()
    return found


def test_a_newer_event_is_not_half_read(session: Session, alice: User) -> None:
    with past_triggers():
        StreamEvent.objects.filter(stream=session.stream_id, sequence=4).update(version=EVENT_VERSION + 1)

    async def main() -> None:
        answer = await request("GET", f"/api/v1/streams/events/{session.stream.name}", alice)
        assert (answer.status, answer.json()["code"]) == (503, "unavailable")
        before = await request("GET", f"/api/v1/streams/events/{session.stream.name}?limit=3", alice)
        assert [event["sequence"] for event in before.json()["events"]] == [1, 2, 3]
        async with signed_in(alice) as socket:
            socket.send("ai:subscribe", _id=1, sessionId=str(session.pk), after=0)
            assert await socket.closed() == RESTARTING
            assert socket.events(session.stream.name) == []

    run(main)


@pytest.mark.parametrize(
    ("newer", "why"),
    [({"version": EVENT_VERSION + 1}, UnknownVersion), ({"data": {"delta": "", "folded": "?"}}, TypeError)],
)
def test_readers_of_other_streams_do_not_notice(
    session: Session,
    alice: User,
    demo_workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    newer: dict[str, Any],
    why: type[Exception],
) -> None:
    """What becomes known, or is asked for, at the same moment is read in one statement."""
    other = a_session(alice, demo_workspace)
    last = other.stream.last_sequence
    added = StreamEvent.objects.filter(stream=session.stream_id, sequence=last + 1)

    def told_elsewhere() -> None:
        for each in (session, other):
            append_now(each.stream_id, status("running"))
        with past_triggers():
            added.update(**newer)

    async def main() -> None:
        hub = runtime.current().hub
        watches = [await hub.watch(each.stream_id, last) for each in (session, other)]
        monkeypatch.setattr(wakeup, "wake_readers", lambda *_: None)
        await in_db(told_elsewhere)
        hub._heard(f"{session.stream_id}:{last + 1},{other.stream_id}:{last + 1}".encode())
        async with asyncio.timeout(30):
            refused, found = await asyncio.gather(*(watch.next() for watch in watches), return_exceptions=True)
        assert isinstance(refused, why)
        assert numbers(found) == [last + 1]

    run(main)


def test_a_newer_state_is_not_half_read(session: Session, alice: User) -> None:
    newer = {**State().to_json(), "version": STATE_VERSION + 1, "mood": "good"}
    Session.objects.filter(pk=session.pk).update(state=newer)

    async def main() -> None:
        for address in (f"/api/v1/chat/sessions/{session.pk}", "/api/v1/chat/sessions"):
            answer = await request("GET", address, alice)
            assert (answer.status, answer.json()["code"]) == (503, "unavailable"), address
            assert answer.headers["retry-after"] == "30"
        assert await in_db(lambda: Session.objects.get(pk=session.pk).state) == newer

    run(main)
