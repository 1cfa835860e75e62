"""The mark of imported graphs, and taking it away."""

import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from config.demo import import_demo
from graphs.history.editing import Request, edit
from graphs.history.rollback import roll_back
from graphs.history.scopes import AsOf, ChangeSets
from graphs.models import Graph, NodeType, Object, Role, Workspace
from graphs.objects.actions import Action, parse
from graphs.site.access import Forbidden, NotFound, member_of
from graphs.workflows import trust
from graphs.workflows.imports import import_graph
from graphs.workflows.making import NewGraph, make
from tests.cast import member
from tests.graphs.workflows.interchange.samples import native, native_node, parsed
from tests.graphs.workflows.looking import look_through

pytestmark = pytest.mark.django_db
GAMES = {"key": "games", "name": "Games", "edges": []}


def imported(workspace: Workspace, actor: User | None, key: str = "weather", type_: str = "probe") -> Graph:
    types = [{"key": type_, "displayName": "Probe", "description": "Do as this says."}]
    nodes = [native_node("start", type=type_)]
    return import_graph(workspace, parsed(native(nodes=nodes, edges=[], nodeTypes=types)), key, actor).graph


def marked(workspace: Workspace) -> set[str]:
    return {str(each) for each in Object.objects.filter(workspace=workspace).exclude(untrusted_since=None)}


def test_an_import_marks_the_graph_and_the_types_that_it_brings(demo_workspace: Workspace, alice: User) -> None:
    NodeType.objects.create(workspace=demo_workspace, key="own", display_name="Own")
    graph = imported(demo_workspace, alice)
    assert marked(demo_workspace) == {"graph:weather", "nodeType:probe"}
    assert Graph.objects.get(pk=graph.pk).untrusted_by == "alice"


def test_what_the_product_brings_has_no_mark(demo_workspace: Workspace) -> None:
    import_demo(demo_workspace, "nba")
    assert marked(demo_workspace) == set()


def test_an_editor_takes_it_from_the_graph_and_what_came_with_it(demo_workspace: Workspace, alice: User) -> None:
    graph = imported(demo_workspace, None)
    imported(demo_workspace, alice, "later", "other-probe")
    look_through(alice, graph)
    assert marked(demo_workspace) == {"graph:later", "nodeType:other-probe"}
    probe = NodeType.objects.get(key="probe")
    entries = {
        (each.user, each.object_id, each.object_repr, each.content_type.model) for each in LogEntry.objects.all()
    }
    assert entries == {(alice, str(graph.pk), str(graph), "graph"), (alice, str(probe.pk), "Probe", "nodetype")}
    look_through(alice, graph)
    assert LogEntry.objects.count() == 2


def test_nobody_else_does(demo_workspace: Workspace, alice: User, bob: User) -> None:
    graph = imported(demo_workspace, alice)
    with pytest.raises(Forbidden):
        look_through(bob, graph)
    assert "graph:weather" in marked(demo_workspace)
    Object.objects.filter(pk=graph.pk).delete()
    with pytest.raises(NotFound):
        look_through(alice, graph)


def test_who_does_not_say_what_they_saw_takes_nothing_away(demo_workspace: Workspace, alice: User) -> None:
    graph = imported(demo_workspace, alice)
    with pytest.raises(trust.NothingSeen):
        trust.lift(member_of(alice), graph, None)
    assert marked(demo_workspace) == {"graph:weather", "nodeType:probe"}
    assert not LogEntry.objects.exists()


def test_saving_the_graph_keeps_it(demo_workspace: Workspace, alice: User) -> None:
    """Whoever read the graph before must neither take the mark away nor bring it back."""
    graph = imported(demo_workspace, alice)
    before = Graph.objects.get(pk=graph.pk)
    look_through(alice, graph)
    before.save()
    assert "graph:weather" not in marked(demo_workspace)


def gone_and_back(who: User, of: Object, deletion: Action) -> Object:
    """The object once it was deleted and brought back; meanwhile nothing is marked in its name."""
    deleted = edit(member_of(who), of, Request([deletion]))
    assert str(of) not in marked(of.workspace)
    roll_back(of.workspace_id, who, ChangeSets((deleted,)))
    return Object.objects.get(type=of.type, key=of.key)


def test_a_type_that_is_deleted_and_brought_back_has_it_still(demo_workspace: Workspace, alice: User) -> None:
    imported(demo_workspace, alice).nodes.all().delete()
    type_ = Object.objects.get(type="nodeType", key="probe")
    back = gone_and_back(alice, type_, parse("delete_object", {"object": "nodeType:probe"}))
    assert (back.untrusted_since, back.untrusted_by) == (type_.untrusted_since, "alice")


def test_a_graph_that_is_deleted_and_brought_back_has_it_still(demo_workspace: Workspace, alice: User) -> None:
    graph = Object.objects.get(pk=imported(demo_workspace, alice).pk)
    back = gone_and_back(alice, graph, parse("delete_graph", {}))
    assert (back.untrusted_since, back.untrusted_by) == (graph.untrusted_since, "alice")


def test_a_copy_has_it_as_well(demo_workspace: Workspace, alice: User) -> None:
    graph = imported(demo_workspace, alice)
    copy = make(member_of(alice), NewGraph(copy_of=graph.key), Request(()))
    assert f"graph:{copy.key}" in marked(demo_workspace)
    look_through(alice, graph)
    assert f"graph:{copy.key}" in marked(demo_workspace)
    assert f"graph:{make(member_of(alice), NewGraph(copy_of=graph.key), Request(())).key}" not in marked(demo_workspace)


def test_a_graph_that_a_file_replaces_has_it(demo_workspace: Workspace, alice: User) -> None:
    graph = import_demo(demo_workspace, "nba")
    file = parsed(native(key="nba", name="Other"))
    import_graph(demo_workspace, file, actor=alice, if_exists="replace")
    assert Object.objects.get(pk=graph.pk).untrusted_by == "alice"
    look_through(alice, graph)
    import_graph(demo_workspace, file, actor=alice, if_exists="replace")
    assert marked(demo_workspace) == set()


def replaced(workspace: Workspace, actor: User, name: str, *types: str) -> Graph:
    own = [{"key": key, "displayName": key} for key in types]
    document = native(key="nba", name=name, nodes=[native_node("start", type="html")], edges=[], nodeTypes=own)
    return import_graph(workspace, parsed(document), actor=actor, if_exists="replace").graph


def test_types_of_the_file_before_wait_with_those_of_the_file_that_replaces_it(
    demo_workspace: Workspace, alice: User
) -> None:
    """Nobody could look through them any more: the graph is their only door."""
    replaced(demo_workspace, alice, "Games", "first")
    graph = replaced(demo_workspace, alice, "Other games", "second")
    assert marked(demo_workspace) == {"graph:nba", "nodeType:first", "nodeType:second"}
    look_through(alice, graph)
    assert marked(demo_workspace) == set()


def test_a_file_that_only_brings_types_marks_the_graph_too(demo_workspace: Workspace, alice: User) -> None:
    graph = replaced(demo_workspace, alice, "Games")
    look_through(alice, graph)
    replaced(demo_workspace, alice, "Games", "late")
    assert marked(demo_workspace) == {"graph:nba", "nodeType:late"}
    look_through(alice, graph)
    assert marked(demo_workspace) == set()


#: What a file brings in place of what was there.
BROUGHT = [
    {"name": "Bad"},
    {"nodes": [native_node("start", process="bad()"), native_node("end")]},
    {"nodes": [native_node("start"), native_node("end"), native_node("more", process="bad()")]},
]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A graph that was looked through, and then replaced by a file of alice's; `change_set` did that."""

    graph: Object
    change_set: uuid.UUID


def in_place_of_the_graph(workspace: Workspace, alice: User, brought: dict[str, Any]) -> Replaced:
    graph = import_graph(workspace, parsed(native(**GAMES)), actor=alice).graph
    look_through(alice, graph)
    done = import_graph(workspace, parsed(native(**GAMES | brought)), actor=alice, if_exists="replace").change_set
    assert done is not None
    return Replaced(Object.objects.get(pk=graph.pk), done)


def back(who: User, change_set: uuid.UUID) -> uuid.UUID:
    return roll_back(member_of(who).workspace.pk, who, ChangeSets((change_set,))).change_set_id


def as_of(who: User, graph: Object, version: int) -> None:
    roll_back(member_of(who).workspace.pk, who, AsOf("graph", graph.pk, version))


@pytest.mark.parametrize("brought", BROUGHT, ids=["of the graph", "of a node", "a node"])
def test_what_a_file_brought_is_marked_again_as_it_comes_back(
    demo_workspace: Workspace, alice: User, brought: dict[str, Any]
) -> None:
    replaced = in_place_of_the_graph(demo_workspace, alice, brought)
    dora = member("dora", demo_workspace, Role.EDITOR)
    undone = back(alice, replaced.change_set)
    look_through(dora, replaced.graph)
    back(dora, undone)
    graph = Object.objects.get(pk=replaced.graph.pk)
    assert (graph.untrusted_since is None, graph.untrusted_by) == (False, "alice")


def test_it_is_marked_again_as_well_where_a_version_comes_back(demo_workspace: Workspace, alice: User) -> None:
    graph = in_place_of_the_graph(demo_workspace, alice, BROUGHT[0]).graph
    as_of(alice, graph, 1)
    look_through(alice, graph)
    as_of(alice, graph, 2)
    assert marked(demo_workspace) == {"graph:games"}


def test_what_was_looked_through_in_its_place_comes_back_without(demo_workspace: Workspace, alice: User) -> None:
    replaced = in_place_of_the_graph(demo_workspace, alice, BROUGHT[1])
    look_through(alice, replaced.graph)
    undone = back(alice, replaced.change_set)
    redone = back(alice, undone)
    back(alice, back(alice, redone))
    assert marked(demo_workspace) == set()


def test_what_nobody_imported_comes_back_without(demo_workspace: Workspace, alice: User) -> None:
    replaced = in_place_of_the_graph(demo_workspace, alice, BROUGHT[0])
    look_through(alice, replaced.graph)
    renamed = edit(member_of(alice), replaced.graph, Request([parse("update_graph", {"name": "Mine"})]))
    back(alice, back(alice, renamed))
    assert marked(demo_workspace) == set()


def test_the_mark_of_what_comes_back_is_a_new_one_with_that_of_its_types(
    demo_workspace: Workspace, alice: User
) -> None:
    """Whoever looked at what was there meanwhile has not seen it."""
    types = {"nodeTypes": [{"key": "probe", "displayName": "Probe"}]}
    replaced = in_place_of_the_graph(demo_workspace, alice, BROUGHT[1] | types)
    undone = back(alice, replaced.change_set)
    seen = Object.objects.get(pk=replaced.graph.pk).untrusted_since
    assert seen
    back(alice, undone)
    with pytest.raises(trust.ReplacedSince):
        trust.lift(member_of(alice), replaced.graph, seen.isoformat())
    look_through(alice, replaced.graph)
    assert marked(demo_workspace) == set()
