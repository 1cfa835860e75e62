from pathlib import Path
from typing import Any

import pytest

from graphs.workflows.interchange.formats import parse
from graphs.workflows.interchange.parsed_graph import Limits
from tests.graphs.workflows.interchange.samples import native, native_edge, native_node, parsed, refusal


def test_it_reads_every_field() -> None:
    handles = {"R": [{"id": "out", "type": "out", "accept": "any", "label": "yes"}], "L": []}
    node = native_node(
        "n", type="html", process="x()", data={"a": None}, handles=handles, width=100, height=0.5, version=3
    )
    node_type = {"key": "k", "displayName": "K", "description": "d", "category": "c", "icon": "i", "process": "p"}
    graph = parsed(
        native(
            description="d",
            metadata={"m": 1},
            version=7,
            sheets=[{"key": "b", "name": ""}, {"key": "main", "name": "é"}],
            nodes=[node],
            edges=[native_edge("e", "n", "n", label="l", version=2)],
            nodeTypes=[node_type],
        )
    )
    assert [sheet.key for sheet in graph.sheets] == ["b", "main"]
    [read] = graph.nodes
    assert (read.key, read.type, read.process, read.data, read.handles) == ("n", "html", "x()", {"a": None}, handles)
    assert (read.pos_x, read.pos_y, read.width, read.height) == (10, 20.5, 100, 0.5)
    [edge] = graph.edges
    assert (edge.source, edge.source_handle, edge.target, edge.target_handle, edge.label) == (
        "n",
        "out",
        "n",
        "in",
        "l",
    )
    assert graph.node_types[0].display_name == "K"
    assert (graph.format, graph.key, graph.description, graph.metadata) == ("native", "weather", "d", {"m": 1})


def test_it_lays_out_nodes_without_a_position() -> None:
    nodes = [{"key": key, "type": "html", "sheet": "main"} for key in "abcdefgh"]
    graph = parsed(native(nodes=nodes, edges=[]))
    assert len({(node.pos_x, node.pos_y) for node in graph.nodes}) == 8


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("posX", "10", "must be a number"),
        ("posX", True, "must be a number"),
        ("posX", 1e8, "at most"),
        ("posX", 10**300, "at most 10,000,000."),
        ("width", -1, "at least 0"),
        ("name", 5, "must be a text"),
        ("name", "x" * 201, "longer than 200"),
        ("key", "x" * 101, "longer than 100"),
        ("key", "", "must not be empty"),
        ("key", "a b", "no spaces"),
        ("key", "a}}", "no spaces"),
        ("key", "a\u202eb", "no spaces"),
        ("data", [], "must be an object"),
        ("handles", {"X": []}, "must be"),
        ("process", None, "must be a text"),
        ("colour", "red", "not known"),
    ],
)
def test_it_names_node_and_field_of_a_wrong_value(field: str, value: Any, sentence: str) -> None:
    nodes = [native_node("start"), native_node("end") | {field: value}]
    where, message = refusal(native(nodes=nodes, edges=[]))[0]
    assert where.startswith(f"nodes[1].{field}")
    assert sentence in message
    if field not in {"name", "key"}:
        assert '("End")' in where


def test_it_names_a_missing_field() -> None:
    assert refusal(native(nodes=[{"key": "a", "sheet": "main"}], edges=[])) == [
        ('nodes[0].type ("a")', "This field is missing.")
    ]


def test_it_names_a_wrong_connection_point() -> None:
    handles = {"R": [{"id": "a", "type": "sideways"}]}
    [(where, _message)] = refusal(native(nodes=[native_node("a", handles=handles)], edges=[]))
    assert where == 'nodes[0].handles.R[0].type ("A")'


def test_it_refuses_a_node_that_is_no_object() -> None:
    assert refusal(native(nodes=[5])) == [("nodes[0]", "This must be an object.")]


@pytest.mark.parametrize("end", ["source", "target"])
def test_it_names_an_edge_to_a_node_that_does_not_exist(end: str) -> None:
    edge = native_edge("e", "start", "end") | {end: "nowhere"}
    assert refusal(native(edges=[edge])) == [('edges[0] ("e")', 'There is no node "nowhere".')]


def test_it_names_what_lies_on_a_sheet_that_does_not_exist() -> None:
    problems = refusal(native(nodes=[native_node("a", sheet="x")], edges=[native_edge("e", "a", "a", sheet="y")]))
    assert problems == [('nodes[0] ("A")', 'There is no sheet "x".'), ('edges[0] ("e")', 'There is no sheet "y".')]


@pytest.mark.parametrize("field", ["nodes", "edges", "sheets", "nodeTypes"])
def test_it_refuses_a_key_used_twice(field: str) -> None:
    entry = {
        "nodes": native_node("start"),
        "edges": native_edge("start-end", "start", "end"),
        "sheets": {"key": "main", "name": "Main"},
        "nodeTypes": {"key": "k", "displayName": "K"},
    }[field]
    problems = refusal(native(**{field: [*native().get(field, [entry]), entry]}))
    assert problems[0][0] == f"{field}[{2 if field == 'nodes' else 1}]"
    assert "already used" in problems[0][1]


def test_it_refuses_half_a_position() -> None:
    node = {"key": "a", "type": "html", "sheet": "main", "posX": 1}
    assert "both" in refusal(native(nodes=[node], edges=[]))[0][1]


def test_an_empty_graph_comes_back_as_any_does() -> None:
    assert parsed(native(nodes=[], edges=[])).nodes == ()


def test_it_refuses_more_nodes_than_the_limit() -> None:
    assert len(parsed(native(), Limits(max_nodes=2)).nodes) == 2
    [(where, message)] = refusal(native(), Limits(max_nodes=1))
    assert where == "nodes"
    assert "2 nodes" in message


@pytest.mark.parametrize("field", ["edges", "sheets", "nodeTypes"])
def test_it_refuses_lists_out_of_proportion_to_the_limit(field: str) -> None:
    assert refusal(native(**{field: [{}] * 21}), Limits(max_nodes=2))[0][0] == field


@pytest.mark.parametrize("version", [2, 0, 10**30])
def test_it_refuses_other_versions_of_the_format(version: int) -> None:
    assert refusal(native(formatVersion=version))[0][0] == "formatVersion"


def test_it_refuses_unknown_fields_of_the_graph() -> None:
    assert refusal(native(color="red")) == [("color", "This field is not known here.")]


def test_it_describes_an_endless_row_of_mistakes_in_one_sentence() -> None:
    [(where, message)] = refusal(native(**{f"field{number}": 1 for number in range(5000)}))
    assert where == ""
    assert "5,000 mistakes" in message


def test_it_reads_the_example_of_the_documentation() -> None:
    page = (Path(__file__).resolve().parents[4] / "docs" / "interchange.md").read_text()
    example = page.split("```json\n")[1].split("```")[0]
    assert parse(example.encode(), "auto", Limits()).nodes[0].key == "fetch"
