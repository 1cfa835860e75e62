"""chat/actions/rating.py and its door: thumbs for answers."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from chat.models import Feedback, Message, Share
from graphs.models import Graph, Workspace
from tests.chat.admin.talk import talk
from tests.chat.api.callers import API, get
from tests.graphs.admin.staff import auditor
from tests.graphs.api.callers import problem, with_token

pytestmark = pytest.mark.django_db


def rate(user: User, message: object, body: Any) -> Any:
    path = f"{API}chat/messages/{message}/feedback"
    return with_token(user).put(path, body, content_type="application/json")


def test_one_vote_of_each_person_can_be_changed_and_taken_back(alice: User, demo_workspace: Workspace) -> None:
    found = talk(alice, demo_workspace)
    answer = found.run.message_id
    assert rate(alice, answer, {"vote": 1}).json() == {"vote": 1, "comment": ""}
    assert rate(alice, answer, {"vote": -1, "comment": " Wrong node "}).json() == {"vote": -1, "comment": "Wrong node"}
    assert Feedback.objects.values_list("vote", "comment").get() == (-1, "Wrong node")
    asked, answered = get(alice, f"chat/sessions/{found.session.pk}/messages").json()["results"]
    assert (asked["feedback"], answered["feedback"]) == (None, {"vote": -1, "comment": "Wrong node"})
    assert rate(alice, answer, {"vote": 0}).status_code == 200
    assert Feedback.objects.count() == 0


def test_each_who_may_read_has_a_vote_of_their_own(alice: User, bob: User, demo_workspace: Workspace) -> None:
    found = talk(alice, demo_workspace)
    answer = found.run.message_id
    rate(alice, answer, {"vote": 1})
    Share.objects.create(session=found.session, user=bob)
    assert rate(bob, answer, {"vote": -1, "comment": "No"}).status_code == 200
    for person, vote in ((alice, 1), (bob, -1)):
        answered = get(person, f"chat/sessions/{found.session.pk}/messages").json()["results"][1]
        assert answered["feedback"]["vote"] == vote
    Share.objects.all().delete()
    problem(rate(bob, answer, {"vote": 1}), 404, "not_found")
    assert Feedback.objects.count() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "vote"),
        ({"vote": 2}, "vote"),
        ({"vote": "1"}, "vote"),
        ({"vote": True}, "vote"),
        ({"vote": 1, "comment": "x" * 2001}, "comment"),
        ({"vote": 0, "comment": "Why?"}, "comment"),
        ({"vote": 1, "person": 1}, "person"),
    ],
)
def test_it_names_what_is_not_right(alice: User, demo_workspace: Workspace, body: Any, field: str) -> None:
    answer = talk(alice, demo_workspace).run.message_id
    assert field in problem(rate(alice, answer, body), 400, "validation")["errors"]
    assert Feedback.objects.count() == 0


def test_only_finished_answers_of_ones_own_are_rated(
    alice: User, bob: User, charlie: User, demo_workspace: Workspace, nba: Graph
) -> None:
    found = talk(alice, demo_workspace)
    answer = found.run.message
    question = Message.objects.get(session=found.session, role="user")
    problem(rate(alice, question.pk, {"vote": 1}), 409, "conflict")
    absent = rate(charlie, nba.pk, {"vote": 1})
    for person in (bob, charlie):
        foreign = rate(person, answer.pk, {"vote": 1})
        assert (foreign.status_code, foreign.content) == (404, absent.content)
    answer.status = Message.Status.STREAMING
    answer.save()
    problem(rate(alice, answer.pk, {"vote": 1}), 409, "conflict")
    assert Feedback.objects.count() == 0


def test_the_admin_counts_them_by_model_and_prompt_version(
    alice: User, charlie: User, demo_workspace: Workspace, other_workspace: Workspace
) -> None:
    for vote in (1, 1, 1, -1):
        answer = talk(alice, demo_workspace, model="big", prompt_version="7f").run.message_id
        rate(alice, answer, {"vote": vote, "comment": "<b>why</b>"})
    rate(charlie, talk(charlie, other_workspace, model="secret").run.message_id, {"vote": 1, "comment": "ecret"})
    client = auditor(demo_workspace)
    address = reverse("admin:chat_feedback_changelist")
    text = client.get(address).content.decode()
    row = '<th scope="row">big</th><td>7f</td><td class="figure">3</td><td class="figure">1</td>'
    assert row + '<td class="figure">75 %</td>' in text
    assert "&lt;b&gt;why" in text
    assert "ecret" not in text
    assert '<td class="figure">0 %</td>' in client.get(address, {"vote": "-1"}).content.decode()
    assert 'scope="row">big' not in client.get(address, {"model": "secret"}).content.decode()
    session = Message.objects.get(pk=answer).session_id
    assert "&lt;b&gt;why" in client.get(reverse("admin:chat_session_change", args=[session])).content.decode()
