"""Sheets: made, named, put in order, deleted with what stands on them; and back by a rollback."""

from typing import Any

import pytest

from graphs.models import Edge, Graph, Node, Sheet
from graphs.objects import object_plan
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Create, Delete, Update
from graphs.objects.refs import Ref
from graphs.workflows.planning import sheets
from graphs.workflows.planning.graph_plan import GraphPlan
from tests.graphs.workflows.planning.asking import done, one, plan, refused, shown, undone, without_versions


@pytest.fixture
def three(nba: Graph) -> Graph:
    for number, name in enumerate(("second", "third"), start=1):
        Sheet.objects.create(graph=nba, key=name, name=name.title(), position=number)
    return nba


def order(graph: Graph) -> list[str]:
    return list(Sheet.objects.filter(graph=graph).values_list("key", flat=True))


def test_a_new_sheet_gets_a_key_of_its_name_and_stands_last(nba: Graph) -> None:
    planned = one(nba, "create_sheet", name="Error paths")
    assert planned.operations == (Create(Ref("sheet", "error-paths"), {"name": "Error paths", "position": 1}),)
    applied = done(nba, planned)
    assert order(nba) == ["main", "error-paths"]
    undone(nba, applied)
    assert order(nba) == ["main"]


def test_keys_of_sheets_are_free_and_a_given_one_is_the_only_one(nba: Graph) -> None:
    planned = plan(nba, ("create_sheet", {"name": "Main"}), ("create_sheet", {"name": "日本"}))
    assert [each.item.key for each in planned.operations] == ["main-2", "sheet"]
    assert "already" in refused(nba, "create_sheet", name="x", key="main")


def test_a_new_sheet_may_be_used_by_the_same_batch(nba: Graph) -> None:
    node = {"typeKey": "html", "sheet": "errors", "posX": 0, "posY": 0, "key": "page"}
    done(nba, plan(nba, ("create_sheet", {"name": "Errors", "key": "errors"}), ("create_node", node)))
    assert Node.objects.get(graph=nba, key="page").sheet.key == "errors"


def test_a_sheet_gets_another_name(nba: Graph) -> None:
    applied = done(nba, one(nba, "update_sheet", sheetKey="main", name="All"))
    sheet = Sheet.objects.get(graph=nba)
    assert (sheet.name, sheet.version) == ("All", 2)
    undone(nba, applied)
    assert Sheet.objects.get(graph=nba).name == "Main"


@pytest.mark.parametrize(
    ("key", "position", "expected"),
    [
        ("third", 0, ["third", "main", "second"]),
        ("main", 1, ["second", "main", "third"]),
        ("main", 4_999, ["second", "third", "main"]),
    ],
)
def test_a_sheet_is_put_among_the_others(three: Graph, key: str, position: int, expected: list[str]) -> None:
    before = order(three)
    applied = done(three, one(three, "update_sheet", sheetKey=key, position=position))
    assert order(three) == expected
    undone(three, applied)
    assert order(three) == before


def test_nothing_is_numbered_anew_without_need(three: Graph) -> None:
    planned = one(three, "update_sheet", sheetKey="third", position=1)
    assert planned.operations == (
        Update(Ref("sheet", "third"), {"position": 2}, {"position": 1}),
        Update(Ref("sheet", "second"), {"position": 1}, {"position": 2}),
    )


def test_sheets_are_numbered_once_however_many_are_put_to_places(three: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    Sheet.objects.bulk_create([Sheet(graph=three, key=f"s{n}", name="S", position=n) for n in range(3, 300)])
    numbered = 0
    real = GraphPlan.change

    def change(plan: GraphPlan, *args: Any) -> None:
        nonlocal numbered
        numbered += 1
        real(plan, *args)

    monkeypatch.setattr(GraphPlan, "change", change)
    moves = [("update_sheet", {"sheetKey": f"s{n}", "position": 0}) for n in range(280, 300)]
    done(three, plan(three, *moves))
    assert numbered == 300
    assert order(three)[:21] == [*(f"s{n}" for n in range(299, 279, -1)), "main"]


def test_places_sheets_come_and_go_in_one_batch(three: Graph) -> None:
    planned = plan(
        three,
        ("create_sheet", {"name": "First", "position": 0}),
        ("update_sheet", {"sheetKey": "third", "position": 1}),
        ("create_sheet", {"name": "Last"}),
        ("delete_sheet", {"sheetKey": "main"}),
        ("update_sheet", {"sheetKey": "last", "position": 2}),
    )
    applied = done(three, planned)
    assert order(three) == ["first", "third", "last", "second"]
    assert list(Sheet.objects.filter(graph=three).values_list("position", flat=True)) == [0, 1, 2, 3]
    undone(three, applied)
    assert order(three) == ["main", "second", "third"]


def test_an_empty_sheet_is_deleted_and_the_last_one_stays(three: Graph) -> None:
    done(three, plan(three, ("delete_sheet", {"sheetKey": "second"}), ("delete_sheet", {"sheetKey": "third"})))
    assert order(three) == ["main"]
    assert "only sheet" in refused(three, "delete_sheet", sheetKey="main")
    assert "no sheet" in refused(three, "delete_sheet", sheetKey="third")


def test_a_sheet_goes_with_its_nodes_and_their_edges_each_by_an_operation_of_its_own(three: Graph) -> None:
    """An edge that only stands on it goes to the sheet of its source."""
    Node.objects.filter(graph=three, key="return").update(sheet=Sheet.objects.get(graph=three, key="second"))
    done(three, one(three, "create_node", typeKey="html", sheet="main", posX=0, posY=0, key="page"))
    Edge.objects.create(
        graph=three, key="stray", sheet=Sheet.objects.get(graph=three, key="second"),
        source=Node.objects.get(graph=three, key="root"), target=Node.objects.get(graph=three, key="page"),
    )  # fmt: skip
    before = without_versions(three)
    planned = one(three, "delete_sheet", sheetKey="second")
    assert shown(planned.operations) == [
        ("delete", "edge", "fetch-api-return"),
        ("delete", "node", "return"),
        ("update", "edge", "stray"),
        ("delete", "sheet", "second"),
    ]
    applied = done(three, planned)
    assert order(three) == ["main", "third"]
    assert Edge.objects.get(graph=three, key="stray").sheet.key == "main"
    undone(three, applied)
    assert without_versions(three) == before


def test_what_moved_away_in_the_same_batch_stays(three: Graph) -> None:
    away = ("move_node", {"nodeKey": "root", "posX": 0, "posY": 0, "sheet": "third"})
    planned = plan(three, away, ("delete_sheet", {"sheetKey": "main"}))
    done(three, planned)
    assert list(Node.objects.filter(graph=three).values_list("key", flat=True)) == ["root"]
    assert isinstance(planned.operations[-1], Delete)


def test_a_sheet_goes_however_much_stands_on_it(three: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what somebody asked for beside it is counted."""
    monkeypatch.setattr(object_plan, "MAX_OPERATIONS", 1)
    before = without_versions(three)
    applied = done(three, one(three, "delete_sheet", sheetKey="main"))
    assert not Node.objects.filter(graph=three).exists()
    undone(three, applied)
    assert without_versions(three) == before
    with pytest.raises(ChangeRefused, match="2 items would change; at most 1"):
        plan(three, *(("update_sheet", {"sheetKey": key, "name": "x"}) for key in ("second", "third")))
    with pytest.raises(ChangeRefused, match="2 items would change; at most 1"):
        plan(three, ("delete_sheet", {"sheetKey": "main"}), ("update_sheet", {"sheetKey": "third", "name": "x"}))


def test_there_are_at_most_so_many_sheets(nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_SHEETS", 1)
    assert "at most 1 sheets" in refused(nba, "create_sheet", name="x")


@pytest.mark.parametrize(
    "arguments",
    [
        {"sheetKey": "main"},
        {"sheetKey": "main", "name": ""},
        {"sheetKey": "main", "name": "x" * 201},
        {"sheetKey": "main", "position": -1},
        {"sheetKey": "main", "position": 5_000},
        {"sheetKey": "main", "position": True},
    ],
)
def test_what_no_sheet_can_be_is_refused(nba: Graph, arguments: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        one(nba, "update_sheet", **arguments)
