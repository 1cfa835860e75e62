import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.models import Edge, Node
from graphs.objects.refs import Ref
from graphs.site.access import NotFound
from graphs.workflows.listing import graph_for
from graphs.workflows.sources import NEIGHBOURS_PER_NODE, GraphSource
from tests.seeded import CANARY, World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


@pytest.fixture
def nba(here: World) -> GraphSource:
    return GraphSource(here.nba)


def keys_around(source: GraphSource, key: str, depth: int, direction: str = "any", limit: int = 40) -> dict[str, int]:
    return {found.node.key: found.distance for found in source.neighbourhood(key, depth, direction, limit)}


def test_it_counts_sheets_and_types(nba: GraphSource) -> None:
    overview = nba.overview()
    assert [(sheet.key, sheet.nodes, sheet.edges) for sheet in overview.sheets] == [
        ("main", 7, 6),
        ("data-processing", 2, 0),
    ]
    assert (overview.nodes, overview.edges, overview.starts) == (9, 6, ("root",))
    assert dict(overview.types)["api-call"] == 1


def test_it_reads_nodes_in_the_order_asked_for(nba: GraphSource) -> None:
    assert [node.key for node in nba.nodes(["root", "nowhere", "entry-form", "root"])] == ["root", "entry-form"]


def test_it_walks_along_edges_against_them_and_both_ways(nba: GraphSource) -> None:
    assert keys_around(nba, "fetch-api", 1, "outbound") == {"fetch-api": 0, "filter-active": 1, "error-handler": 1}
    assert keys_around(nba, "fetch-api", 2, "inbound") == {"fetch-api": 0, "root": 1, "entry-form": 2}
    assert keys_around(nba, "fetch-api", 1) == {"fetch-api": 0, "filter-active": 1, "error-handler": 1, "root": 1}


def test_it_walks_no_farther_than_told(nba: GraphSource) -> None:
    assert keys_around(nba, "root", 3, "outbound")["display-html"] == 3
    assert "return" not in keys_around(nba, "root", 3, "outbound")


def test_it_walks_in_circles_only_once(here: World) -> None:
    source = GraphSource(here.orders)
    around = keys_around(source, "wait-for-transfer", 3, "outbound")
    assert around["wait-for-transfer"] == 0
    assert around["match-bank-statement"] == 1


def test_it_stops_at_the_limit_nearest_first(nba: GraphSource) -> None:
    assert sorted(keys_around(nba, "fetch-api", 3, limit=4).values()) == [0, 1, 1, 1]


def test_it_takes_few_neighbours_of_a_hub(here: World, nba: GraphSource) -> None:
    root = Node.objects.get(graph=here.nba, key="root")
    leaves = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=root.sheet, key=f"leaf-{number}", type="html") for number in range(60)
    )
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=root.sheet, key=f"e-{leaf.key}", source=root, target=leaf) for leaf in leaves
    )
    assert len(keys_around(nba, "root", 1, "outbound", limit=100)) == 26


@pytest.mark.parametrize("direction", ["inbound", "outbound"])
def test_edges_to_one_neighbour_or_to_itself_hide_no_other(here: World, nba: GraphSource, direction: str) -> None:
    sheet = here.nba.sheets.get(key="main")
    switch, lamp, motor = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheet, key=key, type="html") for key in ("switch", "lamp", "motor")
    )
    for number, other in enumerate([*[switch] * NEIGHBOURS_PER_NODE, *[lamp] * NEIGHBOURS_PER_NODE, motor]):
        source, target = (switch, other) if direction == "outbound" else (other, switch)
        Edge.objects.create(graph=here.nba, sheet=sheet, key=f"e{number}", source=source, target=target)
    assert keys_around(nba, "switch", 1, direction) == {"switch": 0, "lamp": 1, "motor": 1}


def test_it_finds_nothing_around_an_unknown_node(nba: GraphSource) -> None:
    assert keys_around(nba, "nowhere", 2) == {}


@pytest.mark.parametrize(
    ("direction", "labels"), [("inbound", [""]), ("outbound", ["success", "error"]), ("any", ["", "success", "error"])]
)
def test_it_lists_edges_of_a_node(nba: GraphSource, direction: str, labels: list[str]) -> None:
    assert [edge.label for edge in nba.edges_of(["fetch-api"], direction, 0, 10)] == labels


def test_it_reads_edges_on_from_an_offset(nba: GraphSource) -> None:
    assert [edge.label for edge in nba.edges_of(["fetch-api"], "any", 1, 1)] == ["success"]


def test_it_names_built_in_custom_and_undefined_types(nba: GraphSource) -> None:
    assert nba.type_names(["starter", "api-call", "n8n-nodes-base.code"]) == {
        "starter": "Starter",
        "api-call": "API Call",
        "n8n-nodes-base.code": "n8n-nodes-base.code",
    }
    assert [record.key for record in nba.types()][:5] == ["starter", "return", "html", "entryType", "note"]


def test_it_reads_sheets_with_all_types(nba: GraphSource) -> None:
    nba.graph.sheets.filter(key="main").update(position=9, name="Last")
    read: set[Ref] = set()
    sheets, types = GraphSource(nba.graph, read).sheets_and_types()
    assert [key for key, _name in sheets] == ["data-processing", "main"]
    assert sheets[1] == ("main", "Last")
    assert types == nba.types()
    assert Ref("nodeType", "api-call") in read


def test_it_needs_a_constant_number_of_queries(here: World) -> None:
    source = GraphSource(here.orders)
    keys = [node.key for node in here.orders.nodes.all()]
    for read, most in (
        (source.overview, 4),
        (lambda: source.nodes(keys), 1),
        (lambda: source.edges_of(keys, "any", 0, 100), 2),
        (lambda: source.edges_between(keys, 100), 2),
        (lambda: source.neighbourhood("risk-low", 3, "any", 40), 3),
        (source.types, 1),
        (source.sheets_and_types, 1),
    ):
        with CaptureQueriesContext(connection) as queries:
            read()
        assert len(queries) <= most


def test_it_reads_nothing_of_a_graph_with_the_same_key_elsewhere(here: World, nba: GraphSource) -> None:
    keys = [node.key for node in here.foreign_nba.nodes.all()]
    seen = [
        nba.overview(),
        nba.nodes(keys),
        nba.nodes_by_id(here.foreign_nba.nodes.values_list("pk", flat=True)),
        nba.edges_of(keys, "any", 0, 100),
        nba.edges_between(keys, 100),
        nba.neighbourhood("fetch-api", 3, "any", 40),
        nba.types(),
        nba.sheets_and_types(),
    ]
    assert CANARY not in repr(seen)


def test_it_opens_only_graphs_of_the_members_workspace(here: World) -> None:
    assert GraphSource(graph_for(here.charlie, "nba")).graph == here.foreign_nba
    with pytest.raises(NotFound):
        graph_for(here.charlie, "order-to-cash")


def test_a_graph_of_another_tool_begins_where_nothing_leads_to(here: World) -> None:
    graph = graph_for(here.alice, "nba")
    Node.objects.filter(graph=graph, type="starter").update(type="n8n-nodes-base.webhook")
    led_to = set(Edge.objects.filter(graph=graph).values_list("target__key", flat=True))
    starts = GraphSource(graph).overview().starts
    assert starts
    assert not led_to & set(starts)
