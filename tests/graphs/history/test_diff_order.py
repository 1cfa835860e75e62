"""A diff of several objects stands in the order of what holds what, and of titles."""

import pytest

from graphs.history.diff_order import below_holders
from graphs.history.diffs import diff_of
from graphs.objects.operations import Create, Delete, Operation, Update
from graphs.objects.refs import Ref


def use_case(key: str, name: str, folder: str | None) -> tuple[Ref, dict[str, object]]:
    return Ref("usecase", key), {"data.name": name, "parent": folder}


COMPANY = Ref("company", "c"), {"name": "Northwind"}
FOLDERS = [
    (Ref("folder", "1"), {"name": "Warehouse", "parent": "c"}),
    (Ref("folder", "2"), {"name": "office", "parent": "c"}),
]
USE_CASES = [use_case("7", "sorting", "1"), use_case("8", "Picking", "1"), use_case("9", "Alarms", "2")]
ELSEWHERE = use_case("0", "Elsewhere", "3")


def named(operations: list[Operation]) -> list[str]:
    return [entry["label"] for entry in below_holders(diff_of(operations), operations)]


@pytest.mark.parametrize("of", [Create, Delete])
def test_what_is_held_stands_below_its_holder_by_title(of: type[Create | Delete]) -> None:
    operations: list[Operation] = [of(*each) for each in (ELSEWHERE, *USE_CASES, *FOLDERS, COMPANY)]
    assert named(operations) == [
        "Elsewhere", "Northwind", "office", "Alarms", "Warehouse", "Picking", "sorting",
    ]  # fmt: skip


def test_what_changes_keeps_its_place_and_has_below_it_what_goes() -> None:
    changed = [Update(ref, {"name": fields["name"]}, {"name": "Store"}) for ref, fields in FOLDERS]
    operations: list[Operation] = [Delete(*USE_CASES[0]), *changed, Delete(*USE_CASES[1])]
    assert named(operations) == ["Warehouse", "Picking", "sorting", "office"]


def test_nothing_is_lost_of_what_other_code_put_in_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    holders = {Ref("folder", "1"): Ref("folder", "2"), Ref("folder", "2"): Ref("folder", "1")}
    monkeypatch.setattr("graphs.history.diff_order._holder", lambda operation: holders[operation.item])
    operations: list[Operation] = [Delete(*each) for each in FOLDERS]
    assert sorted(named(operations)) == ["Warehouse", "office"]


def test_parts_of_two_graphs_with_one_key_are_two() -> None:
    operations: list[Operation] = [Delete(Ref("node", "a"), {"name": name}) for name in ("Fetch", "Get")]
    assert named(operations) == ["Fetch", "Get"]
