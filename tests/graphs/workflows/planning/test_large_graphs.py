"""A thousand actions at once, and large graphs (20,000 nodes with FULL=1): few queries, no matter how much there is."""

import os
from difflib import SequenceMatcher
from itertools import islice, product
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from graphs.models import Edge, Graph, Node
from graphs.objects import planning
from graphs.objects.actions import ChangeRefused
from graphs.workflows.planning.graph_plan import GraphPlan
from tests.graphs.workflows.planning.asking import done, one, plan, refused

NODES = 20_000 if "FULL" in os.environ else 3_000


@pytest.fixture
def huge(nba: Graph) -> Graph:
    """Nodes in rows of a hundred, each row a chain."""
    sheet = nba.sheets.get()
    nodes = Node.objects.bulk_create(
        [
            Node(graph=nba, sheet=sheet, key=f"n-{n}", type="html", pos_x=n % 100 * 260, pos_y=n // 100 * 140)
            for n in range(NODES)
        ],
        batch_size=5_000,
    )
    Edge.objects.bulk_create(
        [
            Edge(graph=nba, sheet=sheet, key=f"e-{n}", source=nodes[n], target=nodes[n + 1])
            for n in range(NODES - 1)
            if n % 100 != 99
        ],
        batch_size=5_000,
    )
    return nba


def test_few_queries_whatever_is_asked_in_a_large_graph(huge: Graph) -> None:
    connected = [{"direction": "in", "handle": "", "otherKey": "n-500", "otherHandle": ""}]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("update_node", {"nodeKey": "n-7", "updates": {"name": "Seven"}}),
        ("create_node", {"typeKey": "html", "sheet": "main", "posX": 0, "posY": -500, "name": "n"}),
        ("create_node_with_edges", {"typeKey": "html", "sheet": "main", "edges": connected}),
        ("delete_node", {"nodeKey": "n-50"}),
        ("configure_node_type", {"mode": "create", "displayName": "Wait"}),
        ("reorganize_layout", {"nodeKeys": ["n-1", "n-2"]}),
    ]
    most = 0
    for each in (asked[:1], asked[1:2], asked[2:3], asked):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            plan(huge, *each)
        most = max(most, len(queries))
    assert most <= 9
    with CaptureQueriesContext(connection) as queries:
        assert "Perhaps you mean: n-2999" in refused(huge, "delete_node", nodeKey="n_2999")
    assert len(queries) <= 4
    assert "nodeKeys" in refused(huge, "reorganize_layout", sheet="main")


def test_missing_keys_are_not_compared_in_the_square_of_their_length(
    nba: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ratio(self: SequenceMatcher[str]) -> float:
        raise AssertionError("it takes the cube of what it compares where that repeats itself")

    monkeypatch.setattr(SequenceMatcher, "ratio", ratio)
    sheet = nba.sheets.get()
    keys = ["".join(letters) * 10 for letters in islice(product("ab", repeat=10), 1_000)]
    Node.objects.bulk_create([Node(graph=nba, sheet=sheet, key=key, type="html") for key in keys])
    with pytest.raises(ChangeRefused, match="Perhaps you mean"):
        plan(nba, *(("delete_node", {"nodeKey": f"{'ab' * 49}{n}"}) for n in range(5)))


def test_a_thousand_actions_are_planned_and_done(nba: Graph) -> None:
    step = {"typeKey": "html", "sheet": "main", "posY": 200}
    nodes = [("create_node", {**step, "posX": 200 * n, "name": "Step"}) for n in range(500)]
    edges = [
        (
            "create_edge",
            {"sourceKey": f"step-{n}", "sourceHandle": "R-0", "targetKey": f"step-{n + 1}", "targetHandle": "L-0"},
        )
        for n in range(2, 500)
    ]
    with CaptureQueriesContext(connection) as queries:
        planned = plan(nba, *(("create_node", {**step, "posX": 0, "key": f"step-{n}"}) for n in range(2, 501)), *edges)
    assert len(queries) <= 6
    done(nba, planned)
    assert Edge.objects.filter(source__key__startswith="step-").count() == 498
    assert plan(nba, *nodes).operations[0].item.key == "step"
    with pytest.raises(ChangeRefused, match="at most 1,000"):
        plan(nba, *nodes, *nodes, nodes[0])


def test_a_node_with_more_edges_than_can_go_at_once_is_refused(nba: Graph) -> None:
    root, other = Node.objects.get(key="root"), Node.objects.get(key="return")
    Edge.objects.bulk_create(
        Edge(graph=nba, sheet=root.sheet, key=f"x-{n}", source=root, target=other) for n in range(5_000)
    )
    assert "5,002 items" in refused(nba, "delete_node", nodeKey="root")
    assert one(nba, "move_node", nodeKey="root", posX=5, posY=5)


def test_actions_on_whole_objects_are_fewer_and_planned_together(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand node types in one change took a minute: each is checked and saved through its model."""
    monkeypatch.setattr(planning, "MAX_OBJECTS", 20)
    statements = []
    for name, count in (("a", 10), ("b", 20)):
        with CaptureQueriesContext(connection) as queries:
            planned = plan(nba, *map(new_type, [f"{name}{n}" for n in range(count)]))
        statements.append(len(queries))
        done(nba, planned)
    assert statements[0] == statements[1]
    with pytest.raises(ChangeRefused, match="More than 20 actions"):
        plan(nba, *map(new_type, [f"c{n}" for n in range(21)]))
    keys = [f"{name}{n}" for name, count in (("a", 10), ("b", 11)) for n in range(count)]
    with pytest.raises(ChangeRefused, match="More than 20 actions"):
        plan(nba, *(("delete_node_type", {"typeKey": key}) for key in keys))
    renamed = [("update_node", {"nodeKey": "root", "updates": {"name": f"N{n}"}}) for n in range(30)]
    assert len(plan(nba, *renamed).operations) == 1


def new_type(key: str) -> tuple[str, dict[str, Any]]:
    return "configure_node_type", {"mode": "create", "typeKey": key, "displayName": key}


def test_a_node_with_many_edges_is_moved_to_and_fro_only_so_often(huge: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time all its edges go along, and in the end none of them has."""
    monkeypatch.setattr(planning, "MAX_BEFORE_NET", 50)
    Edge.objects.filter(key__in=[f"e-{n}" for n in range(20)]).update(source=Node.objects.get(key="n-0"))
    other = ("create_sheet", {"name": "Other"})
    there, back = (("move_node", {"nodeKey": "n-0", "posX": 0, "posY": 0, "sheet": to}) for to in ("other", "main"))
    assert plan(huge, other, there).operations
    with pytest.raises(ChangeRefused, match="These actions take more than 50 steps"):
        plan(huge, other, *[there, back] * 10)


def test_whether_there_is_such_an_edge_is_not_looked_up_among_all_of_a_node(
    huge: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_plan: GraphPlan, _node: str) -> dict[str, Any]:
        raise AssertionError("a batch of a thousand edges would look at all edges of one node a thousand times")

    monkeypatch.setattr(GraphPlan, "edges_of", never)
    new = {"sourceKey": "n-0", "sourceHandle": "R-0", "targetKey": "n-5", "targetHandle": "L-0"}
    again = [("create_edge", new), ("delete_edge", {"edgeKey": "n-0:R-0--n-5:L-0"}), ("create_edge", new)]
    assert plan(huge, *again[:1]).operations
    with pytest.raises(ChangeRefused, match='There is such an edge already: "n-0:R-0--n-5:L-0-2"'):
        plan(huge, *again, again[0])
