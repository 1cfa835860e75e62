"""One limit for a value, whatever the door: what any of them takes of a graph and its types, its file brings back."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from graphs.history import changes
from graphs.history.recording import Because
from graphs.models import Graph, Node, NodeType, Object, Origin, Workspace
from graphs.models.workflows import MAX_DESCRIPTION, MAX_NAME
from graphs.objects.actions import ChangeRefused, parse
from graphs.objects.planning import plan
from graphs.objects.strict import MAX_SHORT
from graphs.workflows.exports import as_json, export_graph
from graphs.workflows.imports import import_graph
from graphs.workflows.interchange import formats
from graphs.workflows.interchange.parsed_graph import Limits

Asked = tuple[str, dict[str, Any]]
LIMITED = Limits(max_bytes=20_971_520, max_nodes=20_000)
#: Texts around every limit, and what is none.
texts = st.sampled_from(
    ["", " ", "a", "\t", "a b", "é{}", "\u200b", "\ue000", 7, None, True, ["a"]]
    + ["x" * (most + more) for most in (MAX_SHORT, MAX_NAME, MAX_DESCRIPTION) for more in (0, 1)]
)
points = st.fixed_dictionaries(
    {"id": texts, "type": st.sampled_from(["in", "out", "both"])},
    optional={"accept": texts, "label": texts, "x": texts},
)
handles = st.dictionaries(st.sampled_from("RLTBX"), st.lists(points, max_size=2) | texts, max_size=2)
type_fields = st.fixed_dictionaries(
    {"displayName": st.just("Type") | texts},
    optional=dict.fromkeys(("description", "category", "icon", "process"), texts) | {"handles": handles},
)
graph_fields = st.fixed_dictionaries(
    {}, optional={"name": texts, "description": texts, "metadata": texts | st.dictionaries(st.just("a"), texts)}
)
node_fields = st.fixed_dictionaries(
    {"typeKey": st.just("t"), "sheet": st.just("main"), "posX": st.just(0), "posY": st.just(0)},
    optional={"name": texts, "key": texts, "process": texts, "handles": handles},
)


def actions(of: Graph) -> st.SearchStrategy[Asked]:
    """What every door asks for, valid or not."""
    own, type_ = f"graph:{of.key}", "nodeType:t"
    return st.one_of(
        st.tuples(
            st.just("create_object"),
            type_fields.flatmap(key_of_type),
        ),
        st.tuples(st.just("update_object"), type_fields.map(lambda fields: {"object": type_, "updates": fields})),
        st.tuples(st.just("update_object"), graph_fields.map(lambda fields: {"object": own, "updates": fields})),
        st.tuples(st.just("configure_node_type"), type_fields.map(lambda fields: fields | {"mode": "create"})),
        st.tuples(
            st.just("configure_node_type"), type_fields.map(lambda fields: fields | {"mode": "update", "typeKey": "t"})
        ),
        st.tuples(st.just("update_graph"), graph_fields),
        st.tuples(st.just("create_node"), node_fields),
        st.tuples(st.just("create_sheet"), st.fixed_dictionaries({"name": texts}, optional={"key": texts})),
    )


def key_of_type(fields: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    return texts.map(lambda key: {"kind": "nodeType", "fields": fields} | ({} if key is None else {"key": key}))


@pytest.fixture
def graph(demo_workspace: Workspace) -> Graph:
    NodeType.objects.create(workspace=demo_workspace, key="t", display_name="T")
    graph = Graph.objects.create(workspace=demo_workspace, key="g", name="G")
    sheet = graph.sheets.create(key="main", name="Main")
    graph.nodes.create(sheet=sheet, key="first", type="t")
    return graph


def taken(of: Graph, asked: Asked) -> bool:
    """Whether a door does this."""
    try:
        planned = plan(Graph.objects.get(pk=of.pk), [parse(*asked)])
    except (ChangeRefused, ValidationError):
        return False
    changes.apply(of, planned.operations, Because(None, Origin.MANUAL))
    return True


def comes_back(of: Graph, elsewhere: Workspace) -> None:
    """Every type of the workspace stands in the file, and the file is read as it is."""
    sheet = of.sheets.order_by("id")[0]
    used = set(of.nodes.values_list("type", flat=True))
    for number, key in enumerate(sorted({*NodeType.objects.values_list("key", flat=True)} - used)):
        Node.objects.create(graph=of, sheet=sheet, key=f"of-type-{number}-{of.nodes.count()}", type=key)
    document = export_graph(Graph.objects.get(pk=of.pk))
    Object.objects.filter(workspace=elsewhere).delete()
    parsed = formats.parse(as_json(document).encode(), "native", LIMITED)
    again = export_graph(import_graph(elsewhere, parsed, "g").graph)
    for name in ("name", "description", "metadata", "sheets", "nodeTypes"):
        assert json.dumps(again[name]) == json.dumps(document[name])


@given(st.data())
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_any_door_takes_its_file_brings_back(
    graph: Graph, other_workspace: Workspace, data: st.DataObject
) -> None:
    if taken(graph, data.draw(actions(graph))):
        comes_back(graph, other_workspace)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (("create_object", {"kind": "nodeType", "fields": {"displayName": "A", "description": "x" * 20_000}}), "descr"),
        (("create_object", {"kind": "nodeType", "fields": {"displayName": " "}}), "displayName"),
        (("create_object", {"kind": "nodeType", "fields": {"displayName": "A", "process": 7}}), "process"),
        (("create_object", {"kind": "nodeType", "fields": {"displayName": "A"}, "key": "a b"}), "key"),
        (("update_object", {"object": "nodeType:t", "updates": {"description": "x" * 20_000}}), "description"),
        (("update_object", {"object": "nodeType:t", "updates": {"process": 7}}), "process"),
        (("create_object", {"kind": "graph", "fields": {"name": " "}}), "name"),
        (("update_object", {"object": "graph:g", "updates": {"name": " "}}), "name"),
        (("update_object", {"object": "graph:g", "updates": {"description": 7}}), "description"),
    ],
)
def test_what_no_file_and_no_other_door_takes_is_refused(graph: Graph, asked: Asked, field: str) -> None:
    with pytest.raises(ChangeRefused, match=f"^{field}"):
        plan(graph, [parse(*asked)])


BLANK = "   "


@pytest.mark.parametrize(
    "asked",
    [
        ("create_node", {"typeKey": "t", "sheet": "main", "posX": 0, "posY": 0, "name": BLANK}),
        ("update_node", {"nodeKey": "first", "updates": {"name": BLANK}}),
        ("create_sheet", {"name": BLANK}),
    ],
)
def test_no_change_gives_a_node_or_a_sheet_a_name_of_spaces(graph: Graph, asked: Asked) -> None:
    assert not taken(graph, asked)


def test_a_node_may_have_no_name(graph: Graph) -> None:
    graph.nodes.update(name="First")
    assert taken(graph, ("update_node", {"nodeKey": "first", "updates": {"name": ""}}))


@pytest.mark.parametrize("limits", [LIMITED, Limits()])
def test_a_name_of_spaces_in_a_file_is_none(graph: Graph, other_workspace: Workspace, limits: Limits) -> None:
    Graph.objects.filter(pk=graph.pk).update(name=BLANK)
    graph.nodes.update(name=BLANK)
    graph.sheets.update(name=BLANK)
    NodeType.objects.update(display_name=BLANK)
    file = as_json(export_graph(Graph.objects.get(pk=graph.pk))).encode()
    made = import_graph(other_workspace, formats.parse(file, "native", limits), "g").graph
    assert (made.name, made.sheets.get().name, made.nodes.get().name) == ("", "", "")
    assert NodeType.objects.get(workspace=other_workspace).display_name == "t"


def test_a_node_of_n8n_with_a_name_of_spaces_has_none() -> None:
    node = {"name": BLANK, "type": "set", "position": [0, 0], "parameters": {}}
    parsed = formats.parse(json.dumps({"nodes": [node], "connections": {}}).encode(), "n8n", LIMITED)
    assert [each.name for each in parsed.nodes] == [""]


def test_a_tab_of_node_red_with_a_name_of_spaces_has_that_of_its_id() -> None:
    tab, node = {"id": "a1", "type": "tab", "label": BLANK}, {"id": "b2", "type": "inject", "z": "a1", "name": BLANK}
    parsed = formats.parse(json.dumps([tab, node]).encode(), "node-red", LIMITED)
    assert BLANK not in {each.name for each in (*parsed.sheets, *parsed.nodes)}
