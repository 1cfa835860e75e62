"""GET search and its page: conversations and changes by their words, for those who may read them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from chat.models import AlwaysSend, Message, Session, Share
from graphs.history import changes, outside, searching
from graphs.history.recording import Because
from graphs.models import ChangeSet, Graph, Modification, Object, Origin, UseCase, Workspace
from graphs.objects.headers import object_for
from graphs.objects.operations import OTHER_COLUMNS, Update
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.cast import signed_in
from tests.chat.tools.test_conversation_search import said
from tests.graphs.api.callers import problem, with_token
from tests.registered import pin, pins

pytestmark = pytest.mark.django_db


def searched(user: User, query: str) -> Any:
    answer = with_token(user).get(f"/api/v1/search?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def told(user: User, graph: Graph, text: str, reason: str = "") -> None:
    """A change of the description."""
    graph.refresh_from_db()
    before, because = {"description": graph.description}, Because(user, Origin.MANUAL, reason=reason)
    changes.apply(graph, [Update(Ref("graph", "nba"), before, {"description": text})], because)


@pytest.fixture
def world(alice: User, nba: Graph) -> Graph:
    said(alice, nba.workspace, "The <b>zeppelin</b> needs {{node:helium}}.", "graph:nba")
    told(alice, nba, "Zeppelins fly.\nA zeppelin needs helium.", "For the fair")
    told(alice, nba, "Nothing flies.")
    return nba


def test_it_finds_what_was_said_and_what_was_changed(world: Graph, alice: User) -> None:
    found = searched(alice, "q=helium+zeppelin")
    (message,), (after, made) = found["conversations"]["results"], found["changes"]["results"]
    assert (message["role"], message["owner"], message["context"]) == (
        "assistant", "alice", {"type": "graph", "id": "nba"},
    )  # fmt: skip
    assert message["url"].endswith(f"?workspace=demo&session={message['sessionId']}&message={message['id']}")
    assert "helium" in message["snippet"]
    assert (made["label"], made["field"], made["actor"], made["reason"]) == (
        world.name, "description", "alice", "For the fair",
    )  # fmt: skip
    assert after["version"] == made["version"] + 1  # what took the words away has them, too
    assert (found["conversations"]["complete"], found["changes"]["complete"]) == (True, True)
    assert searched(alice, "q=fair")["changes"]["results"][0]["changeSetId"] == made["changeSetId"]
    assert searched(alice, "q=helium&in=changes").keys() == {"changes"}


def test_only_those_who_may_read_find_it(world: Graph, bob: User, charlie: User, other_workspace: Workspace) -> None:
    assert searched(bob, "q=helium")["conversations"]["results"] == []
    assert len(searched(bob, "q=helium")["changes"]["results"]) == 2
    assert [part["results"] for part in searched(charlie, "q=helium").values()] == [[], []]
    assert with_token(charlie).get("/api/v1/search?q=helium&workspace=demo").status_code == 404


def test_an_object_a_person_and_dates_narrow_it(world: Graph, alice: User) -> None:
    today, tomorrow = (timezone.localtime() + timedelta(days=days) for days in (0, 1))
    for query, count in (
        ("object=graph:nba", (1, 2)),
        ("person=ali", (1, 2)),
        ("person=bob", (0, 0)),
        (f"from={today:%Y-%m-%d}&to={today:%Y-%m-%d}", (1, 2)),
        (f"from={tomorrow:%Y-%m-%d}", (0, 0)),
        (f"to={(today - timedelta(days=1)):%Y-%m-%d}", (0, 0)),
        ("to=9999-12-30", (1, 2)),
    ):
        found = searched(alice, f"q=helium&{query}")
        assert tuple(len(found[part]["results"]) for part in ("conversations", "changes")) == count, query


def test_a_foreign_object_is_answered_as_an_absent_one(world: Graph, alice: User, other_workspace: Workspace) -> None:
    foreign = UseCase.objects.create(workspace=other_workspace, data={"name": "Secret"})
    keys = (str(foreign.pk), "0a5e3d3c-8e0e-4a39-8f0f-000000000000")
    answers = [with_token(alice).get(f"/api/v1/search?q=secret&object=usecase:{key}") for key in keys]
    assert [each.status_code for each in answers] == [404, 404]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "q"), ("q=", "q"), ("q=%26%7C", "q"), ("q=" + "x" * 201, "q"), ("q=a%00b", "q"), ("q=a&in=all", "in"),
        ("q=a&object=nba", "object"), ("q=a&from=yesterday", "from"), ("q=a&to=9999-12-31", "to"),
        ("q=a&cursor=x", "cursor"), ("q=a&person=%0a" + "x" * 201, "person"),
    ],
)  # fmt: skip
def test_what_cannot_be_looked_for_is_said(demo_workspace: Workspace, alice: User, query: str, field: str) -> None:
    refused = problem(with_token(alice).get(f"/api/v1/search?{query}"), 400, "validation")
    assert list(refused["errors"]) == [field]


def test_pages_lead_on_in_one_list(world: Graph, alice: User) -> None:
    first = searched(alice, "q=helium&limit=1")
    assert first["conversations"]["next"] is None
    second = with_token(alice).get(first["changes"]["next"]).json()
    assert second.keys() == {"changes"}
    ids = {each["changes"]["results"][0]["changeSetId"] for each in (first, second)}
    assert len(ids) == 2
    assert second["changes"]["next"] is None


def test_it_says_where_only_the_latest_are_looked_through(
    world: Graph, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "MOST_SEARCHED", 1)
    monkeypatch.setattr("chat.searching.messages.MOST_SEARCHED", 1)
    found = searched(alice, "q=helium")
    assert [(part["complete"], len(part["results"])) for part in found.values()] == [(False, 1), (False, 1)]
    assert "Only the latest were looked through." in page(alice, "q=helium")


def test_columns_that_are_no_fields_are_not_found(world: Graph, alice: User) -> None:
    of = Object.objects.get(type="graph", key="nba").pk
    values = {"type": "graph", "kind": "graph", "key": "nba", "version": 2, "sequence": 9, "action": "delete"}
    old = {"id": 7_777, "name": "Shown", OTHER_COLUMNS: {"secret": "hidden"}}
    Modification.objects.create(change_set=ChangeSet.objects.earliest("created_at"), object=of, old=old, **values)
    (found,) = searched(alice, "q=shown&in=changes")["changes"]["results"]
    assert "hidden" not in str(found)
    for word in ("hidden", "7777", "secret"):
        assert searched(alice, f"q={word}&in=changes")["changes"]["results"] == []


def test_changes_of_what_somebody_may_not_see_are_not_found(world: Graph, alice: User, bob: User) -> None:
    with pins(may_see=lambda member, row: member.user == alice):
        row = pin(world.workspace, "balloon")
        outside.notice(object_for(member_of(alice), Ref("pin", str(row.pk))))
        AlwaysSend.objects.filter(pk=row.pk).update(object_key="airship")
        outside.notice(object_for(member_of(alice), Ref("pin", str(row.pk))))
        assert len(searched(alice, "q=airship")["changes"]["results"]) == 1
        assert searched(bob, "q=airship")["changes"]["results"] == []


def page(user: User, query: str = "") -> str:
    answer = signed_in(user).get(f"/search/?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_page_shows_what_was_found(world: Graph, alice: User, bob: User) -> None:
    assert "Finds what was said" in page(alice)
    assert f'<option value="graph:nba">{world.name}</option>' in page(alice)
    assert f'<option value="graph:nba" selected>{world.name}</option>' in page(bob, "object=graph:nba")
    shown = page(alice, "q=helium")
    assert "&lt;b&gt;zeppelin&lt;/b&gt; needs <mark>helium</mark>." in shown.replace(
        "<mark>zeppelin</mark>", "zeppelin"
    )
    assert "Nothing has all these words" in page(bob, "q=helium")
    changed = page(bob, "q=helium&in=changes")
    assert changed.count('<li class="card">') == 2
    assert "For the fair" in changed
    assert "This is no moment" in page(alice, "q=helium&from=yesterday")
    assert "Nothing has all these words" in page(alice, "q=helium&in=changes&object=graph:absent")


def test_who_wrote_along_is_named_and_found(world: Graph, alice: User, bob: User) -> None:
    session = Session.objects.get()
    Share.objects.create(session=session, user=bob, access="write")
    Message.objects.create(session=session, sequence=3, role="user", content="More helium?", author=bob)
    found = searched(alice, "q=helium&in=conversations")["conversations"]["results"]
    assert [(each["owner"], each["author"], each["role"]) for each in found] == [
        ("alice", "bob", "user"), ("alice", None, "assistant")
    ]  # fmt: skip
    assert searched(alice, "q=helium&in=conversations&person=bob")["conversations"]["results"] == found[:1]
    assert "bob · " in page(alice, "q=helium")


def test_what_was_found_is_told_without_marks_and_with_titles(world: Graph, alice: User) -> None:
    case = UseCase.objects.create(workspace=world.workspace, data={"name": "Ballast *2*"})
    foreign = "0a5e3d3c-8e0e-4a39-8f0f-000000000000"
    answer = f"""## Balloons

- **Ballast** of `sand`, see [this](https://example.org) and {{{{usecase:{case.pk}}}}}, usecase:{case.pk}
- not {{{{usecase:{foreign}}}}}, at https://usecase:{case.pk}@example.org/usecase:{case.pk}

| a | b |
|---|---|
| x | y |
"""
    said(alice, world.workspace, answer)
    (found,) = searched(alice, "q=ballast&in=conversations")["conversations"]["results"]
    assert len(found["snippet"]) > 200
    assert (
        f"Balloons Ballast of sand, see this and Ballast *2*, Ballast *2* not {foreign}, at "
        f"https://usecase:{case.pk}@example.org/usecase:{case.pk} a | b x | y"
    ).startswith(found["snippet"].removesuffix("…"))
    told(alice, world, f"**Sandbags** for usecase:{case.pk}\n\n1. one")
    (change,) = searched(alice, "q=sandbags&in=changes")["changes"]["results"]
    assert change["snippet"] == "Sandbags for Ballast *2* one"


def test_what_a_person_wrote_is_told_as_they_wrote_it(world: Graph, alice: User) -> None:
    session = Session.objects.get()
    Message.objects.create(session=session, sequence=3, role="user", content="Is **a*b** `ballast`?")
    (found,) = searched(alice, "q=ballast&in=conversations")["conversations"]["results"]
    assert found["snippet"] == "Is **a*b** `ballast`?"


def test_the_place_in_a_very_long_answer_is_told(world: Graph, alice: User) -> None:
    said(alice, world.workspace, "**before**\n" * 5_000 + "a *ballast* here\n" + "**after**\n" * 5_000)
    (found,) = searched(alice, "q=ballast&in=conversations")["conversations"]["results"]
    assert "before a ballast here after" in found["snippet"]
    assert "*" not in found["snippet"]


def test_the_place_is_told_behind_letters_that_are_longer_in_lower_case(world: Graph, alice: User) -> None:
    said(alice, world.workspace, "İ" * 3_000 + " the ballast here")
    told(alice, world, "İ" * 3_000 + " the Ballast there")
    found = searched(alice, "q=BALLAST")
    assert "the ballast here" in found["conversations"]["results"][0]["snippet"]
    assert "the Ballast there" in found["changes"]["results"][0]["snippet"]
