"""What one person does live is there for everybody at once, and nothing of others is lost."""

import pytest
from django.contrib.auth.models import User

from graphs.history import live_edits
from graphs.history.editing import KeyUsed, Request
from graphs.models import ChangeSet, Edge, Graph, LiveEdit, Membership, Node, NodeType, Object, Role, Sheet, Workspace
from graphs.objects.actions import ChangeRefused
from graphs.objects.edit_conflicts import EditConflicts
from graphs.site.access import Forbidden, NotFound, member_of
from graphs.workflows.live import editing
from graphs.workflows.sources import GraphSource
from tests.cast import member
from tests.graphs.workflows.live.conftest import Live, rename

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(demo_workspace: Workspace) -> User:
    return member("dora", demo_workspace, Role.EDITOR)


def test_an_edit_is_in_the_rows_at_once_and_not_yet_in_the_history(nba: Graph, alice: User, live: Live) -> None:
    done = live(alice, *rename("fetch-api", "Fetch all"))

    assert GraphSource(nba).nodes(["fetch-api"])[0].name == "Fetch all"
    nba.refresh_from_db()
    assert (nba.version, nba.unsaved_since is not None) == (done.version, True)
    assert not ChangeSet.objects.exists()
    stored = LiveEdit.objects.get()
    assert (stored.person, stored.person_label, stored.saved_at) == (alice.pk, "alice", None)
    assert stored.operations == [
        {
            "action": "update",
            "type": "node",
            "id": "fetch-api",
            "old": {"name": "Fetch API"},
            "new": {"name": "Fetch all"},
            "version": 2,
        }
    ]


def test_the_same_edit_sent_again_is_done_once_also_after_it_was_saved(nba: Graph, alice: User, live: Live) -> None:
    first = live(alice, *rename("fetch-api", "Fetch all"), key="mine")
    assert live(alice, *rename("fetch-api", "Fetch all"), key="mine") == first
    live_edits.save_edits(nba.pk)
    assert live(alice, *rename("fetch-api", "Fetch all"), key="mine") == first
    with pytest.raises(KeyUsed):
        live(alice, *rename("fetch-api", "Something else"), key="mine")
    assert LiveEdit.objects.count() == 1


def test_a_sheet_with_much_on_it_is_not_deleted_live(
    nba: Graph, alice: User, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editing, "MAX_OPERATIONS", 6)
    Sheet.objects.create(graph=nba, key="second", name="Second", position=1)
    live(alice, "delete_sheet", {"sheetKey": "second"})
    Sheet.objects.create(graph=nba, key="third", name="Third", position=1)
    monkeypatch.setattr(editing, "MAX_OPERATIONS", 5)
    with pytest.raises(ChangeRefused, match="6 items would change; live at most 5"):
        live(alice, "delete_sheet", {"sheetKey": "main"})
    assert Node.objects.filter(graph=nba).count() == 3


def test_a_value_does_not_grow_past_its_limit_patch_by_patch(nba: Graph, alice: User, live: Live) -> None:
    code = "x" * 600_000
    live(alice, "update_node", {"nodeKey": "fetch-api", "updates": {"process": f"{code}END"}})
    grown = {"processPatches": [{"search": "END", "replace": f"{code}END"}]}
    with pytest.raises(ChangeRefused, match="process of node:fetch-api would be longer"):
        live(alice, "update_node", {"nodeKey": "fetch-api", "updates": grown})
    assert GraphSource(nba).nodes(["fetch-api"])[0].process == f"{code}END"


def test_only_the_same_field_is_a_clash_and_both_sides_are_told(
    nba: Graph, alice: User, dora: User, live: Live
) -> None:
    live(alice, *rename("fetch-api", "Fetch all"), {"node:fetch-api": 1})
    live(dora, "move_node", {"nodeKey": "fetch-api", "posX": 500, "posY": 5}, {"node:fetch-api": 1})

    for save_before in (False, True):
        if save_before:
            live_edits.save_edits(nba.pk)
        with pytest.raises(EditConflicts) as refused:
            live(dora, *rename("fetch-api", "Fetch one"), {"node:fetch-api": 1})
        (conflict,) = refused.value.conflicts
        assert (conflict.field, conflict.expected, conflict.found, conflict.wanted, conflict.by) == (
            *("name", "Fetch API", "Fetch all", "Fetch one", "alice"),
        )
    live(dora, *rename("fetch-api", "Fetch one"), {"node:fetch-api": 3})


def test_who_is_behind_is_told_of_what_they_did_not_see_and_of_nothing_else(
    nba: Graph, alice: User, dora: User, live: Live
) -> None:
    """A change set stands for several versions of an item; those that were seen are no clash."""
    live(alice, *rename("fetch-api", "Fetch all"))
    live(alice, "move_node", {"nodeKey": "fetch-api", "posX": 500, "posY": 5})
    live_edits.save_edits(nba.pk)
    live(dora, *rename("fetch-api", "Fetch one"), {"node:fetch-api": 2})


def test_a_deleted_node_says_who_deleted_it(nba: Graph, alice: User, dora: User, live: Live) -> None:
    seen = {"node:fetch-api": 1, "edge:root-fetch-api": 1, "edge:fetch-api-return": 1}
    live(alice, "delete_node", {"nodeKey": "fetch-api"}, seen)
    with pytest.raises(EditConflicts) as refused:
        live(dora, *rename("fetch-api", "Fetch one"), {"node:fetch-api": 1})
    (conflict,) = refused.value.conflicts
    assert (conflict.by, conflict.found, conflict.expected["name"]) == ("alice", None, "Fetch API")


def test_an_edge_that_came_meanwhile_is_told_before_its_node_is_deleted(
    nba: Graph, alice: User, dora: User, live: Live
) -> None:
    live(alice, "create_node", {"typeKey": "html", "sheet": "main", "posX": 0, "posY": 0, "key": "page"})
    made = live(
        alice, "create_edge", {"sourceKey": "root", "sourceHandle": "R-0", "targetKey": "page", "targetHandle": "L-0"}
    )
    with pytest.raises(EditConflicts) as refused:
        live(dora, "delete_node", {"nodeKey": "page"}, {"node:page": 1})
    (conflict,) = refused.value.conflicts
    assert (conflict.item.key, conflict.by) == (made.operations[0]["id"], "alice")


def test_own_edits_are_taken_back_and_done_again(nba: Graph, alice: User, live: Live) -> None:
    before = dict(Edge.objects.values_list("key", "id"))
    deleted = live(alice, "delete_node", {"nodeKey": "fetch-api"})
    assert not Edge.objects.exists()

    def take_back(version: int, key: str) -> int:
        return editing.take_back(member_of(alice), nba.pk, version, Request((), key=key, digest=str(version))).version

    undone = take_back(deleted.version, "undo")
    assert dict(Edge.objects.values_list("key", "id")) == before
    assert take_back(deleted.version, "undo") == undone
    live_edits.save_edits(nba.pk)
    assert not ChangeSet.objects.exists()
    take_back(undone, "redo")
    assert not Node.objects.filter(key="fetch-api").exists()


def test_what_somebody_changed_since_or_made_is_not_taken_back(nba: Graph, alice: User, dora: User, live: Live) -> None:
    mine = live(alice, *rename("fetch-api", "Fetch all"))
    live(dora, *rename("fetch-api", "Fetch one"))
    with pytest.raises(EditConflicts):
        editing.take_back(member_of(alice), nba.pk, mine.version, Request((), key="undo"))
    with pytest.raises(NotFound):
        editing.take_back(member_of(dora), nba.pk, mine.version, Request((), key="undo"))


def test_what_is_taken_back_live_keeps_the_edges_of_others(nba: Graph, alice: User, dora: User, live: Live) -> None:
    Node.objects.filter(key="return").update(handles={"R": [{"id": "x", "type": "out"}]})
    Edge.objects.all().delete()
    handles = {"R": [{"id": "x", "type": "out"}, {"id": "ok", "type": "out"}]}
    made = live(alice, "update_node", {"nodeKey": "return", "updates": {"handles": handles}})
    edge = {"sourceKey": "return", "sourceHandle": "ok", "targetKey": "root", "targetHandle": "in"}
    live(dora, "create_edge", edge)

    def take_back(who: User, version: int, key: str) -> None:
        editing.take_back(member_of(who), nba.pk, version, Request((), key=key, digest=key))

    with pytest.raises(ChangeRefused, match='The edge "return:ok--root:in" would not fit any more'):
        take_back(alice, made.version, "1")
    gone = live(dora, "delete_edge", {"edgeKey": "return:ok--root:in"})
    take_back(alice, made.version, "2")
    with pytest.raises(ChangeRefused, match='The edge "return:ok--root:in" would not fit any more'):
        take_back(dora, gone.version, "3")


def test_types_are_not_changed_live(nba: Graph, alice: User, live: Live) -> None:
    with pytest.raises(ChangeRefused):
        live(alice, "configure_node_type", {"mode": "create", "displayName": "Mail"})
    assert not NodeType.objects.exists()


def test_the_role_counts_at_the_moment_of_the_edit(
    nba: Graph, alice: User, bob: User, charlie: User, live: Live
) -> None:
    with pytest.raises(Forbidden):
        live(bob, *rename("fetch-api", "Bob was here"))
    with pytest.raises(Object.DoesNotExist):
        live(charlie, *rename("fetch-api", "Charlie was here"))
    known = member_of(alice)
    Membership.objects.filter(user=alice).delete()
    with pytest.raises(NotFound):
        editing.take_back(known, nba.pk, 2, Request((), key="undo"))
    assert not LiveEdit.objects.exists()
