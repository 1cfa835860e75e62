from typing import Any

import pytest
from pydantic import ValidationError

from graphs.objects.actions import Batch, UnknownAction, mistakes, parse
from graphs.workflows.actions import ACTIONS, PROPOSABLE

NODE = {"typeKey": "html", "sheet": "main", "posX": 0, "posY": 0}
NESTED: Any = {}
for _level in range(200):
    NESTED = {"in": NESTED}


def refusal(name: str, **arguments: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        parse(name, arguments)
    return mistakes(refused.value)


def test_people_may_ask_for_what_models_may_and_more() -> None:
    by_hand = {"replace_data", "update_edge", "delete_node_type", "update_graph", "delete_graph"}
    assert set(ACTIONS) - set(PROPOSABLE) == by_hand


def test_an_unknown_action_is_told_apart() -> None:
    with pytest.raises(UnknownAction):
        parse("drop_table", {})


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("delete_node", {"nodeKey": "a", "force": True}, "'force'"),
        ("delete_node", {"node_key": "a"}, "'node_key'"),
        ("delete_node", {"nodeKey": "x" * 101}, "'nodeKey': String should have at most 100 characters."),
        ("configure_node_type", {"mode": "create", "displayName": ""}, "String should have at least 1 character."),
        ("delete_node", {"nodeKey": "a\0"}, "NUL"),
        ("move_node", {"nodeKey": "a", "posX": "5", "posY": 0}, "'posX'"),
        ("move_node", {"nodeKey": "a", "posX": 1e8, "posY": 0}, "'posX'"),
        ("move_node", {"nodeKey": "a", "posX": float("nan"), "posY": 0}, "'posX'"),
        ("create_node", {**NODE, "key": "two words"}, "no spaces"),
        ("create_node", {**NODE, "key": "a\u202eb"}, "invisible"),
        ("create_node", {**NODE, "data": [1]}, "'data'"),
        ("create_node", {**NODE, "data": {"a": float("inf")}}, "finite"),
        ("create_node", {**NODE, "data": {"a": "\ud800"}}, "surrogate"),
        ("create_node", {**NODE, "data": NESTED}, "nested"),
        ("create_node", {**NODE, "data": {"a": "x" * 1_000_000}}, "longer"),
        ("create_node", {**NODE, "handles": {"X": []}}, "'handles.X'"),
        ("create_node", {**NODE, "handles": {"R": [{"id": "a", "type": "both"}]}}, "'handles.R.0.type'"),
        ("create_node", {**NODE, "handles": {"R": [{"id": "a", "type": "out"}] * 2}}, "same id"),
        ("update_node", {"nodeKey": "a", "updates": {}}, "at least one"),
        ("update_node", {"nodeKey": "a", "updates": {"name": None}}, "at least one"),
        ("update_node", {"nodeKey": "a", "updates": {"width": 0}}, "'updates.width'"),
        (
            "update_node",
            {"nodeKey": "a", "updates": {"process": "", "processPatches": [{"search": "a", "replace": ""}]}},
            "either",
        ),
        ("update_node", {"nodeKey": "a", "updates": {"processPatches": [{"search": "", "replace": ""}]}}, "search"),
        ("create_node_with_edges", {"typeKey": "html", "sheet": "main", "edges": []}, "'edges'"),
        ("configure_node_type", {"mode": "create"}, "displayName"),
        ("configure_node_type", {"mode": "update", "displayName": "A"}, "typeKey"),
        ("configure_node_type", {"mode": "delete", "typeKey": "a"}, "'mode'"),
        ("reorganize_layout", {"strategy": "random"}, "'strategy'"),
        ("batch", {"actions": []}, "'actions'"),
        ("batch", {"actions": [{"tool": "propose_batch", "arguments": {}}]}, "a batch knows"),
        ("batch", {"actions": [{"tool": "propose_delete_node_type", "arguments": {"typeKey": "a"}}]}, "a batch knows"),
        ("batch", {"actions": [{"tool": "propose_delete_node", "arguments": {"nodeKey": 5}}]}, "'nodeKey'"),
        ("batch", {"actions": [{"tool": "delete_node", "arguments": {"nodeKey": "a"}}] * 1_001}, "1000"),
    ],
)
def test_what_does_not_fit_is_named(name: str, arguments: dict[str, Any], told: str) -> None:
    message = refusal(name, **arguments)
    assert told in message
    assert len(message) < 2_000


def test_a_batch_takes_tools_with_and_without_their_prefix_and_reasons() -> None:
    steps = [("propose_delete_node", {"nodeKey": "a", "reason": "old"}), ("delete_edge", {"edgeKey": "b"})]
    batch = parse("batch", {"actions": [{"tool": tool, "arguments": arguments} for tool, arguments in steps]})
    assert isinstance(batch, Batch)
    assert batch.steps() == (parse("delete_node", {"nodeKey": "a"}), parse("delete_edge", {"edgeKey": "b"}))


def test_numbers_are_as_the_database_will_give_them_back() -> None:
    node: Any = parse("create_node", {**NODE, "posX": -0.0, "data": {"big": 1e23, "zero": -0.0, "one": 1.0}})
    assert repr(node.data) == "{'big': 99999999999999991611392, 'zero': 0.0, 'one': 1.0}"
    assert repr(node.pos_x) == "0.0"
