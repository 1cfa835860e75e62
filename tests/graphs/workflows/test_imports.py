import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from graphs.models import ChangeSet, Edge, Graph, Node, NodeType, Sheet, Workspace
from graphs.objects.model_values import record_of
from graphs.site.copying import copy_rows
from graphs.workflows import imports, rows
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits, ParsedGraph
from graphs.workflows.keys import KeyInvalid, KeyTaken
from graphs.workflows.kinds import EDGE, NODE, NODE_TYPE
from graphs.workflows.store import GRAPH
from tests.graphs.workflows.interchange.samples import (
    n8n,
    n8n_node,
    native,
    native_edge,
    native_node,
    parsed,
    real_files,
    to,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def workspace() -> Workspace:
    return Workspace.objects.create(slug="wonderland", name="Wonderland")


def test_it_stores_a_graph_with_all_its_parts(workspace: Workspace) -> None:
    document = native(
        description="d",
        metadata={"m": [1]},
        sheets=[{"key": "z", "name": "Last by name"}, {"key": "main", "name": "Main"}],
    )
    imported = import_graph(workspace, parsed(document), None)
    graph = Graph.objects.get()
    assert (graph.workspace, graph.key, graph.name, graph.description) == (workspace, "weather", "Weather", "d")
    assert (graph.metadata, graph.version) == ({"m": [1]}, 1)
    assert list(graph.sheets.values_list("key", "position")) == [("z", 0), ("main", 1)]
    assert list(graph.nodes.values_list("key", "sheet__key")) == [("start", "main"), ("end", "main")]
    assert list(graph.edges.values_list("key", "source__key", "target__key")) == [("start-end", "start", "end")]
    assert (imported.graph, imported.nodes, imported.edges, imported.warnings) == (graph, 2, 1, ())


def test_the_history_of_a_graph_begins_with_its_import(workspace: Workspace, alice: User) -> None:
    graph = import_graph(workspace, parsed(native()), actor=alice).graph

    made = ChangeSet.objects.get()
    assert (made.origin, made.actor_label, made.workspace, made.size) == ("import", "alice", workspace.pk, 0)
    assert made.revisions.values_list("type", "object", "key", "version").get() == ("graph", graph.pk, "weather", 1)


def test_the_history_of_its_new_node_types_begins_with_it_too(workspace: Workspace, alice: User) -> None:
    types = [{"key": key, "displayName": key} for key in ("own", "had")]
    import_graph(workspace, parsed(native(nodeTypes=types[1:], key="first")), actor=alice)
    import_graph(workspace, parsed(native(nodeTypes=types)), actor=alice)

    made = ChangeSet.objects.order_by("created_at").last()
    assert made is not None
    assert list(made.revisions.values_list("type", "key", "version")) == [
        ("graph", "weather", 1),
        ("nodeType", "own", 1),
    ]


def test_it_stores_every_field_that_is_described(workspace: Workspace) -> None:
    """None of them has the value that its column has by itself."""
    points = {"R": [{"id": "out", "type": "out", "accept": "any"}], "L": [{"id": "in", "type": "in", "accept": "any"}]}
    given = {"process": "return 1", "data": {"a": [1]}, "handles": points, "width": 80, "height": 40}
    file = parsed(
        native(
            description="d",
            metadata={"m": 1},
            nodes=[native_node("start", **given), native_node("end")],
            edges=[native_edge("start-end", "start", "end", label="then")],
            nodeTypes=[{"key": "own", "displayName": "Own", "description": "d", "category": "c", "icon": "i",
                        "handles": points, "process": "return 2"}],
        )
    )  # fmt: skip
    graph = import_graph(workspace, file).graph
    (own,) = rows.own(graph)
    for kind, stored, item in (
        (GRAPH, own.record, file),
        (NODE, rows.nodes(graph)["start"].record, file.nodes[0]),
        (EDGE, rows.edges(graph, ["start-end"])["start-end"].record, file.edges[0]),
        (NODE_TYPE, record_of(NODE_TYPE, NodeType.objects.get(key="own")), file.node_types[0]),
    ):
        assert stored == {field.name: getattr(item, field.column) for field in kind.fields}
        for field in kind.fields:
            column: Any = kind.model._meta.get_field(field.column)
            assert stored[field.name] != (column.get_default() if column.has_default() else ""), field.name


def test_it_hands_on_the_warnings_of_the_file(workspace: Workspace) -> None:
    file = parsed(n8n(n8n_node("A"), connections={"A": {"main": [to("gone")]}}))
    assert [warning.code for warning in import_graph(workspace, file, None).warnings] == ["dangling"]


def test_it_makes_a_free_key_of_the_name(workspace: Workspace) -> None:
    file = parsed(n8n(n8n_node("A"), name="My Flow: été"))
    assert [import_graph(workspace, file).graph.key for _ in range(3)] == [
        "my-flow-ete",
        "my-flow-ete-2",
        "my-flow-ete-3",
    ]


def test_it_takes_the_key_of_a_native_file_where_it_is_free(workspace: Workspace) -> None:
    assert import_graph(workspace, parsed(native())).graph.key == "weather"
    second = import_graph(workspace, parsed(native()))
    assert second.graph.key == "weather-2"
    (warning,) = second.warnings
    assert (warning.code, warning.where) == ("key_taken", "key")
    assert ('"weather"' in warning.message, '"weather-2"' in warning.message) == (True, True)


def test_it_finds_free_keys_among_long_ones(workspace: Workspace) -> None:
    file = parsed(native(key="x" * 100))
    keys = {import_graph(workspace, file).graph.key for _ in range(12)}
    assert len(keys) == 12
    assert max(map(len, keys)) == 100


def test_it_makes_a_key_where_that_of_the_file_cannot_stand_in_an_address(workspace: Workspace) -> None:
    assert import_graph(workspace, parsed(native(key="a/b", name="A b"))).graph.key == "a-b"
    assert import_graph(workspace, parsed(native(key=None, name="😀"))).graph.key == "graph"


def test_it_uses_a_given_key(workspace: Workspace) -> None:
    assert import_graph(workspace, parsed(native()), "mine").graph.key == "mine"


def test_it_refuses_a_given_key_that_is_taken(workspace: Workspace) -> None:
    import_graph(workspace, parsed(native()), "mine")
    with pytest.raises(KeyTaken, match='"mine"'):
        import_graph(workspace, parsed(native()), "mine")
    assert Graph.objects.count() == 1


@pytest.mark.parametrize("key", ["", "a b", "a/b", "-a", "x" * 101, "a\0", "é"])
def test_it_refuses_a_given_key_that_cannot_stand_in_an_address(workspace: Workspace, key: str) -> None:
    with pytest.raises(KeyInvalid):
        import_graph(workspace, parsed(native()), key)
    assert not Graph.objects.exists()


def test_it_gives_each_workspace_keys_of_its_own(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    assert [import_graph(place, parsed(native()), "same").graph.key for place in (workspace, other)] == ["same"] * 2


def test_it_stores_nothing_when_something_fails(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(model: type[Model], *args: Any) -> None:
        if model is Edge:
            raise IntegrityError("edges")
        copy_rows(model, *args)

    monkeypatch.setattr("graphs.workflows.imports.copy_rows", fail)
    with pytest.raises(IntegrityError):
        import_graph(workspace, parsed(native(nodeTypes=[TYPE])))
    assert [model.objects.count() for model in (Graph, Sheet, Node, Edge, NodeType)] == [0] * 5


TYPE = {"key": "fetch", "displayName": "Fetch", "icon": "cloud"}


def test_it_creates_the_node_types_that_the_workspace_lacks(workspace: Workspace) -> None:
    import_graph(workspace, parsed(native(nodeTypes=[TYPE])))
    assert list(NodeType.objects.filter(workspace=workspace).values_list("key", "display_name", "icon")) == [
        ("fetch", "Fetch", "cloud")
    ]
    assert import_graph(workspace, parsed(native(nodeTypes=[TYPE])), "second").warnings == ()


@pytest.mark.parametrize("node_type", [TYPE | {"icon": "sun"}, {"key": "starter", "displayName": "Mine"}])
def test_it_leaves_types_of_the_workspace_as_they_are(workspace: Workspace, node_type: dict[str, str]) -> None:
    import_graph(workspace, parsed(native(nodeTypes=[TYPE])))
    [warning] = import_graph(workspace, parsed(native(nodeTypes=[node_type])), "second").warnings
    assert warning.code == "type_differs"
    assert list(NodeType.objects.filter(workspace=workspace).values_list("key", "icon")) == [("fetch", "cloud")]


def test_it_asks_the_database_as_often_for_many_nodes_as_for_few(
    workspace: Workspace, django_assert_num_queries: Callable[[int], Any]
) -> None:
    def crowd(size: int) -> ParsedGraph:
        return parsed(native(key=f"k{size}", nodes=[native_node(f"n{index}") for index in range(size)], edges=[]))

    for size in (2, 900):
        with django_assert_num_queries(13):
            import_graph(workspace, crowd(size))


@pytest.mark.parametrize(("many", "grown", "analysed"), [(3, 0.1, True), (1_000, 0.1, False), (3, 1e9, False)])
def test_postgresql_looks_at_the_tables_where_they_grew_by_much(
    workspace: Workspace,
    many: int,
    grown: float,
    analysed: bool,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    five = [native_node(f"n{number}") for number in range(5)]
    import_graph(workspace, parsed(native(nodes=five, edges=[])))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE graphs_node")
    monkeypatch.setattr(imports, "MANY", many)
    monkeypatch.setattr(imports, "GROWN", grown)
    with CaptureQueriesContext(connection) as queries, django_capture_on_commit_callbacks(execute=True):
        import_graph(workspace, parsed(native(nodes=five, edges=[])))
    assert any(str(query["sql"]).startswith("ANALYZE") for query in queries) is analysed


def test_it_stores_every_real_workflow(workspace: Workspace) -> None:
    for file in real_files("n8n-workflows") + real_files("node-red"):
        import_graph(workspace, parse(file.read_bytes(), "auto", Limits(), file.name))
    assert Graph.objects.count() == 162 + 103
    assert Node.objects.count() == 2_607 + 865
    assert Edge.objects.count() == 1_714 + 466


def test_it_stores_texts_of_any_language_and_size(workspace: Workspace) -> None:
    text = "é 日本 \U0001f600 \u200b\u202e \x01 ' \" \\ \ufffe" + "word " * 50_000
    import_graph(workspace, parsed(native(nodes=[native_node("a", process=text, data={text[:50]: text})], edges=[])))
    node = Node.objects.get()
    assert node.process == text
    assert json.loads(json.dumps(node.data)) == {text[:50]: text}


def test_edges_that_nobody_could_make_here_stay_and_are_named_once(workspace: Workspace) -> None:
    """A node to itself, at a handle that is not there, and into one that accepts another type."""
    picky = native_node("end", handles={"L": [{"id": "in", "type": "in", "accept": "entryType"}]})
    edges = [
        native_edge("one", "start", "start"),
        native_edge("two", "start", "start", sourceHandle="other"),
        native_edge("three", "start", "end"),
        native_edge("four", "end", "start"),
        native_edge("five", "start", "end", targetHandle="out"),
    ]
    done = import_graph(workspace, parsed(native(nodes=[native_node("start"), picky], edges=edges)))
    assert done.graph.edges.count() == 5
    assert [(warning.where, warning.code) for warning in done.warnings] == [
        ('edges[0] ("one")', "unusual_edge"), ('edges[3] ("four")', "unusual_edge"),
        ('edges[2] ("three")', "unusual_edge"),
    ]  # fmt: skip
    assert "2 edges" in done.warnings[0].message
    assert "2 edges use handles that their nodes do not have" in done.warnings[1].message
