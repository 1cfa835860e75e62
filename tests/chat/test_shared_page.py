"""The page behind a link: what it shows, and that whatever does not lead there is the same in answer and in work."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.actions import sharing
from chat.models import Call, Message, Round, Session, SharedLink
from graphs.models import Graph, Membership, Workspace
from graphs.site.access import member_of
from tests.chat.admin.talk import ROUNDS, Talk, talk, turn
from tests.doors.knocking import knock

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice: User, demo_workspace: Workspace, nba: Graph) -> Talk:
    return talk(alice, demo_workspace, reasoning="I look it up.")


def link(of: Talk, *, reasoning: bool = False, tool_results: bool = False) -> str:
    """The address of a new link."""
    until = timezone.now() + timedelta(days=1)
    member = member_of(of.session.owner)
    shown = {"reasoning": reasoning, "tool_results": tool_results}
    return f"/shared/{sharing.share_by_link(member, str(of.session.pk), until, **shown)[1]}/"


def page(address: str, client: Client | None = None) -> HttpResponse:
    return (client or Client()).get(address)


def test_whoever_has_it_reads_what_was_said_and_nobody_is_named(own: Talk) -> None:
    answer = page(link(own))
    shown = answer.content.decode()
    assert answer.status_code == 200
    assert "Where is the API?" in shown
    assert "<strong>fetch-api</strong>" in shown
    for hidden in ("alice", "demo", "I look it up", "search_nodes", str(own.session.pk), str(own.run.pk)):
        assert hidden not in shown.replace("/static/", ""), hidden
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("reasoning", [True, False])
@pytest.mark.parametrize("tool_results", [True, False])
def test_it_shows_what_the_owner_ticked(own: Talk, reasoning: bool, tool_results: bool) -> None:
    shown = page(link(own, reasoning=reasoning, tool_results=tool_results)).content.decode()
    assert ("I look it up." in shown) == reasoning
    assert ("search_nodes" in shown, "fetch-api&quot;" in shown) == (tool_results, tool_results)


def test_what_may_be_of_other_conversations_is_not_shown_whatever_is_ticked(own: Talk) -> None:
    found = {"messages": [{"title": "Secret talk", "snippet": "zeppelins"}]}
    read_on = Call("c2", "read_tool_result", {"callId": "c1"}, {"text": "zeppelins"}, "ok")
    calls = (Call("c1", "search_conversations", {"query": "helium"}, found, "ok"), read_on, *ROUNDS[0].calls)
    Message.objects.filter(pk=own.run.message_id).update(rounds=[Round("", calls=calls)])
    shown = page(link(own, tool_results=True)).content.decode()
    for there in ("search_conversations", "helium", "read_tool_result", "fetch-api&quot;"):
        assert there in shown, there
    assert "Secret talk" not in shown
    assert "zeppelins" not in shown
    assert shown.count("Not shown by links") == 2


def test_what_people_and_models_wrote_becomes_no_markup(own: Talk) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>{{graph:nba}} ![x](https://evil.example/a.png)"
    Message.objects.filter(session=own.session).update(content=evil, reasoning=evil)
    Session.objects.update(title=evil)
    shown = page(link(own, reasoning=True)).content.decode()
    assert "<script>alert" not in shown
    assert "<img" not in shown


def test_objects_are_shown_by_what_an_answer_calls_them(own: Talk) -> None:
    said = "Of {{graph:nba}}, {{company:0cd41665-50bf-43d8-84fd-d59e77eb360d}} and {{thing:x}}."
    Message.objects.filter(pk=own.run.message_id).update(content=said)
    shown = page(link(own)).content.decode()
    assert "Of nba, company and x.</p>" in shown


def test_an_answer_on_its_way_is_not_shown(own: Talk) -> None:
    Message.objects.filter(pk=own.run.message_id).update(status="streaming", content="half a sec")
    shown = page(link(own, reasoning=True, tool_results=True)).content.decode()
    assert "half a sec" not in shown
    assert "I look it up" not in shown
    assert "search_nodes" not in shown
    assert "is being written" in shown


def test_a_long_conversation_comes_in_pages(own: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.shared_page.MESSAGES_PER_PAGE", 2)
    turn(own.session, "And then?")
    address = link(own)
    first = page(address)
    assert b"Where is the API?" in first.content
    assert b"And then?" not in first.content
    second = page(f"{address}?cursor={first.context['page'].next}")
    assert b"And then?" in second.content
    assert b"Where is the API?</div>" not in second.content
    assert page(f"{address}?cursor=x").status_code == 404


ENDS: dict[str, Callable[[], Any]] = {
    "revoked": lambda: SharedLink.objects.all().delete(),
    "late": lambda: SharedLink.objects.update(expires_at=timezone.now() - timedelta(hours=1)),
    "hidden": lambda: Session.objects.update(hidden_at=timezone.now()),
    "owner not active": lambda: User.objects.filter(username="alice").update(is_active=False),
    "owner no member": lambda: Membership.objects.filter(user__username="alice").delete(),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_ended_is_as_what_never_was_in_answer_and_in_work(own: Talk, end: str) -> None:
    address = link(own)
    assert page(address).status_code == 200
    ENDS[end]()
    ids = [address.split("/")[2], secrets.token_urlsafe(32), "x"]
    answers, statements = [], []
    for each in ids:
        with CaptureQueriesContext(connection) as queries:
            answers.append(knock(Client(), "GET", f"/shared/{each}/"))
        statements.append([query["sql"].partition("link.digest =")[0] for query in queries if "link." in query["sql"]])
    ended, *others = answers
    assert ended.status == 404
    assert [each.differs_from(ended, ids) for each in others] == ["", ""]
    assert statements == [statements[0]] * 3
    assert len(statements[0]) == 1


def test_it_lets_nobody_in_anywhere_else(own: Talk, charlie: User) -> None:
    address = link(own)
    client = Client()
    client.force_login(charlie)
    assert page(address, client).status_code == 200
    assert client.get(f"/api/v1/chat/sessions/{own.session.pk}").status_code == 404
    assert client.post(address).status_code == 405
