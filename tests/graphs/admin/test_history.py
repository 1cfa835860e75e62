import uuid
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from graphs.admin import audit, history
from graphs.models import ChangeSet, Graph, Origin, Workspace
from graphs.objects.operations import Delete
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from tests.cast import draw_nba
from tests.graphs.admin.changing import changed, create, update, update_thing
from tests.graphs.admin.staff import auditor, mere_staff, superuser
from tests.things import Thing

pytestmark = pytest.mark.django_db
LIST = "admin:graphs_changeset_changelist"


@pytest.fixture
def own(alice: User, nba: Graph) -> ChangeSet:
    return update(nba, alice, because={"reason": "Retry thrice"}, process="return retry(fetch(url), 3)")


@pytest.fixture
def made(alice: User, thing: Thing) -> ChangeSet:
    """As `own`, of a thing of any kind."""
    return update_thing(thing, alice, because={"reason": "Retry thrice"}, process="return retry(fetch(url), 3)")


@pytest.fixture
def foreign(charlie: User, other_workspace: Workspace) -> ChangeSet:
    return update(draw_nba(other_workspace), charlie, because={"reason": "Secret reason"}, name="Secret name")


def listed(client: Client, **query: object) -> str:
    response = client.get(reverse(LIST), query)
    assert response.status_code == 200
    return response.content.decode()


def title_of(thing: Thing) -> str:
    """What its object is called."""
    return "NBA scores" if thing.item.type == "node" else "Fetch API"


def address(change_set: ChangeSet) -> str:
    return reverse("admin:graphs_changeset_change", args=[change_set.pk])


def opened(client: Client, change_set: ChangeSet, query: str = "") -> str:
    response = client.get(address(change_set) + query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_workspace_admin_sees_what_was_changed_there(made: ChangeSet, thing: Thing, foreign: ChangeSet) -> None:
    text = listed(auditor(thing.workspace), who="alice")
    assert "1 change set" in text
    for shown in ("alice", "Retry thrice", title_of(thing), "by hand"):
        assert shown in text, shown
    for leaked in ("ecret", "charlie", "Other"):
        assert leaked not in text


def test_a_foreign_change_set_is_absent(own: ChangeSet, foreign: ChangeSet) -> None:
    client = auditor(Workspace.objects.get(slug="demo"))
    absent = ChangeSet(pk=uuid.uuid4())
    for each in (foreign, absent):
        for page in (address(each), reverse("admin:graphs_changeset_rollback", args=[each.pk])):
            response = client.get(page)
            assert response.status_code == 404
            assert "ecret" not in response.content.decode()


def test_mere_staff_sees_nothing(made: ChangeSet, thing: Thing) -> None:
    client = mere_staff(thing.workspace)
    assert client.get(reverse(LIST)).status_code == 403
    assert client.get(address(made)).status_code == 404


def test_nothing_can_be_added_changed_or_deleted(own: ChangeSet) -> None:
    client = superuser()
    assert client.post(address(own), {"reason": "another"}).status_code == 403
    assert client.post(reverse("admin:graphs_changeset_add"), {"reason": "new"}).status_code == 403
    assert client.post(reverse("admin:graphs_changeset_delete", args=[own.pk]), {"post": "yes"}).status_code == 403
    client.post(reverse(LIST), {"action": "delete_selected", "_selected_action": [str(own.pk)], "post": "yes"})
    assert ChangeSet.objects.get().reason == "Retry thrice"


def test_filters_and_search_choose(own: ChangeSet, foreign: ChangeSet, nba: Graph, bob: User) -> None:
    session = uuid.uuid4()
    because = {"origin": Origin.CHAT, "causes": (f"message:{uuid.uuid4()}", f"session:{session}"), "model": "demo-1"}
    wanted = update(nba, bob, because={**because, "undoes": (own.pk,)}, name="Renamed")
    client = superuser()
    for query in (
        {"who": "BOB"}, {"origin": "chat"}, {"session": str(session)}, {"q": "demo-1"}, {"q": str(wanted.pk)},
        {"workspace": "demo", "who": "bob"}, {"undone": "no", "who": "bob"}, {"object": "graph:nba", "who": "bob"},
    ):  # fmt: skip
        text = listed(client, **query)
        assert "1 change set" in text, query
        assert str(wanted.pk) in text
    assert str(own.pk) in listed(client, undone="yes")
    assert "2 change sets" in listed(client, object="nba", workspace="demo")
    for query in ({"session": "nonsense"}, {"object": "node:nba"}, {"from": "nonsense"}, {"origin": "absent"}):
        assert "0 change sets" in listed(client, **query), query


def test_both_days_of_a_range_count(own: ChangeSet) -> None:
    today = timezone.now().astimezone(UTC).date().isoformat()
    client = superuser()
    assert "1 change set" in listed(client, **{"from": today, "to": today})
    assert "0 change sets" in listed(client, to="2020-01-01")
    assert "0 change sets" in listed(client, **{"from": datetime(2100, 1, 1).date().isoformat()})


def test_a_change_is_shown_side_by_side(made: ChangeSet, thing: Thing) -> None:
    text = opened(auditor(thing.workspace), made)
    for part in (
        *("Fetch API", thing.text.capitalize(), "Roll back this one", "Retry thrice"),
        '<td class="old">return <del>fetch(url</del>)</td>',
        '<td class="new">return <ins>retry(fetch(url), 3</ins>)</td>',
    ):
        assert part in text, part


def test_what_was_deleted_is_shown_whole(alice: User, nba: Graph) -> None:
    items = [Ref("edge", "root-fetch-api"), Ref("edge", "fetch-api-return"), Ref("node", "fetch-api")]
    records = {**graph_rows.nodes(nba), **graph_rows.edges(nba, [item.key for item in items])}
    done = changed(nba, [Delete(item, records[item.key].record) for item in items], alice)
    text = opened(superuser(), done)
    for part in ("root → fetch-api", "return fetch(url)", "https://example.org", "deleted"):
        assert part in text, part


def test_markup_and_invisible_characters_stay_text(alice: User, thing: Thing) -> None:
    evil = "<script>alert(1)</script>\u202e"
    done = update_thing(thing, alice, because={"reason": evil}, name=evil, process=evil)
    client = superuser()
    for text in (opened(client, done), listed(client)):
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert" in text
    assert "⟦U+202E⟧" in opened(client, done)
    assert "\u202e" not in opened(client, done).split("differences-heading")[-1]


def test_a_large_change_set_is_shown_in_pages(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphs.admin.history.MODIFICATIONS_PER_PAGE", 2)
    done = update(nba, alice, name="New name", posX=1.5, posY=2.5)
    client = superuser()
    first, second = opened(client, done), opened(client, done, "?page=2")
    assert "New name" in first
    assert "2.5" not in first
    assert "2.5" in second


def test_undoing_and_undone_know_each_other(made: ChangeSet, thing: Thing, alice: User) -> None:
    undoing = update_thing(
        thing, alice, because={"undoes": (made.pk,), "reason": "Back again"}, process="return fetch(url)"
    )
    client = superuser()
    assert str(undoing.pk) in opened(client, made)
    assert str(made.pk) in opened(client, undoing)
    text = listed(client)
    assert "undoes another" in text
    assert text.count('<span class="state">undone</span>') == 1


def test_what_was_done_again_is_not_undone(own: ChangeSet, alice: User, nba: Graph) -> None:
    undoing = update(nba, alice, because={"undoes": (own.pk,)}, process="return fetch(url)")
    again = update(nba, alice, because={"undoes": (undoing.pk,)}, process="again")
    client = superuser()
    assert listed(client).count('<span class="state">undone</span>') == 1, "the undoing alone"
    assert "It was taken back by" not in opened(client, own)
    assert str(again.pk) in opened(client, undoing)


def test_it_stays_readable_when_people_and_objects_are_gone(made: ChangeSet, thing: Thing, alice: User) -> None:
    title = title_of(thing)
    thing.vanish()
    alice.delete()
    text = opened(superuser(), made)
    for shown in ("alice", title, "(deleted since)"):
        assert shown in text, shown


def test_the_list_needs_as_many_queries_for_many_rows(
    own: ChangeSet, alice: User, nba: Graph, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = auditor(Workspace.objects.get(slug="demo"))
    for i in range(20):
        create(nba, alice, key=f"more-{i}")
    with django_assert_max_num_queries(9):
        assert "21 change sets" in listed(client)


def test_a_long_list_is_counted_no_further_than_people_read(
    own: ChangeSet, alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "NEWEST", 2)
    monkeypatch.setattr(history, "NEWEST", 2)
    monkeypatch.setattr(history.ChangeSetAdmin, "list_per_page", 1)
    for i in range(3):
        update(nba, alice, name=f"Name {i}")
    client = superuser()
    text = listed(client)
    assert "Only the newest 2 are listed" in text
    assert "?p=2" in text
    assert "?p=3" not in text


def test_the_newest_are_found_by_an_index(own: ChangeSet) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute("EXPLAIN SELECT id FROM graphs_changeset ORDER BY created_at DESC, id DESC LIMIT 50")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "change_set_newest" in plan
