import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.subjects import tools
from chat.tools.tool import ToolContext
from graphs.models import Edge, Node, NodeType, Sheet
from tests.cast import save_all
from tests.seeded import CANARY, World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


def call(here: World, name: str, graph: str = "nba", **arguments: Any) -> dict[str, Any]:
    context = {
        "nba": ToolContext(here.alice, here.nba),
        "orders": ToolContext(here.alice, here.orders),
    }[graph]
    parsed = tools.parse(name, json.dumps(arguments), tools.by_name())
    assert isinstance(parsed, tools.ParsedCall), parsed
    result = tools.run(parsed, context)
    assert len(json.dumps(result, ensure_ascii=False)) < 9_000
    return result


def keys(result: dict[str, Any]) -> list[str]:
    return [node["key"] for node in result["nodes"]]


def test_it_gives_an_overview(here: World) -> None:
    result = call(here, "read_graph_overview")
    assert (result["key"], result["nodes"], result["edges"], result["startNodes"]) == ("nba", 9, 6, ["root"])
    assert result["sheets"][0] == {"key": "main", "name": "main", "nodes": 7, "edges": 6}
    assert {"key": "api-call", "typeName": "API Call", "nodes": 1} in result["types"]


def test_it_gives_no_overview_of_another_graph(here: World) -> None:
    foreign = call(here, "read_graph_overview", graphKey="newsletter")
    absent = call(here, "read_graph_overview", graphKey="order-to-cash")
    assert foreign["error"].replace("newsletter", "") == absent["error"].replace("order-to-cash", "")
    assert call(here, "read_graph_overview", graphKey="nba")["key"] == "nba"


def test_it_keeps_the_overview_of_a_huge_graph_short(here: World) -> None:
    sheets = Sheet.objects.bulk_create(
        Sheet(graph=here.nba, key=f"sheet-{number}", name="S" * 80, position=number) for number in range(500)
    )
    Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheets[number], key=f"n{number}", type=f"type-{number}") for number in range(500)
    )
    result = call(here, "read_graph_overview")
    assert (result["sheetCount"], result["typeCount"]) == (502, 509)


def test_it_searches(here: World) -> None:
    result = call(here, "search_nodes", query="players", maxResults=2)
    assert len(result["nodes"]) == 2
    first = result["nodes"][0]
    assert first.keys() == {"key", "name", "type", "typeName", "sheet", "beginning"}


def test_it_says_when_a_search_finds_nothing(here: World) -> None:
    result = call(here, "search_nodes", query="zebra")
    assert result["nodes"] == []
    assert "read_graph_overview" in result["note"]


def test_it_searches_one_sheet_and_names_sheets_that_exist(here: World) -> None:
    assert keys(call(here, "search_nodes", query="players", sheetId="data-processing")) == ["sort-stats"]
    assert "data-processing" in call(here, "search_nodes", query="players", sheetId="nowhere")["error"]


def test_it_explores_around_a_node(here: World) -> None:
    result = call(here, "explore_neighborhood", nodeKey="fetch-api", maxDepth=1, direction="outbound")
    assert (result["nodes"][0]["key"], result["nodes"][0]["distance"]) == ("fetch-api", 0)
    assert set(keys(result)) == {"fetch-api", "filter-active", "error-handler"}
    assert {edge["label"] for edge in result["edges"]} == {"success", "error"}


def test_it_says_when_there_is_more_around_a_node(here: World) -> None:
    fetch = Node.objects.get(graph=here.nba, key="fetch-api")
    leaves = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=fetch.sheet, key=f"leaf-{'x' * 80}-{number}", name="y" * 200, type="html")
        for number in range(100)
    )
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=fetch.sheet, key=f"{leaf.key}{'k' * 120}", source=fetch, target=leaf)
        for leaf in leaves
    )
    told = call(here, "explore_neighborhood", nodeKey="fetch-api")["note"]
    assert re.match(r"\d+ of 27 nodes are shown: explore from one of these. Not every edge was followed", told)
    listed = call(here, "list_node_edges", nodeKey="fetch-api")
    rest = call(here, "list_node_edges", nodeKey="fetch-api", offset=listed["nextOffset"])
    assert rest["edges"][0] not in listed["edges"]


def star(here: World, leaves: int) -> list[str]:
    """A node with so many edges, each to a leaf of its own."""
    sheet = here.nba.sheets.get(key="main")
    hub = Node.objects.create(graph=here.nba, sheet=sheet, key="hub", type="filter")
    made = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheet, key=f"leaf-{number}", type="filter") for number in range(leaves)
    )
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=sheet, key=f"edge-{leaf.key}", source=hub, target=leaf, target_handle="L-0")
        for leaf in made
    )
    return ["hub", *(leaf.key for leaf in made)]


@pytest.mark.parametrize("direction", ["any", "outbound"])
def test_it_says_from_which_nodes_not_every_edge_was_followed(here: World, direction: str) -> None:
    star(here, 30)
    result = call(here, "explore_neighborhood", nodeKey="hub", direction=direction)
    assert len(result["nodes"]) == 26
    assert "Not every edge was followed from hub: list_node_edges" in result["note"]
    for other in ({"nodeKey": "hub", "direction": "inbound"}, {"nodeKey": "leaf-1", "direction": "inbound"}):
        assert "note" not in call(here, "explore_neighborhood", **other)


def test_it_says_how_many_edges_it_shows(here: World) -> None:
    keys = star(here, 24)
    for result in (
        call(here, "explore_neighborhood", nodeKey="hub"),
        call(here, "read_subgraph", nodeKeys=keys[:20], fields=["name"]),
    ):
        shown, of = len(result["edges"]), len(result["nodes"]) - 1
        assert shown < of
        assert result["note"].startswith(f"{shown} of {of} edges between these nodes are shown: list_node_edges")


def test_it_says_that_more_edges_were_not_counted(here: World) -> None:
    first, second = (Node.objects.get(graph=here.nba, key=key) for key in ("root", "fetch-api"))
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=first.sheet, key=f"again-{number}", source=first, target=second)
        for number in range(60)
    )
    result = call(here, "read_subgraph", nodeKeys=["root", "fetch-api"], fields=["name"])
    assert f"{len(result['edges'])} of more than 50 edges" in result["note"]


def test_it_says_how_many_types_it_shows(here: World) -> None:
    sheet = here.nba.sheets.get(key="main")
    for number in range(20):
        Node.objects.create(graph=here.nba, sheet=sheet, key=f"n{number}", type=f"type-{number}")
        NodeType.objects.create(
            workspace=here.alice.workspace, key=f"type-{number}", display_name="T", description="d" * 300
        )
    wanted = [f"n{number}" for number in range(20)]
    result = call(here, "read_subgraph", nodeKeys=wanted, fields=["type"], includeTypes=True)
    assert f"{len(result['types'])} of 20 types are shown: read_node_config" in result["note"]


def test_a_search_names_what_does_not_fit(here: World) -> None:
    sheet = here.nba.sheets.get(key="main")
    Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheet, key=f"pay-{n:02}", name="Charge card", type="filter", process="code " * 60)
        for n in range(40)
    )
    result = call(here, "search_nodes", query="charge card", maxResults=40)
    told, _, others = result["note"].partition(": read_subgraph reads the others, ")
    assert told == f"{len(result['nodes'])} of 40 nodes that were found are shown"
    assert {*keys(result), *others.rstrip(".").split(", ")} == {f"pay-{n:02}" for n in range(40)}


def test_there_are_no_edges_behind_the_last(here: World) -> None:
    for offset in (1_000, 2**31, 10**30):
        assert call(here, "list_node_edges", nodeKey="fetch-api", offset=offset) == {
            "nodeKey": "fetch-api",
            "edges": [],
        }


def test_it_reads_a_node(here: World) -> None:
    node = call(here, "read_node_detail", nodeKey="fetch-api")["node"]
    assert node["typeName"] == "API Call"
    assert node["process"].startswith("const { season, team }")
    assert json.loads(node["data"])["method"] == "GET"
    assert node["handles"] == "L: L-0 in(any); R: R-0 out(any) success, R-1 out(any) error"
    assert node["position"] == {"x": 520.0, "y": 0.0}


def test_it_cuts_long_code_and_tells_how_to_read_on(here: World) -> None:
    code = "".join(f"line {number};\n" for number in range(2000))
    Node.objects.filter(graph=here.nba, key="fetch-api").update(process=code)
    node = call(here, "read_node_detail", nodeKey="fetch-api")["node"]
    text, arguments = node["process"], json.loads(node["processNote"].partition("read_node_detail ")[2].rstrip("."))
    while arguments:
        part = call(here, "read_node_detail", **arguments)
        text += part["text"]
        arguments = arguments | {"offset": part["nextOffset"]} if "nextOffset" in part else None
    assert text == code


@pytest.mark.parametrize("name", ["read_node_detail", "list_node_edges", "explore_neighborhood"])
def test_it_suggests_keys_when_one_is_wrong(here: World, name: str) -> None:
    assert "fetch-api" in call(here, name, nodeKey="Fetch players")["error"]


def test_it_describes_types(here: World) -> None:
    assert call(here, "read_node_config", typeKey="api-call")["type"]["displayName"] == "API Call"
    assert call(here, "read_node_config", typeKey="starter")["type"]["builtIn"] is True
    assert "log-node" in call(here, "read_node_config", typeKey="nowhere")["error"]


def test_it_lists_types_a_part_at_a_time(here: World) -> None:
    save_all(
        NodeType(
            workspace=here.alice.workspace, key=f"type-{number:03}", display_name=f"T {number}", description="d" * 300
        )
        for number in range(100)
    )
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        result = call(here, "list_available_node_types", offset=offset)
        seen += [record["key"] for record in result["types"]]
        offset = result.get("nextOffset")
    assert len(seen) == len(set(seen)) == result["total"] == 109


def test_it_reads_several_nodes_with_chosen_fields(here: World) -> None:
    result = call(here, "read_subgraph", nodeKeys=["fetch-api", "filter-active", "nowhere"], fields=["name", "type"])
    assert result["nodes"][0] == {
        "key": "fetch-api",
        "name": "Fetch players",
        "type": "api-call",
        "typeName": "API Call",
    }
    assert result["missing"] == ["nowhere"]
    assert [edge["label"] for edge in result["edges"]] == ["success"]
    assert "types" not in result


def test_it_reads_several_nodes_without_edges_and_with_types(here: World) -> None:
    result = call(here, "read_subgraph", nodeKeys=["fetch-api"], includeEdges=False, includeTypes=True)
    assert "edges" not in result
    assert [record["key"] for record in result["types"]] == ["api-call"]
    assert result["nodes"][0].keys() >= {"process", "data", "handles", "position", "sheet"}


def test_it_keeps_twenty_long_nodes_short(here: World) -> None:
    Node.objects.filter(graph=here.orders).update(process="x" * 50_000, data={"y": "z" * 50_000})
    wanted = list(here.orders.nodes.values_list("key", flat=True)[:20])
    result = call(here, "read_subgraph", "orders", nodeKeys=wanted, includeTypes=True)
    assert result["nodes"][0]["processNote"].startswith("Cut at")
    assert len(result["nodes"]) == 20 or "ask again" in result["note"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_graph_overview", {}),
        ("search_nodes", {"query": "fetch secret-node"}),
        ("search_nodes", {"query": CANARY}),
        ("explore_neighborhood", {"nodeKey": "fetch-api", "maxDepth": 3}),
        ("explore_neighborhood", {"nodeKey": "secret-node"}),
        ("read_node_detail", {"nodeKey": "secret-node"}),
        ("read_node_detail", {"nodeKey": "fetch-api"}),
        ("read_node_config", {"typeKey": "api-call"}),
        ("list_available_node_types", {}),
        ("list_node_edges", {"nodeKey": "fetch-api"}),
        ("list_node_edges", {"nodeKey": "secret-node"}),
        ("read_subgraph", {"nodeKeys": ["root", "fetch-api", "secret-node"], "includeTypes": True}),
    ],
)
def test_it_shows_nothing_of_another_workspace(here: World, name: str, arguments: dict[str, Any]) -> None:
    asked = json.dumps(arguments)
    assert CANARY not in json.dumps(call(here, name, **arguments)).replace(asked, "")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_graph_overview", {}),
        ("search_nodes", {"query": "order"}),
        ("explore_neighborhood", {"nodeKey": "risk-low", "maxDepth": 3}),
        ("read_node_detail", {"nodeKey": "risk-low"}),
        ("list_node_edges", {"nodeKey": "risk-low"}),
        ("read_subgraph", {"nodeKeys": ["risk-low", "check-stock", "score-fraud"], "includeTypes": True}),
    ],
)
def test_it_needs_few_queries(here: World, name: str, arguments: dict[str, Any]) -> None:
    with CaptureQueriesContext(connection) as queries:
        call(here, name, "orders", **arguments)
    assert len(queries) <= 6
