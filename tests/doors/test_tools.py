"""Every tool of a model, with keys of its own graph, of another workspace, of deleted rows and of nothing."""

import json
from typing import Any

import pytest

from chat.tools import registry
from chat.tools.base import ToolContext
from chat.tools.registry import TOOLS, CallRefused
from graphs.access import member_of
from graphs.models import Node, NodeType, Sheet
from tests.doors.world import World, canary

#: Arguments of every tool; `{node}`, `{sheet}`, `{type}` and `{graph}` stand for keys.
CALLS: dict[str, list[dict[str, Any]]] = {
    "read_graph_overview": [{"graphKey": "{graph}"}],
    "search_nodes": [{"query": "{node}"}, {"query": "Node", "sheetId": "{sheet}"}, {"query": "{secret}"}],
    "explore_neighborhood": [{"nodeKey": "{node}"}],
    "read_node_detail": [{"nodeKey": "{node}"}, {"nodeKey": "{node}", "field": "data"}],
    "read_node_config": [{"typeKey": "{type}"}],
    "list_available_node_types": [{}],
    "list_node_edges": [{"nodeKey": "{node}"}],
    "read_subgraph": [{"nodeKeys": ["{node}"]}, {"nodeKeys": ["start", "{node}"], "includeTypes": True}],
}
KINDS = ("own", "foreign", "deleted", "random")


def test_every_tool_has_a_rule() -> None:
    assert set(CALLS) == set(TOOLS)


@pytest.fixture
def context(everybody: World) -> ToolContext:
    """Graphs of both workspaces with rows that only they have; some of one's own were deleted."""
    for slug in ("demo", "other"):
        graph = everybody.graphs[slug]
        kinds = ("own", "deleted") if slug == "demo" else ("foreign",)
        for kind in kinds:
            sheet = Sheet.objects.create(graph=graph, key=_key("sheet", kind), name=canary(slug))
            Node.objects.create(graph=graph, sheet=sheet, key=_key("node", kind), name=canary(slug), type="step")
            NodeType.objects.create(workspace=graph.workspace, key=_key("type", kind), display_name=canary(slug))
    Node.objects.filter(key=_key("node", "deleted")).delete()
    Sheet.objects.filter(key=_key("sheet", "deleted")).delete()
    NodeType.objects.filter(key=_key("type", "deleted")).delete()
    member = member_of(everybody.users["viewer"])
    return ToolContext(member, everybody.graphs["demo"])


def _key(what: str, kind: str) -> str:
    return f"{what}-{kind:>8}".replace(" ", "-")


def test_foreign_keys_are_answered_as_keys_of_nothing(everybody: World, context: ToolContext) -> None:
    for name, calls in CALLS.items():
        for arguments in calls:
            results = {kind: _result(name, arguments, kind, context) for kind in KINDS}
            assert results["foreign"] == results["deleted"] == results["random"], (name, arguments, results)
            assert canary("other") not in str(results), (name, arguments)
            if "{" in str(arguments) and "{secret}" not in str(arguments):
                assert results["own"] != results["random"], (name, arguments)


def _result(name: str, arguments: dict[str, Any], kind: str, context: ToolContext) -> str:
    keys = {what: _key(what, kind) for what in ("node", "sheet", "type")}
    keys["graph"] = context.graph.key if kind == "own" else _key("graph", kind)
    keys["secret"] = {"own": "canarydemo", "foreign": "canaryother"}.get(kind, "canarynever")
    call = registry.parse(name, _filled(arguments, keys))
    assert not isinstance(call, CallRefused), call
    text = str(registry.run(call, context))
    for value in keys.values():
        text = text.replace(value, "KEY")
    return text


def _filled(arguments: dict[str, Any], keys: dict[str, str]) -> str:
    text = json.dumps(arguments)
    for what, key in keys.items():
        text = text.replace(f"{{{what}}}", key)
    return text
