"""The replay of a conversation for its owner."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse

from chat.actions import sharing
from graphs.models import Graph, Workspace
from graphs.site.access import member_of
from tests.cast import signed_in
from tests.chat.admin.talk import Talk, talk

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    return talk(alice, demo_workspace)


def replay(user: User, of: Talk, rest: str = "", **query: Any) -> HttpResponse:
    return signed_in(user).get(f"/conversations/{of.session.pk}/replay/{rest}", query)


def test_the_owner_plays_it_from_its_log(alice: User, own: Talk) -> None:
    shown = replay(alice, own).content.decode()
    assert f'events="/conversations/{own.session.pk}/replay/events/"' in shown
    assert "Where is the API?" in shown
    answer = json.loads(replay(alice, own, "events/").content)
    assert [frame["sequence"] for frame in answer["frames"]] == list(range(1, answer["last"] + 1))
    assert json.loads(replay(alice, own, "events/", after=answer["last"]).content)["frames"] == []
    assert replay(alice, own, "events/", after="x").status_code == 400


@pytest.mark.parametrize("rest", ["", "events/"])
def test_it_is_for_nobody_else(alice: User, bob: User, charlie: User, own: Talk, rest: str) -> None:
    for user in (bob, charlie):
        assert replay(user, own, rest).status_code == 404
    sharing.share_with(member_of(alice), str(own.session.pk), "bob", "write")
    assert replay(bob, own, rest).status_code == 403
