"""A file in place of a graph: one change with the differences, and back."""

import dataclasses
import tracemalloc

import pytest
from django.contrib.auth.models import User

from graphs.history import rollback
from graphs.history.editing import Request
from graphs.history.scopes import ChangeSets
from graphs.models import ChangeSet, Graph, Modification, Node, NodeType, Origin, Workspace
from graphs.objects.actions import parse
from graphs.site.access import member_of
from graphs.workflows.exports import as_json, export_graph
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange.formats import parse as parse_file
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph
from graphs.workflows.keys import KeyTaken
from graphs.workflows.live import editing as live_editing
from tests.graphs.random_changes import picture
from tests.graphs.workflows.interchange.samples import native, native_edge, native_node, parsed

pytestmark = pytest.mark.django_db


def exported(graph: Graph) -> ParsedGraph:
    return parse_file(as_json(export_graph(graph)).encode(), "native", Limits(), "graph.json")


def test_the_differences_are_one_change_that_can_be_undone(alice: User, nba: Graph) -> None:
    before, root = picture(nba), Node.objects.get(graph=nba, key="root")
    sheets = [{"key": "more", "name": "More"}, {"key": "main", "name": "All"}]
    nodes = [native_node("root", name="Begin", type="starter"), native_node("page", sheet="more", type="html")]
    file = native(
        key="nba", name="Games", description="New.", metadata={"a": 1}, sheets=sheets, nodes=nodes,
        edges=[native_edge("root-page", "root", "page")],
    )  # fmt: skip
    done = import_graph(nba.workspace, parsed(file), actor=alice, if_exists="replace")
    assert (done.graph.pk, done.replaced, done.nodes, done.edges) == (nba.pk, True, 2, 1)
    assert done.change_set is not None
    change_set = ChangeSet.objects.get(pk=done.change_set)
    assert (change_set.origin, change_set.actor_label) == (Origin.IMPORT, "alice")
    nba.refresh_from_db()
    assert (nba.name, nba.description, nba.metadata, nba.version) == ("Games", "New.", {"a": 1}, 2)
    assert list(nba.sheets.values_list("key", "name")) == [("more", "More"), ("main", "All")]
    assert set(nba.nodes.values_list("key", flat=True)) == {"root", "page"}
    assert Node.objects.get(graph=nba, key="root").pk == root.pk
    renamed = Modification.objects.get(change_set=done.change_set, kind="node", key="root", field="name")
    assert (renamed.old, renamed.new) == ("Start", "Begin")
    rollback.roll_back(nba.workspace_id, alice, ChangeSets((done.change_set,)))
    assert picture(nba) == before


def test_it_is_marked_until_somebody_has_looked_through_it(alice: User, nba: Graph) -> None:
    file = dataclasses.replace(exported(nba), name="Games")
    import_graph(nba.workspace, file, actor=alice, if_exists="replace")
    assert Graph.objects.get(pk=nba.pk).untrusted_by == "alice"


def test_the_same_again_changes_nothing(alice: User, nba: Graph) -> None:
    done = import_graph(nba.workspace, exported(nba), actor=alice, if_exists="replace")
    assert Graph.objects.get(pk=nba.pk).untrusted_since is None
    assert (done.replaced, done.change_set) == (True, None)
    assert not ChangeSet.objects.exists()


def test_a_file_without_a_name_leaves_the_name(nba: Graph) -> None:
    import_graph(nba.workspace, dataclasses.replace(exported(nba), name=" "), if_exists="replace")
    assert Graph.objects.get(pk=nba.pk).name == "NBA scores"


def test_live_edits_stand_in_the_history_before(alice: User, nba: Graph) -> None:
    rename = parse("update_node", {"nodeKey": "root", "updates": {"name": "Begin"}})
    file = exported(nba)
    live_editing.edit(member_of(alice), nba.pk, Request([rename], key="1"))
    done = import_graph(nba.workspace, file, actor=alice, if_exists="replace")
    told = Modification.objects.filter(key="root", field="name").order_by("version").values_list("old", "new")
    assert list(told) == [("Start", "Begin"), ("Begin", "Start")]
    assert done.change_set is not None


def test_types_that_the_workspace_lacks_come_with_it(nba: Graph) -> None:
    types = [{"key": "fetch", "displayName": "Fetch"}]
    import_graph(nba.workspace, parsed(native(key="nba", nodeTypes=types)), if_exists="replace")
    assert NodeType.objects.get().key == "fetch"


def test_a_graph_that_is_not_there_is_made(demo_workspace: Workspace) -> None:
    done = import_graph(demo_workspace, parsed(native()), if_exists="replace")
    assert (done.graph.key, done.replaced) == ("weather", False)


def test_whoever_wants_neither_is_refused(nba: Graph) -> None:
    with pytest.raises(KeyTaken):
        import_graph(nba.workspace, parsed(native(key="nba")), if_exists="refuse")
    assert import_graph(nba.workspace, parsed(native()), "nba", if_exists="copy").graph.key == "nba-2"


def test_a_large_graph_is_replaced_within_the_memory_of_an_import(demo_workspace: Workspace) -> None:
    """Half of its nodes change, and it is taken back."""
    size = 4_000
    nodes = [native_node(f"n{number}", process="x" * 200) for number in range(size)]
    edges = [native_edge(f"e{number}", f"n{number}", f"n{number + 1}") for number in range(size - 1)]
    import_graph(demo_workspace, parsed(native(key="large", nodes=nodes, edges=edges)))
    for node in nodes[::2]:
        node["name"] = "changed"
    file = parsed(native(key="large", nodes=nodes, edges=edges))
    tracemalloc.start()
    try:
        done = import_graph(demo_workspace, file, if_exists="replace")
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < size * 25_000
    assert Modification.objects.filter(change_set=done.change_set).count() == size // 2
