"""The mark of imported graphs, and taking it away."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from config.demo import import_demo
from graphs.history.editing import Request, edit
from graphs.history.rollback import roll_back
from graphs.history.scopes import ChangeSets
from graphs.models import Graph, NodeType, Object, Workspace
from graphs.objects.actions import DeleteObject, parse
from graphs.site.access import Forbidden, NotFound, member_of
from graphs.workflows import trust
from graphs.workflows.imports import import_graph
from graphs.workflows.making import NewGraph, make
from tests.graphs.workflows.interchange.samples import native, native_node, parsed

pytestmark = pytest.mark.django_db


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
    trust.lift(member_of(alice), graph)
    assert marked(demo_workspace) == {"graph:later", "nodeType:other-probe"}
    (entry,) = LogEntry.objects.all()
    assert (entry.user, entry.object_id) == (alice, str(graph.pk))
    trust.lift(member_of(alice), graph)
    assert LogEntry.objects.count() == 1


def test_nobody_else_does(demo_workspace: Workspace, alice: User, bob: User) -> None:
    graph = imported(demo_workspace, alice)
    with pytest.raises(Forbidden):
        trust.lift(member_of(bob), graph)
    assert "graph:weather" in marked(demo_workspace)
    Object.objects.filter(pk=graph.pk).delete()
    with pytest.raises(NotFound):
        trust.lift(member_of(alice), graph)


def test_saving_the_graph_keeps_it(demo_workspace: Workspace, alice: User) -> None:
    """Whoever read the graph before must neither take the mark away nor bring it back."""
    graph = imported(demo_workspace, alice)
    before = Graph.objects.get(pk=graph.pk)
    trust.lift(member_of(alice), graph)
    before.save()
    assert "graph:weather" not in marked(demo_workspace)


def test_a_type_that_is_deleted_and_brought_back_has_it_still(demo_workspace: Workspace, alice: User) -> None:
    graph = imported(demo_workspace, alice)
    graph.nodes.all().delete()
    type_ = Object.objects.get(type="nodeType", key="probe")
    since = type_.untrusted_since
    deleted = edit(member_of(alice), type_, Request([DeleteObject.model_validate({"object": "nodeType:probe"})]))
    assert "nodeType:probe" not in marked(demo_workspace)
    roll_back(demo_workspace.pk, alice, ChangeSets((deleted,)))
    back = Object.objects.get(type="nodeType", key="probe")
    assert (back.untrusted_since, back.untrusted_by) == (since, "alice")


def test_a_graph_that_is_deleted_and_brought_back_has_it_still(demo_workspace: Workspace, alice: User) -> None:
    graph = imported(demo_workspace, alice)
    since = Object.objects.get(pk=graph.pk).untrusted_since
    deleted = edit(member_of(alice), graph, Request([parse("delete_graph", {})]))
    assert "graph:weather" not in marked(demo_workspace)
    roll_back(demo_workspace.pk, alice, ChangeSets((deleted,)))
    back = Object.objects.get(type="graph", key="weather")
    assert (back.untrusted_since, back.untrusted_by) == (since, "alice")


def test_a_copy_has_it_as_well(demo_workspace: Workspace, alice: User) -> None:
    graph = imported(demo_workspace, alice)
    copy = make(member_of(alice), NewGraph(copy_of=graph.key), Request(()))
    assert f"graph:{copy.key}" in marked(demo_workspace)
    trust.lift(member_of(alice), graph)
    assert f"graph:{copy.key}" in marked(demo_workspace)
    assert f"graph:{make(member_of(alice), NewGraph(copy_of=graph.key), Request(())).key}" not in marked(demo_workspace)


def test_a_graph_that_a_file_replaces_has_it(demo_workspace: Workspace, alice: User) -> None:
    graph = import_demo(demo_workspace, "nba")
    file = parsed(native(key="nba", name="Other"))
    import_graph(demo_workspace, file, actor=alice, if_exists="replace")
    assert Object.objects.get(pk=graph.pk).untrusted_by == "alice"
    trust.lift(member_of(alice), graph)
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
    trust.lift(member_of(alice), graph)
    assert marked(demo_workspace) == set()


def test_a_file_that_only_brings_types_marks_the_graph_too(demo_workspace: Workspace, alice: User) -> None:
    graph = replaced(demo_workspace, alice, "Games")
    trust.lift(member_of(alice), graph)
    replaced(demo_workspace, alice, "Games", "late")
    assert marked(demo_workspace) == {"graph:nba", "nodeType:late"}
    trust.lift(member_of(alice), graph)
    assert marked(demo_workspace) == set()
