import pytest

from graphs.models import Edge, Graph, Node
from rag.sources.graphs.context import configured
from rag.sources.graphs.expansion import MET, PER_NODE, WALKED, Surroundings, surroundings
from tests.seeded import World, world


@pytest.fixture
def here(db: None) -> World:
    return world()


@pytest.fixture
def leaves(here: World) -> list[Node]:
    """The other ends of a node with many edges, and as many that stand alone."""
    hub = here.nba.nodes.get(key="fetch-api")
    made = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=hub.sheet, key=f"leaf-{number}", type="filter") for number in range(400)
    )
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=hub.sheet, key=f"e-{leaf.key}", source=hub, target=leaf) for leaf in made[:200]
    )
    return made


def around(graph: Graph, found: list[int]) -> Surroundings:
    return surroundings(graph, found, configured())


def test_what_was_found_beside_a_hub_joins_however_many_edges_it_has(here: World, leaves: list[Node]) -> None:
    hub = here.nba.nodes.get(key="fetch-api")
    beside, alone = leaves[199].pk, leaves[399].pk
    found = [hub.pk, *(leaf.pk for leaf in leaves[200:230]), beside, alone]
    read = around(here.nba, found)
    assert beside in read.rows
    assert hub.pk in read.neighbours()[beside]
    assert alone not in read.rows
    assert len(read.rows) <= configured().nodes + MET + WALKED


def test_edges_to_one_neighbour_or_to_itself_hide_no_other(here: World) -> None:
    sheet = here.nba.sheets.get(key="main")
    switch, lamp, motor = Node.objects.bulk_create(
        Node(graph=here.nba, sheet=sheet, key=key, type="filter") for key in ("switch", "lamp", "motor")
    )
    ends = [*[switch] * PER_NODE, *[lamp] * PER_NODE, motor]
    Edge.objects.bulk_create(
        Edge(graph=here.nba, sheet=sheet, key=f"e{number}", source=switch, target=end)
        for number, end in enumerate(ends)
    )
    assert set(around(here.nba, [switch.pk]).rows) == {switch.pk, lamp.pk, motor.pk}


def test_nodes_edges_and_types_are_read_for_those_that_are_chosen(here: World) -> None:
    ids = {key: here.nba.nodes.get(key=key).pk for key in ("fetch-api", "error-handler", "root")}
    read = around(here.nba, [ids["fetch-api"]])
    chosen = [ids["fetch-api"], ids["error-handler"]]
    assert [node.key for node in read.nodes(chosen, configured())] == ["fetch-api", "error-handler"]
    assert {(edge.source, edge.target) for edge in read.edges_between(chosen)} == {("fetch-api", "error-handler")}
    assert [record.key for record in read.types(chosen)] == [node.type for node in read.nodes(chosen, configured())]


def test_nodes_of_other_graphs_are_not_read(here: World) -> None:
    foreign = here.foreign_nba.nodes.get(key="secret-node").pk
    assert foreign not in around(here.nba, [foreign]).rows
