import json
from typing import Any

import pytest

from chat.proposals import WriteCall
from chat.subjects import tools
from chat.subjects.graphs.subject import WRITE_TOOLS
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import CallRefused, ParsedCall, parse, specs
from chat.tools.proposing import WriteTool
from chat.tools.tool import ReadTool
from graphs.models import Role
from graphs.objects import actions

SAID = {"reason": "because", "requestValidation": True, "postText": "Done.", "keepControl": False}
NODE = {"typeKey": "html", "sheet": "main", "posX": 1, "posY": 2}
#: The arguments of INTERFACE, by tool.
INTERFACE = {
    "propose_create_node": "typeKey sheet posX posY name process handles data",
    "propose_update_node": "nodeKey updates",
    "propose_move_node": "nodeKey posX posY sheet",
    "propose_delete_node": "nodeKey",
    "propose_create_edge": "sourceKey sourceHandle targetKey targetHandle sheet label",
    "propose_delete_edge": "edgeKey",
    "propose_create_node_with_edges": "typeKey sheet posX posY name process data edges",
    "propose_batch": "actions",
    "propose_configure_node_type": "mode typeKey displayName description category icon handles process processPatches",
    "propose_reorganize_layout": "nodeKeys sheet strategy",
}


def written(name: str, /, **arguments: Any) -> WriteCall:
    found = parse(name, json.dumps(arguments), tools.by_name())
    assert isinstance(found, ParsedCall), found
    assert isinstance(found.tool, WriteTool)
    return found.tool.write("call-1", found.arguments)


def refusal(name: str, /, **arguments: Any) -> str:
    found = parse(name, json.dumps(arguments), tools.by_name())
    assert isinstance(found, CallRefused)
    return found.message


def test_editors_are_offered_the_write_tools_and_viewers_are_not() -> None:
    for role in (Role.EDITOR, Role.ADMIN):
        offered = {spec.name: spec.parameters for spec in specs(role, subject_of("graph"))}
        assert INTERFACE.keys() <= offered.keys()
        for name, arguments in INTERFACE.items():
            assert {*arguments.split(), *SAID} <= offered[name]["properties"].keys()
            assert "reason" in offered[name]["required"]
    assert not any(spec.name.startswith("propose_") for spec in specs(Role.VIEWER, subject_of("graph")))


def test_a_tool_that_was_not_offered_is_unknown() -> None:
    offered = [spec.name for spec in specs(Role.VIEWER, subject_of("graph"))]
    found = parse("propose_delete_node", json.dumps({"nodeKey": "root", **SAID}), offered)
    assert isinstance(found, CallRefused)
    assert found.message.count("propose_") == 1


def test_a_call_gives_the_action_and_what_was_said_of_it() -> None:
    found = written("propose_create_node", **NODE, data={"a": None}, name=None, **SAID)
    assert found.action == actions.parse("create_node", {**NODE, "data": {"a": None}})
    assert actions.parse("create_node", found.arguments) == found.action
    assert found.arguments["data"] == {"a": None}
    assert (found.id, found.tool) == ("call-1", "propose_create_node")
    assert (found.reason, found.request_validation) == ("because", True)
    short = written("propose_delete_node", nodeKey="root", reason="because")
    assert short.arguments == {"nodeKey": "root"}
    assert short.request_validation is False


def test_a_batch_gives_all_its_actions() -> None:
    steps = [{"tool": "propose_delete_node", "arguments": {"nodeKey": "root", "reason": "old"}}]
    found = written("propose_batch", actions=steps, reason="because")
    assert found.arguments == {"actions": steps}
    assert isinstance(found.action, actions.Batch)
    assert found.action.steps() == (actions.parse("delete_node", {"nodeKey": "root"}),)


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("propose_delete_node", {"nodeKey": "root"}, "'reason'"),
        ("propose_delete_node", {"nodeKey": "root", "reason": ""}, "'reason'"),
        ("propose_delete_node", {"nodeKey": "root", "reason": "x", "approved": True}, "'approved'"),
        ("propose_delete_node", {"nodeKey": "root", "reason": "x", "keepControl": "no"}, "'keepControl'"),
        ("propose_update_node", {"nodeKey": "root", "reason": "x", "updates": {"key": "y"}}, "'updates.key'"),
        (
            "propose_batch",
            {"reason": "x", "actions": [{"tool": "propose_update_edge", "arguments": {}}]},
            "a batch knows",
        ),
    ],
)
def test_what_does_not_fit_is_told(name: str, arguments: dict[str, Any], told: str) -> None:
    assert told in refusal(name, **arguments)


@pytest.mark.parametrize("tool", WRITE_TOOLS, ids=lambda tool: tool.name)
def test_no_write_tool_can_be_run(tool: WriteTool) -> None:
    assert not isinstance(tool, ReadTool)
    assert not hasattr(tool, "run")


def test_the_tools_are_described_in_few_words() -> None:
    assert len(json.dumps([spec.parameters for spec in specs(Role.EDITOR, subject_of("graph"))])) < 14_500
    assert specs(Role.EDITOR, subject_of("graph"))[0].name == "read_graph_overview"


def test_what_they_do_not_say_is_checked_all_the_same() -> None:
    """Schemas leave out lengths and tell the four sides of a node once; whoever goes beyond is told so."""
    handles = specs_of("propose_create_node")["properties"]["handles"]
    assert handles["description"].endswith("Keys: R, L, T, B.")
    assert handles["additionalProperties"]["items"]["required"] == ["id", "type"]
    said = {**NODE, "reason": "x"}
    assert "'handles.X'" in refusal("propose_create_node", **said, handles={"X": []})
    assert "'handles.R.0.type'" in refusal("propose_create_node", **said, handles={"R": [{"id": "a", "type": "up"}]})
    assert "'name'" in refusal("propose_create_node", **said, name="n" * 10_000)
    assert "'posX'" in refusal("propose_create_node", **{**said, "posX": 1e300})


def test_bounds_that_mean_something_are_told() -> None:
    depth = specs_of("explore_neighborhood")["properties"]["maxDepth"]
    assert {"minimum", "maximum"} <= depth.keys()


def specs_of(name: str) -> dict[str, Any]:
    return next(spec.parameters for spec in specs(Role.EDITOR, subject_of("graph")) if spec.name == name)
