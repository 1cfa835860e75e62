"""The history of live edits: one change set for each person and stretch of work, whoever saves, exactly once."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, OperationalError, connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from graphs.history import changes, live_edits, queries, rollback
from graphs.history.editing import Request, edit
from graphs.history.recording import Applied, Because, changed, send_changed
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import ChangeSet, Graph, LiveEdit, Modification, Node, Object, Origin, Revision, Role, Workspace
from graphs.objects import actions
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from graphs.workflows.live import editing
from tests.cast import draw_nba, member, signed_in
from tests.graphs.workflows.live.conftest import Live, rename

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(demo_workspace: Workspace) -> User:
    return member("dora", demo_workspace, Role.EDITOR)


def recorded() -> list[tuple[str, str, str, object, object]]:
    """Who changed what, from what to what, in the order of the versions."""
    rows = Modification.objects.order_by("version", "sequence")
    return list(rows.values_list("change_set__actor_label", "key", "field", "old", "new"))


def move(x: int) -> tuple[str, dict[str, object]]:
    return "move_node", {"nodeKey": "fetch-api", "posX": x, "posY": 0}


def test_edits_of_one_person_are_one_change_set_by_field(nba: Graph, alice: User, live: Live) -> None:
    x = Node.objects.get(key="fetch-api").pos_x
    for place in (900, 910, 920):
        live(alice, *move(place))
    live(alice, *rename("fetch-api", "Fetch all"))
    live(alice, *rename("return", "Somewhere"))
    live(alice, *rename("return", Node.objects.values_list("name", flat=True).get(key="root") and "Return"))
    nba.refresh_from_db()
    (saved,) = live_edits.save_edits(nba.pk)

    assert ("alice", "fetch-api", "posX", x, 920) in recorded()
    assert ("alice", "fetch-api", "name", "Fetch API", "Fetch all") in recorded()
    change_set = ChangeSet.objects.get(pk=saved)
    assert (change_set.origin, change_set.actor, change_set.actor_label) == (Origin.MANUAL, alice.pk, "alice")
    assert Revision.objects.get(change_set=saved).version == nba.version
    assert set(LiveEdit.objects.values_list("change_set", flat=True)) == {saved}
    assert live_edits.save_edits(nba.pk) == ()


def test_people_who_meet_at_one_item_stay_apart_and_in_order(nba: Graph, alice: User, dora: User, live: Live) -> None:
    live(alice, *rename("fetch-api", "One"))
    live(dora, *rename("return", "Elsewhere"))
    live(alice, *rename("root", "Begin"))
    live(dora, *rename("fetch-api", "Two"))
    live(alice, *rename("fetch-api", "Three"))
    live_edits.save_edits(nba.pk)

    assert [row for row in recorded() if row[1] == "fetch-api"] == [
        ("alice", "fetch-api", "name", "Fetch API", "One"),
        ("dora", "fetch-api", "name", "One", "Two"),
        ("alice", "fetch-api", "name", "Two", "Three"),
    ]
    assert ChangeSet.objects.count() == 3
    nba.refresh_from_db()
    assert list(Revision.objects.order_by("version").values_list("version", flat=True)) == [
        *range(nba.version - 2, nba.version + 1)
    ]


def test_what_was_taken_back_leaves_nothing(nba: Graph, alice: User, live: Live) -> None:
    live(alice, "create_node", {"typeKey": "note", "sheet": "main", "posX": 0, "posY": 0, "key": "memo"})
    live(alice, "delete_node", {"nodeKey": "memo"})
    assert live_edits.save_edits(nba.pk) == ()
    assert not ChangeSet.objects.exists()
    assert not LiveEdit.objects.filter(saved_at=None).exists()


def test_every_other_change_saves_first(nba: Graph, alice: User, dora: User, live: Live) -> None:
    live(alice, *rename("fetch-api", "Fetch all"))
    request = Request([actions.parse(*rename("fetch-api", "Fetch one"))], [(Ref("node", "fetch-api"), 2)])
    edit(member_of(dora), nba, request)

    live(alice, *rename("fetch-api", "Fetch two"))
    because = Because(dora, Origin.CHAT)
    changes.apply(nba, [Update(Ref("node", "root"), {"name": "Start"}, {"name": "Begin"})], because)
    assert [(row[0], row[-1]) for row in recorded()] == [
        ("alice", "Fetch all"), ("dora", "Fetch one"), ("alice", "Fetch two"), ("dora", "Begin"),
    ]  # fmt: skip
    versions = list(Revision.objects.order_by("version").values_list("version", flat=True))
    assert len(set(versions)) == 4


def test_a_rollback_saves_first_and_knows_who_stands_in_the_way(
    nba: Graph, alice: User, dora: User, live: Live
) -> None:
    live(alice, *rename("fetch-api", "Fetch all"))
    (first,) = live_edits.save_edits(nba.pk)
    live(dora, *rename("fetch-api", "Fetch one"))

    with pytest.raises(rollback.Clashing):
        rollback.roll_back(nba.workspace_id, alice, ChangeSets((first,)))
    rollback.catch_up_with(nba.workspace_id, AsOf("graph", nba.pk, 1))
    shown = rollback.preview(nba.workspace_id, AsOf("graph", nba.pk, 1))
    assert ChangeSet.objects.count() == 2
    rollback.roll_back(nba.workspace_id, alice, AsOf("graph", nba.pk, 1), digest=shown.digest)
    assert Node.objects.get(key="fetch-api").name == "Fetch API"


def test_a_preview_by_a_viewer_writes_nothing(nba: Graph, alice: User, bob: User, live: Live) -> None:
    edit(member_of(alice), nba, Request([actions.parse(*rename("root", "Begin"))]))
    made = ChangeSet.objects.get()
    live(alice, *rename("fetch-api", "Fetch all"))
    client = signed_in(bob)
    scope = {"scope": {"changeSets": [str(made.pk)]}}
    for address, body in ((f"/api/v1/history/{made.pk}/rollback", {}), ("/api/v1/history/rollback", scope)):
        refused = client.post(address, {**body, "preview": True}, "application/json")
        assert refused.status_code == 403
    assert ChangeSet.objects.count() == 1
    assert LiveEdit.objects.filter(saved_at=None).count() == 1


def test_a_graph_that_is_deleted_takes_its_unsaved_edits_with_it(nba: Graph, alice: User, live: Live) -> None:
    other = draw_nba(Workspace.objects.create(slug="third", name="Third"))
    live(alice, *rename("fetch-api", "Fetch all"))
    Graph.objects.update(unsaved_since=F("unsaved_since") - timedelta(seconds=live_edits.SAVE_EVERY_S))
    pk = nba.pk
    Graph.objects.get(pk=pk).delete()
    assert live_edits.save_edits(pk) == ()
    assert live_edits.save_due() == 0
    with pytest.raises(Object.DoesNotExist):
        editing.edit(member_of(alice), pk, Request([actions.parse(*rename("root", "Late"))], key="late"))
    assert list(Graph.objects.values_list("pk", flat=True)) == [other.pk]
    assert not LiveEdit.objects.exists()


def test_a_graph_that_was_read_before_an_edit_takes_nothing_back_when_it_is_saved(
    nba: Graph, alice: User, live: Live
) -> None:
    stale = Graph.objects.get(pk=nba.pk)
    partly = Graph.objects.only("pk", "name").get(pk=nba.pk)
    live(alice, *rename("fetch-api", "Fetch all"))
    stale.description = "Players"
    stale.save()
    partly.name = "All players"
    partly.save()
    now = Graph.objects.get(pk=nba.pk)
    assert (now.version, now.name, now.description) == (nba.version + 1, "All players", "Players")
    assert now.unsaved_since is not None
    assert len(live_edits.save_edits(nba.pk)) == 1
    Graph.objects.get(pk=nba.pk).delete()
    with pytest.raises(DatabaseError):
        stale.save()


def test_who_listens_to_changes_waits_for_nobody_while_the_graph_is_held(nba: Graph, alice: User, live: Live) -> None:
    """Who saves holds the graph, then its stream: a lock of a listener's own could turn that order round."""
    heard: list[Applied] = []

    def listen(change: Applied, **_kwargs: object) -> None:
        heard.append(change)

    changed.connect(listen)
    try:
        live(alice, "create_node", {"typeKey": "note", "sheet": "main", "posX": 0, "posY": 0, "key": "memo"})
        live_edits.save_edits(nba.pk)
    finally:
        changed.disconnect(listen)
    with transaction.atomic(), CaptureQueriesContext(connection) as asked:
        send_changed(heard[0])
    assert len(asked) == 0


def test_the_clock_saves_what_has_waited(nba: Graph, alice: User, live: Live) -> None:
    live(alice, *rename("fetch-api", "Fetch all"))
    assert live_edits.save_due() == 0
    Graph.objects.update(unsaved_since=F("unsaved_since") - timedelta(seconds=live_edits.SAVE_EVERY_S))
    assert live_edits.save_due() == 1
    assert [row[-1] for row in recorded()] == ["Fetch all"]
    assert live_edits.save_due() == 0
    subject = queries.subject(nba.workspace_id, Ref("graph", "nba"))
    assert [revision.change_set.actor_label for revision in queries.versions(subject)] == ["alice"]


@pytest.mark.parametrize("wrong", [IntegrityError, AssertionError, RecursionError])
def test_what_is_wrong_with_one_graph_stops_no_clock(
    nba: Graph, alice: User, live: Live, monkeypatch: pytest.MonkeyPatch, wrong: type[Exception]
) -> None:
    def refuse(*_arguments: object) -> None:
        raise wrong("refused")

    live(alice, *rename("fetch-api", "Fetch all"))
    Graph.objects.update(unsaved_since=F("unsaved_since") - timedelta(seconds=live_edits.SAVE_EVERY_S))
    with monkeypatch.context() as refusing:
        refusing.setattr(live_edits, "record", refuse)
        assert live_edits.save_due() == 0
    assert live_edits.save_due() == 1


def test_the_clock_stops_while_the_database_is_away(
    nba: Graph, alice: User, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise OperationalError("away")

    live(alice, *rename("fetch-api", "Fetch all"))
    monkeypatch.setattr(live_edits, "record", fail)
    with pytest.raises(OperationalError):
        live_edits.save_due(0)


def test_saved_edits_are_forgotten_after_a_week(nba: Graph, alice: User, live: Live) -> None:
    live(alice, *rename("fetch-api", "Fetch all"))
    live_edits.save_edits(nba.pk)
    live(alice, *rename("fetch-api", "Fetch one"))
    LiveEdit.objects.update(saved_at=F("saved_at") - live_edits.KEEP)
    live_edits.forget_old()
    assert LiveEdit.objects.get().saved_at is None
