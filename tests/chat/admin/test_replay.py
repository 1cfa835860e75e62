import json
import re
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.events import compaction
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Run, StreamEvent
from chat.queries import replays
from graphs.models import Graph, Workspace
from tests.chat.admin.talk import Talk, talk, turn
from tests.chat.engine.generating import begun
from tests.graphs.admin.staff import auditor, mere_staff, superuser
from tests.graphs.records.portfolio import Portfolio, portfolio

__all__ = ["portfolio"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    return talk(alice, demo_workspace)


def frames(client: Client, found: Talk, after: int = 0) -> dict[str, Any]:
    address = reverse("admin:chat_session_replay_events", args=[found.session.pk])
    response = client.get(address, {"after": after})
    assert response.status_code == 200
    answer: dict[str, Any] = json.loads(response.content)
    return answer


def test_events_come_as_the_socket_sends_them_with_their_times(own: Talk) -> None:
    answer = frames(auditor(own.session.workspace), own)
    assert [frame["sequence"] for frame in answer["frames"]] == list(range(1, answer["last"] + 1))
    first = answer["frames"][0]
    assert (first["type"], first["content"]) == ("ai:user_message", "Where is the API?")
    event = StreamEvent.objects.get(stream=own.session.stream, sequence=1)
    assert first["createdAt"] == event.created_at.isoformat()
    assert (answer["frames"][5]["event"], answer["frames"][5]["token"]) == ("content_delta", "It is ")


def test_they_come_in_pages(own: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "PAGE_EVENTS", 3)
    client = superuser()
    assert [frame["sequence"] for frame in frames(client, own)["frames"]] == [1, 2, 3]
    assert [frame["sequence"] for frame in frames(client, own, 7)["frames"]] == [8]
    assert frames(client, own, 8)["frames"] == []


def test_they_are_the_same_when_the_log_was_folded(own: Talk) -> None:
    client = superuser()
    before = frames(client, own)
    rows = StreamEvent.objects.count()
    Run.objects.update(ended_at=timezone.now() - timedelta(days=40))
    list(compaction.steps(30))
    assert StreamEvent.objects.count() < rows
    assert frames(client, own) == before


def test_of_a_generation_only_what_is_of_it_is_played(alice: User, portfolio: Portfolio) -> None:
    runs = [begun(alice, "company_info", "company", portfolio.company.pk) for _ in range(3)]
    with transaction.atomic():
        (other, own, _last), stream = runs, runs[0].session.stream_id
        said = [NewEvent("content_delta", {"delta": run.asked_model}, run.message_id, run.pk) for run in (other, own)]
        append(stream, [*said, NewEvent("decision", {"status": "applied"}, own.message_id)])
    found, client = Talk(own.session, own), superuser()
    answer = frames(client, found)
    told = [(frame["event"], frame["sequence"]) for frame in answer["frames"]]
    assert told == [("generation", 2), ("content_delta", 5), ("decision", 6)]
    assert answer["last"] == 6
    assert [frame["sequence"] for frame in frames(client, found, 5)["frames"]] == [6]
    events = client.get(reverse("admin:chat_session_events", args=[own.session.pk])).content.decode()
    assert re.findall(r'id="event-(\d+)"', events) == ["2", "5", "6"]


@pytest.mark.parametrize("after", ["x", "-1", "1e3", "9" * 40, "²"])
def test_what_is_no_number_is_refused(own: Talk, after: str) -> None:
    address = reverse("admin:chat_session_replay_events", args=[own.session.pk])
    assert superuser().get(address, {"after": after}).status_code == 400


def test_a_foreign_conversation_is_absent(own: Talk, charlie: User, other_workspace: Workspace) -> None:
    theirs = talk(charlie, other_workspace, "Secret")
    client = auditor(own.session.workspace)
    for view in ("admin:chat_session_replay", "admin:chat_session_replay_events"):
        for id_ in (theirs.session.pk, uuid.uuid4()):
            assert client.get(reverse(view, args=[id_])).status_code == 404
        assert mere_staff(own.session.workspace).get(reverse(view, args=[own.session.pk])).status_code == 404
        User.objects.filter(username="clerk").delete()


def test_the_page_begins_where_it_is_asked_to(own: Talk) -> None:
    client = superuser()
    address = reverse("admin:chat_session_replay", args=[own.session.pk])
    assert 'at="5"' in client.get(address, {"at": "5"}).content.decode()
    assert 'at="0"' in client.get(address, {"at": '"><script>'}).content.decode()


def test_a_message_is_found_on_its_page(own: Talk) -> None:
    for i in range(30):
        turn(own.session, f"Question {i}")
    message = own.session.messages.get(content="Question 29")
    address = reverse("admin:chat_session_change", args=[own.session.pk])
    client = superuser()
    assert f"message-{message.pk}" in client.get(address, {"message": str(message.pk)}).content.decode()
    for unknown in (str(uuid.uuid4()), "nonsense"):
        assert client.get(address, {"message": unknown}).status_code == 200
