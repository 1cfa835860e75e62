from typing import Any

import pytest

from graphs.workflows.interchange.parsed_graph import Limits
from tests.graphs.workflows.interchange.samples import parsed, refusal


def entry(entry_id: str, entry_type: str = "change", **fields: Any) -> dict[str, Any]:
    return {"id": entry_id, "type": entry_type, "z": "tab1", "name": "", "x": 200, "y": 80, "wires": [[]]} | fields


TAB = {"id": "tab1", "type": "tab", "label": "First", "info": "about"}


def test_it_makes_sheets_of_tabs_then_of_subflows() -> None:
    subflow = {"id": "sub", "type": "subflow", "name": "Twice", "in": [{"x": 1}], "out": []}
    empty = {"id": "tab2", "type": "tab", "label": ""}
    graph = parsed([subflow, TAB, empty, entry("a"), entry("b", z="sub"), entry("c", "subflow:sub")])
    assert [(sheet.key, sheet.name) for sheet in graph.sheets] == [
        ("tab1", "First"),
        ("tab2", "tab2"),
        ("sub", "Twice"),
    ]
    assert [(node.key, node.sheet) for node in graph.nodes] == [("a", "tab1"), ("b", "sub"), ("c", "tab1")]
    assert graph.metadata["nodeRed"]["sheets"]["tab1"]["info"] == "about"
    assert graph.metadata["nodeRed"]["sheets"]["sub"]["in"] == [{"x": 1}]


def test_it_puts_entries_without_a_tab_on_a_sheet_of_their_own() -> None:
    graph = parsed([TAB, entry("a", z="elsewhere"), {"id": "conf", "type": "mqtt-broker", "broker": "b"}])
    assert [sheet.key for sheet in graph.sheets] == ["tab1", "main"]
    assert [node.sheet for node in graph.nodes] == ["main", "main"]


def test_it_tells_a_tab_called_main_from_that_sheet() -> None:
    graph = parsed([TAB | {"id": "main"}, entry("a", z="main"), entry("b", z="")])
    assert [node.sheet for node in graph.nodes] == ["main", "main-2"]


def test_it_reads_wires() -> None:
    graph = parsed([entry("a", wires=[["b"], ["b", "a"]], outputLabels=["", "late"]), entry("b", "debug", wires=[])])
    assert [(edge.source, edge.source_handle, edge.target, edge.target_handle, edge.label) for edge in graph.edges] == [
        ("a", "out-0", "b", "in-0", ""),
        ("a", "out-1", "b", "in-0", "late"),
        ("a", "out-1", "a", "in-0", "late"),
    ]
    assert [point["id"] for point in graph.nodes[0].handles["R"]] == ["out-0", "out-1"]
    assert graph.nodes[0].handles["R"][1]["label"] == "late"
    assert graph.nodes[1].handles == {"L": [{"id": "in-0", "type": "in", "accept": "msg"}]}


@pytest.mark.parametrize("entry_type", ["inject", "http in", "catch"])
def test_it_gives_starting_entries_no_input(entry_type: str) -> None:
    assert "L" not in parsed([entry("a", entry_type)]).nodes[0].handles


def test_it_gives_configuration_entries_no_points() -> None:
    assert parsed([{"id": "conf", "type": "mqtt-broker"}]).nodes[0].handles == {}


@pytest.mark.parametrize(("entry_type", "field"), [("function", "func"), ("template", "template")])
def test_it_puts_code_into_process(entry_type: str, field: str) -> None:
    [node] = parsed([entry("a", entry_type, **{field: "return msg;", "noerr": 0})]).nodes
    assert node.process == "return msg;"
    assert node.data == {"noerr": 0}


def test_it_makes_notes_of_comments_and_groups() -> None:
    comment = entry("c", "comment", name="Read me", info="Long text")
    group = entry("g", "group", name="Parts", nodes=["c"], w=300, h=150)
    graph = parsed([comment, group])
    assert [(node.type, node.name, node.data["content"]) for node in graph.nodes] == [
        ("note", "Read me", "Read me\n\nLong text"),
        ("note", "Parts", "Parts"),
    ]
    assert graph.nodes[1].data["nodes"] == ["c"]
    assert (graph.nodes[1].pos_x, graph.nodes[1].width, graph.nodes[1].height) == (200, 300, 150)


def test_it_turns_centres_into_corners() -> None:
    [node] = parsed([entry("a", name="x")]).nodes
    assert (node.width, node.height) == (100, 30)
    assert (node.pos_x, node.pos_y) == (150, 65)


def test_it_names_nodes_by_name_label_or_type() -> None:
    graph = parsed([entry("a", name="Mine"), entry("b", label="Labelled"), entry("c", "http request")])
    assert [node.name for node in graph.nodes] == ["Mine", "Labelled", "http request"]


def test_it_cuts_the_title_of_a_long_comment_and_keeps_its_text() -> None:
    [node] = parsed([entry("c", "comment", name="x" * 500)]).nodes
    assert node.name == "x" * 200
    assert node.data["content"] == "x" * 500


def test_it_keeps_ids_as_keys_where_they_can_be_keys() -> None:
    graph = parsed([entry("f7ca1653.2d17b8"), entry("a b {c}"), entry("x" * 300)])
    assert [node.key for node in graph.nodes] == ["f7ca1653.2d17b8", "a-b-c", "x" * 100]
    assert graph.nodes[1].data["id"] == "a b {c}"
    assert "id" not in graph.nodes[0].data


def test_it_gives_the_second_entry_of_an_id_a_suffix() -> None:
    graph = parsed([entry("a", name="one"), entry("a", name="two"), entry("b", wires=[["a"]])])
    assert [node.key for node in graph.nodes] == ["a", "a-2", "b"]
    assert graph.edges[0].target == "a"
    assert [warning.code for warning in graph.warnings] == ["duplicate"]


def test_it_leaves_out_wires_to_entries_that_do_not_exist() -> None:
    graph = parsed([TAB, entry("a", name="Start", wires=[["gone", "tab1"]])])
    assert graph.edges == ()
    assert [(warning.code, warning.where) for warning in graph.warnings] == [("dangling", '[1] ("Start")')] * 2
    assert '"gone"' in graph.warnings[0].message


def test_it_leaves_credentials_out() -> None:
    graph = parsed([entry("a", credentials={"password": "hunter2"}), TAB | {"credentials": {"p": "hunter2"}}])
    assert "hunter2" not in repr(graph)
    assert [warning.code for warning in graph.warnings] == ["secret_left_out", "secret_left_out"]


def test_it_tells_of_a_second_sheet_of_the_same_id() -> None:
    graph = parsed([TAB | {"info": "first"}, TAB | {"label": "Other", "info": "second"}, entry("a")])
    assert [warning.code for warning in graph.warnings] == ["duplicate"]
    assert len(graph.sheets) == 1
    (settings,) = graph.metadata["nodeRed"]["sheets"].values()
    assert settings["info"] == "first"


def test_it_reads_the_answer_of_the_admin_api() -> None:
    assert parsed({"rev": "1", "flows": [entry("a")]}).format == "node-red"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"id": 5}, "[0].id"),
        ({"id": ""}, "[0].id"),
        ({"x": "left"}, "[0].x"),
        ({"x": 1e9}, "[0].x"),
        ({"name": "x" * 201}, "[0]"),
        ({"wires": ["b"]}, "[0].wires[0]"),
        ({"wires": [[5]]}, "[0].wires[0][0]"),
        ({"wires": {}}, "[0].wires"),
    ],
)
def test_it_names_a_wrong_value_of_an_entry(changes: dict[str, Any], where: str) -> None:
    assert refusal([entry("a") | changes])[0][0].startswith(where)


def test_it_refuses_a_tab_with_an_endless_name() -> None:
    assert refusal([TAB | {"label": "x" * 201}, entry("a")])[0][0] == "[0]"


@pytest.mark.parametrize("document", [[], [TAB]])
def test_it_refuses_flows_without_nodes(document: list) -> None:
    assert refusal(document) == [("nodes", "The file holds no nodes.")]


def test_it_refuses_more_entries_or_wires_than_the_limit() -> None:
    assert "3 nodes" in refusal([entry("a")] * 3, Limits(max_nodes=2))[0][1]
    assert refusal([entry("a", wires=[["a"] * 11])], Limits(max_nodes=1))[0][0] == "wires"
    assert refusal([entry("a", wires=[[]] * 11)], Limits(max_nodes=1))[0][0] == "wires"
