"""What every door gives of a conversation, complete and from every cursor, before and after its events were folded."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.concurrency.database import in_db
from chat.events import compaction
from chat.models import Session, Stream, StreamEvent
from graphs.models import Workspace
from tests import checker
from tests.chat.events.old_runs import a_run
from tests.chat.inprocess import asked, request, run, signed_in
from tests.graphs.admin.staff import superuser

FOLDED_EVENTS, FOLDED_ROWS = 9, 6
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def session(alice: User, demo_workspace: Workspace) -> Session:
    id_ = uuid.uuid4()
    stream = Stream.objects.create(name=f"session_{id_}", workspace=demo_workspace)
    found = Session.objects.create(id=id_, workspace=demo_workspace, owner=alice, stream=stream, title="Old")
    a_run(found, words=("It ", "日本語", "🏀"))
    found.stream.refresh_from_db()
    return found


async def pages(session: Session, alice: User) -> list[Any]:
    """REST: of the stream, the session and each message, whole and in pieces, from every number."""
    last = session.stream.last_sequence
    messages = await in_db(lambda: list(session.messages.values_list("pk", flat=True)))
    paths = [
        f"streams/events/{session.stream.name}",
        f"chat/sessions/{session.pk}/stream-events",
        *(f"chat/messages/{id_}/stream-events" for id_ in messages[1::2]),
    ]
    addresses = [
        f"{path}?after={after}" for path in paths for after in range(0, last + 1, 1 if path == paths[0] else 7)
    ]
    addresses += [f"{paths[0]}?after={after}&limit=3" for after in range(last + 1)]
    return [(address, (await request("GET", f"/api/v1/{address}", alice)).json()) for address in addresses]


async def server_sent(session: Session, alice: User) -> list[Any]:
    last = session.stream.last_sequence
    found = []
    for after in range(last):
        address = f"/api/v1/streams/sse?streams={session.stream.name}&cursor={session.stream_id}-{after}"
        async with asked("GET", address, alice) as answer:
            await answer.until(lambda each, wanted=last - after: len(each.events()) >= wanted)
            found.append(answer.events())
    return found


async def frames(session: Session, alice: User) -> list[Any]:
    last = session.stream.last_sequence
    found = []
    async with signed_in(alice) as socket:
        for after in range(last):
            socket.received.clear()
            socket.send("ai:subscribe", _id=after, sessionId=str(session.pk), after=after)
            await socket.until(lambda each, wanted=last - after: len(each.events(session.stream.name)) >= wanted)
            found.append(socket.events(session.stream.name))
    checker.check_received(found[0], await in_db(checker.stored_frames, session.stream.name), caught_up=True)
    return found


def test_programs_get_the_same_through_every_door(session: Session, alice: User) -> None:
    async def main() -> None:
        doors = (pages, server_sent, frames)
        before = [await door(session, alice) for door in doors]
        assert await in_db(lambda: sum(step.rows for step in compaction.steps(30))) == FOLDED_ROWS
        assert await in_db(StreamEvent.objects.count) == session.stream.last_sequence - FOLDED_ROWS
        for door, wanted in zip(doors, before, strict=True):
            assert await door(session, alice) == wanted, door.__name__

    run(main)


def timelines(client: Client, session: Session) -> list[str]:
    """The table and the links of the event timeline from every number, for every type and run."""
    address = reverse("admin:chat_session_events", args=[session.pk])
    first_run = session.runs.first()
    assert first_run is not None
    every = [{"at": at} for at in range(1, session.stream.last_sequence + 1)]
    for chosen in ({"type": "content_delta"}, {"type": "done"}, {"run": first_run.pk}):
        every += [{**chosen, "at": at} for at in range(1, session.stream.last_sequence + 1, 5)]
    texts = [client.get(address, query).content.decode() for query in every]
    return [text[text.index('<p class="where">') : text.index("</main>")] for text in texts]


def test_people_see_the_same_timeline(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.admin.log_page.PAGE", 4)
    monkeypatch.setattr("chat.admin.log_page.LOOKS_THROUGH", 15)
    client = superuser()
    before = timelines(client, session)
    assert sum(step.events for step in compaction.steps(30)) == FOLDED_EVENTS
    assert timelines(client, session) == before
