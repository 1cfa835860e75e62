"""Conversations that are put away, found by a filter, read, and brought back."""

import pytest
from django.contrib.auth.models import User

from chat.models import Session
from chat.queries.conversations import counts_about
from graphs.models import Graph, Role, Workspace
from graphs.site.access import Member
from tests.chat.admin.talk import talk
from tests.chat.api.callers import get, patch, post
from tests.graphs.api.callers import problem

pytestmark = pytest.mark.django_db


def listed(user: User, query: str = "") -> list[str]:
    return [each["id"] for each in get(user, f"chat/sessions{query}").json()["results"]]


def test_it_leaves_the_list_and_comes_back(alice: User, nba: Graph, demo_workspace: Workspace) -> None:
    member = Member(alice, demo_workspace, Role.EDITOR)
    kept, put_away = (str(talk(alice, demo_workspace, title).session.pk) for title in ("Kept", "Put away"))
    path = f"chat/sessions/{put_away}"
    before = get(alice, path).json()
    assert patch(alice, path, {"archived": True}).json() == before | {"archived": True}
    assert listed(alice) == listed(alice, "?archived=false") == listed(alice, "?context=graph:nba") == [kept]
    assert listed(alice, "?archived=true") == listed(alice, "?archived=true&context=graph:nba") == [put_away]
    assert counts_about(member, "graph", ["nba"]) == {"nba": 1}
    assert len(get(alice, f"{path}/messages").json()["results"]) == 2
    told = get(alice, f"{path}/stream-events?after=8").json()["events"]
    assert [event["data"] for event in told] == [{"title": "Put away", "model": "", "archived": True}]
    assert patch(alice, path, {"archived": True}).status_code == 200
    assert get(alice, f"{path}/stream-events?after=8").json()["last"] == 9
    assert patch(alice, path, {"archived": False}).json() == before
    assert set(listed(alice)) == {kept, put_away}


def test_nothing_is_written_in_it_before_it_is_brought_back(alice: User, demo_workspace: Workspace) -> None:
    found = talk(alice, demo_workspace)
    session, path = str(found.session.pk), f"chat/sessions/{found.session.pk}"
    patch(alice, path, {"archived": True})
    for refused in (
        post(alice, "chat/messages", {"message": "Hello", "sessionId": session}),
        post(alice, f"chat/messages/{found.run.message_id}/deepen"),
    ):
        assert "Bring it back" in problem(refused, 409, "conflict")["detail"]
    assert found.session.messages.count() == 2
    patch(alice, path, {"archived": False})
    assert post(alice, "chat/messages", {"message": "Hello", "sessionId": session}).status_code == 202


def test_others_archive_nothing(alice: User, bob: User, demo_workspace: Workspace) -> None:
    session = talk(alice, demo_workspace).session
    problem(patch(bob, f"chat/sessions/{session.pk}", {"archived": True}), 404, "not_found")
    assert Session.objects.get().archived_at is None


@pytest.mark.parametrize("value", ["1", "True", "", "yes"])
def test_a_filter_is_true_or_false(alice: User, demo_workspace: Workspace, value: str) -> None:
    assert "archived" in problem(get(alice, f"chat/sessions?archived={value}"), 400, "validation")["errors"]
