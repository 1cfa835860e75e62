"""Places of new nodes and the layout: nothing over another, nothing moves that was not asked to."""

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphs.models import Edge, Graph, Node, Sheet
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from graphs.workflows.planning import arranging, graph_plan, layout, nodes
from graphs.workflows.planning.boxes import GAP_ACROSS, Box, box_of, free_y
from graphs.workflows.planning.drawn_sheet import DrawnSheet
from tests.graphs.workflows.planning.asking import done, one, plan, refused, without_versions

sizes = st.floats(1, 900)
places = st.floats(-2_000, 2_000)
boxes = st.builds(Box, places, places, sizes, sizes)


@st.composite
def drawings(draw: st.DrawFn) -> tuple[dict[str, Box], list[tuple[str, str]]]:
    """Boxes anywhere and links between any of them: cycles, loops, several parts, the same link twice."""
    drawn = draw(st.lists(boxes, min_size=1, max_size=25))
    keys = [f"n{number}" for number in range(len(drawn))]
    links = draw(st.lists(st.tuples(st.sampled_from(keys), st.sampled_from(keys)), max_size=50))
    return dict(zip(keys, drawn, strict=True)), links


def overlapping(placed: dict[str, Box]) -> list[tuple[str, str]]:
    return [(one, other) for one, other in combinations(placed, 2) if placed[one].overlaps(placed[other])]


@pytest.mark.parametrize("strategy", ["leftToRight", "topToBottom"])
@settings(deadline=None, max_examples=100)
@given(drawn=drawings())
def test_no_box_is_over_another_and_sizes_stay(
    strategy: layout.Strategy, drawn: tuple[dict[str, Box], list[tuple[str, str]]]
) -> None:
    before, links = drawn
    after = layout.arranged(before, links, strategy)
    assert after.keys() == before.keys()
    assert overlapping(after) == []
    assert all((after[key].width, after[key].height) == (box.width, box.height) for key, box in before.items())
    assert layout.arranged(before, list(reversed(links)), strategy) == after


def test_layers_follow_the_edges() -> None:
    before = {key: Box(0, 0, 190, 64) for key in "dcbae"}
    after = layout.arranged(before, [("a", "b"), ("b", "c"), ("a", "d")], "leftToRight")
    assert after["a"].right < after["b"].x
    assert after["b"].right < after["c"].x
    assert after["b"].x == after["d"].x
    assert after["e"].y > max(after[key].bottom for key in "abcd")
    down = layout.arranged(before, [("a", "b"), ("b", "c"), ("a", "d")], "topToBottom")
    assert down["a"].bottom < down["b"].y
    assert down["b"].bottom < down["c"].y


def test_a_circle_begins_where_it_is_entered() -> None:
    before = {key: Box(0, 0, 190, 64) for key in ("b", "a", "loop", "trigger", "after")}
    links = [("trigger", "loop"), ("loop", "a"), ("a", "b"), ("b", "loop"), ("loop", "after"), ("after", "after")]
    after = layout.arranged(before, links, "leftToRight")
    columns = sorted(after, key=lambda key: (after[key].x, key))
    assert columns == ["trigger", "loop", "a", "after", "b"]


def test_a_node_to_which_nothing_leads_stands_right_before_what_it_leads_to() -> None:
    before = {key: Box(0, 0, 190, 64) for key in "abcdm"}
    after = layout.arranged(before, [("a", "b"), ("b", "c"), ("c", "d"), ("m", "d")], "leftToRight")
    assert after["m"].x == after["c"].x


def test_a_long_chain_and_a_wide_fan_are_arranged_without_breaking() -> None:
    before = {str(number): Box(0, 0, 190, 64) for number in range(layout.MAX_NODES)}
    chain = [(str(number), str(number + 1)) for number in range(layout.MAX_NODES - 1)]
    fan = [("0", str(number)) for number in range(1, layout.MAX_NODES)]
    for links in (chain, fan):
        assert len(layout.arranged(before, links, "leftToRight")) == layout.MAX_NODES


def test_edges_that_span_many_layers_are_left_out_where_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {f"n{number:03}": Box(0, 0, 190, 64) for number in range(600)}
    keys = sorted(before)
    asked = []
    layered = layout._layered
    monkeypatch.setattr(layout, "_layered", lambda edges: asked.append(edges) or layered(edges))
    chain = [*pairwise(keys)]
    placed = layout.arranged(before, [*chain, *((keys[0], key) for key in keys[2:])], "leftToRight")
    assert sum(target - source for source, target in asked[0]) <= layout.MAX_SPAN < sum(range(600))
    assert {(number, number + 1) for number in range(599)} <= set(asked[0])
    assert sorted(placed, key=lambda key: placed[key].x) == keys


@given(boxes, st.lists(boxes, max_size=12))
@example(Box(0, 910, 1, 93), [Box(0, 0, 496, 849), Box(36, 1014, 37, 899)])
def test_a_free_place_is_the_nearest_with_a_gap_to_all(wanted: Box, others: list[Box]) -> None:
    near = [box for box in others if box.x < wanted.right + GAP_ACROSS and wanted.x < box.right + GAP_ACROSS]
    taken = [(box.y - GAP_ACROSS - wanted.height, box.bottom + GAP_ACROSS) for box in near]

    def free(y: float) -> bool:
        return not any(start < y < end for start, end in taken)

    y = free_y(wanted, others)
    assert free(y)
    possible = [end for ends in taken for end in ends if free(end)]
    assert abs(y - wanted.y) == (0 if free(wanted.y) else min(abs(end - wanted.y) for end in possible))


def drawn_boxes(graph: Graph, sheet: str = "main") -> dict[str, Box]:
    found = without_versions(graph)["nodes"]
    return {node["key"]: box_of(node) for node in found if node["sheet"] == sheet}


def test_a_sheet_is_arranged_and_the_others_stay(nba: Graph) -> None:
    other = Sheet.objects.create(graph=nba, key="second", name="Second", position=1)
    Node.objects.create(graph=nba, sheet=other, key="far", type="html", pos_x=7, pos_y=7)
    Node.objects.create(graph=nba, sheet=nba.sheets.get(key="main"), key="remark", type="note", pos_x=210)
    Node.objects.filter(key__in=["root", "return"]).update(pos_x=200, pos_y=30)
    planned = one(nba, "reorganize_layout", sheet="main")
    assert all(
        isinstance(operation, Update) and operation.new.keys() <= {"posX", "posY"} for operation in planned.operations
    )
    done(nba, planned)
    placed = drawn_boxes(nba)
    assert overlapping(placed) == []
    assert placed["root"].right < placed["fetch-api"].x < placed["fetch-api"].right < placed["return"].x
    assert (min(box.x for box in placed.values()), min(box.y for box in placed.values())) == (200, 0)
    assert Node.objects.get(key="far").pos_x == 7
    assert "Nothing would change" in refused(nba, "reorganize_layout", sheet="main")


def test_only_the_given_nodes_move_and_find_room(nba: Graph) -> None:
    Node.objects.filter(key__in=["fetch-api", "return"]).update(pos_x=0, pos_y=0)
    planned = one(nba, "reorganize_layout", nodeKeys=["fetch-api", "return"])
    assert {operation.item for operation in planned.operations} == {Ref("node", "fetch-api"), Ref("node", "return")}
    assert {target.id for target in planned.targets} == {"fetch-api", "return"}
    done(nba, planned)
    assert overlapping(drawn_boxes(nba)) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"sheet": "no"}, "Sheets"),
        ({"nodeKeys": ["zebra"]}, "zebra"),
        ({"sheet": "second", "nodeKeys": ["root"]}, "not on"),
    ],
)
def test_what_cannot_be_arranged_is_told(nba: Graph, arguments: dict[str, Any], told: str) -> None:
    Sheet.objects.create(graph=nba, key="second", name="Second", position=1)
    assert told in refused(nba, "reorganize_layout", **arguments)


def connected(graph: Graph, *others: tuple[str, str], sheet: str = "main") -> Box:
    """Where a new node goes that is connected so."""
    Node.objects.filter(graph=graph).update(handles={})
    edges = [
        {"direction": direction, "handle": "L-0" if direction == "in" else "R-0", "otherKey": other, "otherHandle": "x"}
        for direction, other in others
    ]
    planned = one(graph, "create_node_with_edges", typeKey="html", sheet=sheet, edges=edges)
    return box_of(planned.operations[0].record)  # type: ignore[union-attr]


def test_a_new_node_goes_beside_what_it_is_connected_to(nba: Graph) -> None:
    Node.objects.filter(key="return").update(pos_x=1_000)
    between = connected(nba, ("in", "fetch-api"), ("out", "return"))
    assert (between.x, between.y) == ((390 + 1_000 - 190) / 2, 0)
    behind = connected(nba, ("in", "return"))
    assert (behind.x > 1_190, behind.y) == (True, 0)
    before = connected(nba, ("out", "root"))
    assert before.right < 0


def test_a_new_node_is_never_over_another(nba: Graph) -> None:
    for others in ([("in", "root")], [("in", "root"), ("out", "fetch-api")], [("out", "return"), ("out", "root")]):
        box = connected(nba, *others)
        assert not any(box.overlaps(other) for other in drawn_boxes(nba).values()), others


def test_a_new_node_goes_under_all_others_where_it_is_connected_to_none_of_its_sheet(nba: Graph) -> None:
    Sheet.objects.create(graph=nba, key="empty", name="Empty", position=1)
    box = connected(nba, ("in", "root"), sheet="empty")
    assert (box.x, box.y) == (0, 0)
    Node.objects.filter(key="root").update(sheet=Sheet.objects.get(key="empty"))
    assert connected(nba, ("in", "root")).y == 64 + GAP_ACROSS


def test_nodes_of_one_batch_do_not_stand_on_each_other(nba: Graph) -> None:
    edge = {"direction": "in", "handle": "L-0", "otherKey": "return", "otherHandle": ""}
    node = {"tool": "create_node_with_edges", "arguments": {"typeKey": "html", "sheet": "main", "edges": [edge]}}
    done(nba, one(nba, "batch", actions=[node] * 5))
    assert Edge.objects.filter(source__key="return").count() == 5
    assert overlapping(drawn_boxes(nba)) == []


def test_one_change_arranges_no_more_than_so_many_nodes(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    arranged = layout.arranged
    monkeypatch.setattr(layout, "arranged", lambda *args: calls.append(args) or arranged(*args))
    monkeypatch.setattr(arranging, "MAX_ARRANGED", 20)
    step = {"tool": "propose_reorganize_layout", "arguments": {"sheet": "main"}}
    assert "at most 20 nodes" in refused(nba, "batch", actions=[step] * 1_000)
    assert sum(len(boxes) for boxes, *_rest in calls) <= 20


@given(drawn=st.lists(boxes, max_size=25), wanted=boxes, gone=st.integers(0, 24))
def test_what_is_in_the_way_is_found_by_where_it_is(drawn: list[Box], wanted: Box, gone: int) -> None:
    sheet = DrawnSheet()
    sheet.put("wide", Box(-50_000, 0, 100_000, 10))
    for number, box in enumerate(drawn):
        sheet.put("moved", box)
        sheet.put(f"n{number}", box)
    sheet.take(f"n{gone}")
    around = sheet.between(wanted.x - GAP_ACROSS, wanted.right + GAP_ACROSS)
    assert around.items() <= sheet.boxes.items()
    assert len(sheet.boxes) == 1 + len({*range(len(drawn))} - {gone}) + bool(drawn)
    assert free_y(wanted, around.values()) == free_y(wanted, sheet.boxes.values())


@pytest.fixture
def wide(nba: Graph) -> Graph:
    """Two thousand nodes more, in columns of ten."""
    sheet = nba.sheets.get()
    places = [(1_000 + n // 10 * 300, n % 10 * 150) for n in range(2_000)]
    Node.objects.bulk_create(
        Node(graph=nba, sheet=sheet, key=f"n{n}", type="html", pos_x=x, pos_y=y) for n, (x, y) in enumerate(places)
    )
    return nba


def beside(number: int) -> tuple[str, dict[str, Any]]:
    edge = {"direction": "in", "handle": "L-0", "otherKey": f"n{number}", "otherHandle": ""}
    return "create_node_with_edges", {"typeKey": "html", "sheet": "main", "edges": [edge]}


def arrange(number: int) -> tuple[str, dict[str, Any]]:
    return "reorganize_layout", {"nodeKeys": [f"n{number}"]}


def test_places_are_found_without_a_look_at_the_whole_sheet(wide: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def counted(wanted: Box, others: Any) -> float:
        others = list(others)
        looked_at.append(len(others))
        return free_y(wanted, others)

    monkeypatch.setattr(nodes, "free_y", counted)
    monkeypatch.setattr(arranging, "free_y", counted)
    plan(wide, *map(beside, range(500, 540)), *map(arrange, range(40)))
    assert len(looked_at) == 80
    assert max(looked_at) <= 200


def test_a_change_looks_at_so_much_for_places_and_no_more(wide: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand places may be asked for where everything stands in one column."""
    Node.objects.filter(graph=wide).update(pos_x=0)
    monkeypatch.setattr(graph_plan, "MAX_LOOKED_AT", 5_000)
    for ask in (beside, arrange):
        assert plan(wide, *map(ask, range(2))).operations
        with pytest.raises(ChangeRefused, match="too many places"):
            plan(wide, *map(ask, range(5)))
