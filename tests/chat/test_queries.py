import asyncio
import random
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from chat.actions.conversations import delete_session, post_message
from chat.api.events import EventPage
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Session, Stream
from chat.providers.demo.provider import DemoProvider
from chat.queries.conversations import held_session, member_in, messages_of, session_and_member, session_for
from chat.queries.streams import events_page, stream_for
from graphs.models import Graph, Membership, Workspace
from graphs.objects.refs import Ref
from graphs.site.access import NotFound, member_of, parsed_id
from tests.chat.folding import Reading, begin, follow, shown
from tests.chat.inprocess import Model, request, run

ABOUT_NBA = {"type": "graph", "id": "nba"}
PAUSE_S = 0.002


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo's model, quicker; and between two queries of a request anything may happen."""
    monkeypatch.setattr(DemoProvider.__init__, "__defaults__", (PAUSE_S,))
    read = messages_of

    def later(session: Session) -> Any:
        time.sleep(random.choice((0, 0, 0.01, 0.05)))
        return read(session)

    monkeypatch.setattr("chat.api.sessions.messages_of", later)


async def ask(user: User, text: str, **values: Any) -> dict[str, Any]:
    place = {} if values else {"context": ABOUT_NBA}
    answer = await request("POST", "/api/v1/chat/messages", user, {"message": text, **place, **values})
    assert answer.status == 202, answer.body
    return answer.json()


async def final(user: User, session_id: str) -> dict[str, Any]:
    page = (await request("GET", f"/api/v1/chat/sessions/{session_id}/messages", user)).json()
    return {message["id"]: shown(message) for message in page["results"]}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("stopped", [False, True])
def test_messages_and_the_events_after_them_give_the_answer_once_and_whole(
    alice: User, nba: Graph, demo: None, stopped: bool
) -> None:
    async def read_some_time(session_id: str, last_run: str, moment: float) -> Reading:
        await asyncio.sleep(moment)
        return await follow(alice, await begin(alice, session_id), last_run)

    async def test() -> None:
        first = await ask(alice, "What does fetch-api do?")
        session_id = first["sessionId"]
        last = await ask(alice, "What happens after root?", sessionId=session_id)
        readers = [
            asyncio.create_task(read_some_time(session_id, last["runId"], random.random() * 2.5)) for _ in range(30)
        ]
        if stopped:
            await asyncio.sleep(0.6)
            await request("POST", f"/api/v1/chat/sessions/{session_id}/stop", alice, {})
        readings = await asyncio.gather(*readers)
        expected = await final(alice, session_id)
        assert len(expected) == 4
        assert all(message["content"] or stopped for message in expected.values())
        for reading in readings:
            assert {message["id"]: message for message in reading.result()} == expected
        assert len({reading.after for reading in readings}) == 1

    run(test)


@pytest.mark.django_db(transaction=True)
def test_a_page_without_the_answer_that_is_written_still_begins_before_it(
    alice: User, nba: Graph, model: Model
) -> None:
    async def test() -> None:
        first = await ask(alice, "Hello")
        model.say("One ")
        async with asyncio.timeout(20):
            while b"One " not in (await request("GET", f"/api/v1/streams/events/{first['streamId']}", alice)).body:
                await asyncio.sleep(0.02)
        last = await ask(alice, "And?", sessionId=first["sessionId"])
        reading = await begin(alice, first["sessionId"], "?limit=1")
        assert len(reading.messages) == 1
        model.say("more")
        model.end()
        model.say("Two")
        model.end()
        await follow(alice, reading, last["runId"])
        texts = {message["id"]: message["content"] for message in reading.result()}
        assert (texts[first["messageId"]], texts[last["messageId"]]) == ("One more", "Two")

    run(test)


@pytest.mark.django_db(transaction=True)
def test_an_answer_that_ends_while_messages_are_read_is_not_repeated(
    alice: User, nba: Graph, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = messages_of

    async def test() -> None:
        loop = asyncio.get_running_loop()

        def after_its_end(session: Session) -> Any:
            loop.call_soon_threadsafe(model.end)
            while session.runs.filter(ended_at=None).exists():
                time.sleep(0.01)
            return read(session)

        accepted = await ask(alice, "Hello")
        model.say("Whole")
        async with asyncio.timeout(20):
            while b"Whole" not in (await request("GET", f"/api/v1/streams/events/{accepted['streamId']}", alice)).body:
                await asyncio.sleep(0.02)
        monkeypatch.setattr("chat.api.sessions.messages_of", after_its_end)
        reading = await begin(alice, accepted["sessionId"])
        monkeypatch.setattr("chat.api.sessions.messages_of", read)
        before = reading.after
        await follow(alice, reading, accepted["runId"])
        assert {message["id"]: message for message in reading.result()} == await final(alice, accepted["sessionId"])
        assert reading.after == before

    run(test)


@pytest.mark.django_db(transaction=True)
def test_pages_of_events_end_with_their_last_number_while_more_are_written(alice: User, nba: Graph, demo: None) -> None:
    async def test() -> None:
        accepted = await ask(alice, "What is in this graph?")
        closed = False
        async with asyncio.timeout(20):
            while not closed:
                page = (await request("GET", f"/api/v1/streams/events/{accepted['streamId']}", alice)).json()
                assert [each["sequence"] for each in page["events"]] == list(range(1, len(page["events"]) + 1))
                assert page["last"] >= len(page["events"])
                closed = any(each["type"] == "done" for each in page["events"])

    run(test)


# --- who may see what ---------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_it_finds_own_sessions_in_any_workspace_but_only_there(alice: User, charlie: User, nba: Graph) -> None:
    other = charlie.memberships.get().workspace
    Membership.objects.create(user=alice, workspace=other, role="viewer")
    accepted = post_message(member_of(alice, "demo"), "Hello", context=Ref("graph", "nba"))
    session_id = str(accepted.session_id)
    session, member = session_and_member(alice, session_id)
    assert (session.pk, member.workspace.slug) == (accepted.session_id, "demo")
    with pytest.raises(NotFound):
        session_for(member_of(alice, "other"), session_id)
    with pytest.raises(NotFound):
        session_and_member(charlie, session_id)
    assert member_in(alice, session_id) == member
    with pytest.raises(NotFound):
        member_in(charlie, session_id)
    with transaction.atomic():
        assert held_session(member, session_id) == session
        for foreign in (member_of(alice, "other"), member_of(charlie)):
            with pytest.raises(NotFound):
                held_session(foreign, session_id)


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["removed", "disabled", "deleted"])
def test_it_finds_no_session_of_who_may_not_have_it_any_more(end: str, alice: User, nba: Graph) -> None:
    member = member_of(alice)
    session_id = str(post_message(member, "Hello", context=Ref("graph", "nba")).session_id)
    match end:
        case "removed":
            alice.memberships.all().delete()
        case "disabled":
            User.objects.update(is_active=False)
        case "deleted":
            delete_session(member, session_id)
    with pytest.raises(NotFound):
        member_in(alice, session_id)
    with transaction.atomic(), pytest.raises(NotFound):
        held_session(member, session_id)


@pytest.mark.django_db
def test_it_lets_members_read_the_stream_of_an_object_and_nobody_else(
    alice: User, bob: User, charlie: User, demo_workspace: Workspace
) -> None:
    Stream.objects.create(name="graph_1", workspace=demo_workspace)
    assert stream_for(alice, "graph_1").session_id is None
    assert stream_for(bob, "graph_1").workspace_id == demo_workspace.pk
    with pytest.raises(NotFound):
        stream_for(charlie, "graph_1")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    with pytest.raises(NotFound):
        stream_for(alice, "graph_1")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "\x00", "graph_\x001", "x" * 5000, "graph_1\n", "GRAPH_1", "%"])
def test_it_finds_no_stream_by_another_name(alice: User, demo_workspace: Workspace, name: str) -> None:
    Stream.objects.create(name="graph_1", workspace=demo_workspace)
    with pytest.raises(NotFound):
        stream_for(alice, name)


@pytest.mark.django_db
def test_a_page_that_was_overtaken_names_the_later_end(alice: User, demo_workspace: Workspace) -> None:
    Stream.objects.create(name="graph_1", workspace=demo_workspace)
    stream = stream_for(alice, "graph_1")
    with transaction.atomic():
        append(stream.id, [NewEvent("object_changed", {}), NewEvent("object_changed", {})])
    assert EventPage.of(stream, events_page(stream, 0, 10)).last == 2
    assert EventPage.of(stream, events_page(stream, 0, 1)).last == 1


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", "x", "\x00", "6b27d47c-f86d-4656-9667-5e510635f0680", "null"])
def test_what_is_no_id_names_nothing(text: str) -> None:
    with pytest.raises(NotFound):
        parsed_id(text)
