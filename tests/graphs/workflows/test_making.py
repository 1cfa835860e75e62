"""Graphs come, are copied, and go; and all of it back, with what they hold."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User

from graphs.history import changes, rollback
from graphs.history.editing import Request, edit
from graphs.history.recording import Because
from graphs.history.rollback import Clashing
from graphs.history.rollback_conflicts import named
from graphs.history.scopes import ChangeSets
from graphs.models import (
    ChangeSet,
    Edge,
    Graph,
    LiveEdit,
    Modification,
    Node,
    Object,
    Origin,
    Revision,
    Role,
    Sheet,
    Workspace,
)
from graphs.objects import planning
from graphs.objects.actions import ChangeRefused, parse
from graphs.objects.preconditions import Conflicting
from graphs.site.access import Forbidden, NotFound, member_of
from graphs.workflows import store, trust
from graphs.workflows.exports import as_json, export_graph
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange.formats import parse as parse_file
from graphs.workflows.interchange.parsed_graph import Limits
from graphs.workflows.keys import KeyInvalid, KeyTaken
from graphs.workflows.live import editing as live_editing
from graphs.workflows.making import NewGraph, make
from tests.cast import member
from tests.graphs.random_changes import picture
from tests.graphs.workflows.interchange.samples import native, parsed
from tests.graphs.workflows.planning.asking import one, plan, without_versions

pytestmark = pytest.mark.django_db


def made(who: User, name: str | None = None, **wanted: Any) -> Graph:
    return make(member_of(who), NewGraph(name, **wanted), Request(()))


def delete(who: User, graph: Graph) -> Any:
    return edit(member_of(who), graph, Request([parse("delete_graph", {})]))


def back(who: User, change_set: Any) -> Any:
    return rollback.roll_back(member_of(who).workspace.pk, who, ChangeSets((change_set,))).change_set_id


def latest() -> Any:
    return ChangeSet.objects.order_by("-created_at")[0].pk


def test_an_empty_graph_has_one_sheet_and_a_history(alice: User, nba: Graph) -> None:
    graph = made(alice, "Late orders", description="Who waits.")
    assert (graph.key, graph.name, graph.description, graph.version) == ("late-orders", "Late orders", "Who waits.", 1)
    assert list(graph.sheets.values_list("key", "name", "position")) == [("main", "Main", 0)]
    change_set = ChangeSet.objects.get(pk=latest())
    assert (change_set.actor_label, change_set.origin) == ("alice", Origin.MANUAL)
    kinds = Modification.objects.filter(change_set=change_set.pk).values_list("kind", "key", "action")
    assert set(kinds) == {("sheet", "main", "create"), ("graph", "late-orders", "create")}


def test_its_key_is_free_or_the_one_that_was_given(alice: User, nba: Graph) -> None:
    assert made(alice, "NBA").key == "nba-2"
    assert made(alice, "日本").key == "graph"
    assert made(alice, "x", key="My.Own_key").key == "My.Own_key"
    with pytest.raises(KeyTaken, match="nba"):
        made(alice, "x", key="nba")
    with pytest.raises(KeyInvalid):
        made(alice, "x", key="a/b")


def test_a_creation_is_taken_back_and_done_again(alice: User, nba: Graph) -> None:
    graph = made(alice, "Orders")
    undone = back(alice, latest())
    assert not Object.objects.filter(key="orders").exists()
    back(alice, undone)
    again = Graph.objects.get(key="orders")
    assert (again.pk, again.name, again.version) == (graph.pk, "Orders", 3)
    assert again.sheets.get().key == "main"


def test_a_creation_stays_once_somebody_put_something_in(alice: User, nba: Graph) -> None:
    graph, creation = made(alice, "Orders"), latest()
    node = parse("create_node", {"typeKey": "html", "sheet": "main", "posX": 0, "posY": 0, "key": "page"})
    edit(member_of(alice), graph, Request([node]))
    with pytest.raises(Clashing) as clashing:
        back(alice, creation)
    assert [(clash.code, clash.item.key) for _of, clash in clashing.value.plan.clashes] == [("connected", "main")]
    edit(member_of(alice), graph, Request([parse("create_sheet", {"name": "More"})]))
    edit(member_of(alice), graph, Request([parse("delete_node", {"nodeKey": "page"})]))
    with pytest.raises(Clashing):
        back(alice, creation)
    assert Graph.objects.filter(key="orders").exists()


@pytest.mark.parametrize("batch", [1_000, 1])
def test_a_copy_has_all_that_is_in_the_graph_and_its_own_history(
    alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    """However many rows are written at once."""
    monkeypatch.setattr(store, "BATCH", batch)
    copy = made(alice, copy_of="nba")
    assert (copy.key, copy.name, copy.description) == ("nba-scores-copy", "NBA scores (copy)", "Fetches games.")
    theirs, own = without_versions(nba), without_versions(copy)
    for document in (theirs, own):
        del document["key"], document["name"]
    assert own == theirs
    assert set(copy.nodes.values_list("pk", flat=True)).isdisjoint(nba.nodes.values_list("pk", flat=True))
    assert Revision.objects.get(object=copy.pk).version == 1
    back(alice, latest())
    assert not Graph.objects.filter(key=copy.key).exists()
    assert nba.nodes.count() == 3


def test_an_empty_graph_is_exported_and_imported(alice: User, nba: Graph) -> None:
    file = as_json(export_graph(made(alice, "Later"))).encode()
    again = import_graph(nba.workspace, parse_file(file, "auto", Limits(), "later.json"))
    assert (again.graph.key, again.nodes, again.graph.sheets.count()) == ("later-2", 0, 1)


def test_a_copy_of_a_long_name_is_as_long_as_names_are(alice: User, nba: Graph) -> None:
    Graph.objects.filter(pk=nba.pk).update(name="x" * 200)
    assert made(alice, copy_of="nba").name == "x" * 193 + " (copy)"


@pytest.mark.parametrize("batch", [1_000, 1])
def test_a_deleted_graph_comes_back_as_it_was_with_its_history(
    alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(store, "BATCH", batch)
    Sheet.objects.create(graph=nba, key="second", name="Second", position=1)
    edit(member_of(alice), nba, Request([parse("move_node", {"nodeKey": "root", "posX": 7, "posY": 8})]))
    before, known = picture(nba), set(nba.edges.values_list("pk", "key"))
    deletion = delete(alice, nba)
    assert not Object.objects.filter(pk=nba.pk).exists()
    assert not any(model.objects.exists() for model in (Sheet, Node, Edge))
    assert Modification.objects.filter(change_set=deletion).count() == 3 + 2 + 2 + 1
    undone = back(alice, deletion)
    assert picture(nba) == before
    assert set(nba.edges.values_list("pk", "key")) == known
    versions = list(Revision.objects.filter(object=nba.pk).order_by("version").values_list("version", flat=True))
    assert versions == [2, 3, 4]
    back(alice, undone)
    assert not Object.objects.filter(pk=nba.pk).exists()


def test_whether_somebody_looked_through_it_goes_and_comes_with_a_graph(alice: User, nba: Graph) -> None:
    Graph.objects.filter(pk=nba.pk).update(**trust.mark(alice))
    marked = Graph.objects.get(pk=nba.pk)
    copy = made(alice, copy_of="nba")
    assert (copy.untrusted_since, copy.untrusted_by) == (marked.untrusted_since, "alice")
    back(alice, delete(alice, marked))
    again = Graph.objects.get(pk=nba.pk)
    assert (again.untrusted_since, again.untrusted_by) == (marked.untrusted_since, "alice")
    assert made(alice, "Own").untrusted_since is None


def test_live_edits_are_in_the_history_before_the_graph_goes(alice: User, nba: Graph) -> None:
    rename = parse("update_node", {"nodeKey": "root", "updates": {"name": "Begin"}})
    live_editing.edit(member_of(alice), nba.pk, Request([rename], key="1"))
    deletion = delete(alice, nba)
    assert Modification.objects.filter(field="name", key="root", new="Begin").exists()
    assert not LiveEdit.objects.exists()
    back(alice, deletion)
    assert Node.objects.get(graph=nba, key="root").name == "Begin"


def test_a_graph_that_has_the_key_by_now_stays(alice: User, nba: Graph) -> None:
    deletion = delete(alice, nba)
    made(alice, nba.name, key="nba", description=nba.description)
    with pytest.raises(Clashing) as clashing:
        back(alice, deletion)
    assert [clash.code for _of, clash in clashing.value.plan.clashes] == ["recreated"]
    assert Graph.objects.get(key="nba").nodes.count() == 0


def test_what_made_the_graph_that_has_the_key_by_now_is_named(demo_workspace: Workspace, alice: User) -> None:
    """Of one made by hand, and of one that was imported: not what made the graph that went."""
    dora = member("dora", demo_workspace, Role.EDITOR)
    deletion = delete(alice, made(alice, "Games", key="games"))
    second = made(dora, "Games", key="games")
    assert in_the_way_of(deletion, second) == ("dora", str(ChangeSet.objects.get(actor_label="dora").pk))
    delete(dora, second)
    third = import_graph(second.workspace, parsed(native(key="games")), actor=alice).graph
    began = Revision.objects.get(object=third.pk).change_set
    assert in_the_way_of(deletion, third) == ("alice", str(began.pk))


def in_the_way_of(deletion: uuid.UUID, other: Graph) -> tuple[str, str]:
    (clash,) = named(rollback.preview(other.workspace_id, ChangeSets((deletion,))))
    assert clash.clash.code == "recreated"
    return clash.changed_by, clash.change_set_id


def test_nothing_else_of_a_graph_changes_with_its_deletion(alice: User, nba: Graph) -> None:
    node = ("update_node", {"nodeKey": "root", "updates": {"name": "x"}})
    for asked in ([node, ("delete_graph", {})], [("delete_graph", {}), node]):
        with pytest.raises(ChangeRefused, match="graph:nba would be deleted"):
            plan(nba, *asked)
    assert plan(nba, ("update_graph", {"name": "x"}), ("delete_graph", {})).operations[0].record["name"] == "NBA scores"  # type: ignore[union-attr]


def test_a_graph_is_renamed_and_described(alice: User, nba: Graph) -> None:
    changed = edit(member_of(alice), nba, Request([parse("update_graph", {"name": "Games", "description": ""})]))
    nba.refresh_from_db()
    assert (nba.name, nba.description) == ("Games", "")
    back(alice, changed)
    nba.refresh_from_db()
    assert (nba.name, nba.description) == ("NBA scores", "Fetches games.")
    with pytest.raises(ValueError, match="validation error"):
        one(nba, "update_graph", name="")
    with pytest.raises(ValueError, match="validation error"):
        one(nba, "update_graph", description="x" * 10_001)


def test_only_editors_make_copy_and_delete(bob: User, charlie: User, nba: Graph) -> None:
    for wanted in ({"name": "x"}, {"copy_of": "nba"}):
        with pytest.raises(Forbidden):
            made(bob, **wanted)
    with pytest.raises(Forbidden):
        delete(bob, nba)
    with pytest.raises(NotFound):
        made(charlie, copy_of="nba")


def test_two_who_plan_the_same_new_graph_make_one(alice: User, nba: Graph) -> None:
    asked = parse("create_object", {"kind": "graph", "fields": {"name": "x"}, "key": "same"})
    operations = planning.plan(nba, [asked]).operations
    changes.apply(nba, operations, Because(alice, Origin.MANUAL))
    with pytest.raises(Conflicting):
        changes.apply(nba, operations, Because(alice, Origin.MANUAL))
    new = Object(workspace=nba.workspace, type="graph", key="same")
    with pytest.raises(ChangeRefused, match="There is graph:same already"):
        changes.apply(new, operations, Because(alice, Origin.MANUAL))
