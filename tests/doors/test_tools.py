"""Every tool of a model, with keys of its own graph, of another workspace, of deleted rows and of nothing."""

import json
import re
from typing import Any

import pytest

from chat.models import Call, Message, Session, Stream, Summary
from chat.prompts.round_messages import round_of
from chat.providers.base import Reply
from chat.subjects import tools
from chat.subjects.tools import CallRefused, ParsedCall
from chat.tools.base import ToolContext
from graphs.models import Edge, Node, NodeType, Sheet
from graphs.objects import planning
from graphs.objects.actions import ChangeRefused
from graphs.site.access import member_of
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
    "read_tool_result": [{"callId": "{call}"}, {"callId": "{call}", "path": "/nodes", "offset": 1}],
    "read_earlier_messages": [{}, {"message": 1}],
    "read_object": [{"object": "nodeType:{type}"}, {"object": "graph:{graph}", "fields": ["name"]}],
    "list_objects": [{"kind": "nodeType", "search": "{secret}"}, {"kind": "nodeType"}],
    "search_objects": [{"query": "{secret}"}, {"query": "{secret}", "kinds": ["nodeType"]}],
    "read_history": [{"object": "nodeType:{type}"}, {"object": "graph:{graph}", "field": "name"}],
    "propose_create_node": [
        {"typeKey": "{type}", "sheet": "{sheet}", "posX": 0, "posY": 0, "reason": "r"},
        {"typeKey": "html", "sheet": "{sheet}", "posX": 0, "posY": 0, "reason": "r"},
    ],
    "propose_update_node": [{"nodeKey": "{node}", "updates": {"process": "new"}, "reason": "r"}],
    "propose_move_node": [
        {"nodeKey": "{node}", "posX": 5, "posY": 5, "reason": "r"},
        {"nodeKey": "start", "posX": 5, "posY": 5, "sheet": "{sheet}", "reason": "r"},
    ],
    "propose_delete_node": [{"nodeKey": "{node}", "reason": "r"}],
    "propose_create_edge": [
        {"sourceKey": "start", "sourceHandle": "", "targetKey": "{node}", "targetHandle": "", "reason": "r"}
    ],
    "propose_delete_edge": [{"edgeKey": "{edge}", "reason": "r"}],
    "propose_create_node_with_edges": [
        {
            "typeKey": "html", "sheet": "{sheet}", "reason": "r",
            "edges": [{"direction": "out", "handle": "R-0", "otherKey": "{node}", "otherHandle": ""}],
        }
    ],
    "propose_batch": [
        {"actions": [{"tool": "propose_delete_node", "arguments": {"nodeKey": "{node}"}}], "reason": "r"}
    ],
    "propose_configure_node_type": [{"mode": "update", "typeKey": "{type}", "icon": "new", "reason": "r"}],
    "propose_reorganize_layout": [
        {"nodeKeys": ["start", "{node}"], "reason": "r"}, {"sheet": "{sheet}", "reason": "r"}
    ],
    "propose_update_object": [{"object": "nodeType:{type}", "updates": {"icon": "new"}, "reason": "r"}],
    "propose_create_object": [
        {"kind": "nodeType", "fields": {"displayName": "New"}, "key": "{type}", "reason": "r"}
    ],
    "propose_delete_object": [{"object": "nodeType:{type}", "reason": "r"}],
    "propose_move_object": [{"object": "nodeType:{type}", "parent": "graph:demo", "reason": "r"}],
}  # fmt: skip
KINDS = ("own", "foreign", "deleted", "random")


def test_every_tool_has_a_rule() -> None:
    assert set(CALLS) == set(tools.by_name())


@pytest.fixture
def context(everybody: World) -> ToolContext:
    """Graphs of both workspaces with rows that only they have; some of one's own were deleted."""
    for slug in ("demo", "other"):
        graph = everybody.graphs[slug]
        kinds = ("own", "deleted") if slug == "demo" else ("foreign",)
        for kind in kinds:
            sheet = Sheet.objects.create(graph=graph, key=_key("sheet", kind), name=canary(slug))
            node = Node.objects.create(graph=graph, sheet=sheet, key=_key("node", kind), name=canary(slug), type="step")
            Edge.objects.create(graph=graph, sheet=sheet, key=_key("edge", kind), source=node, target=node)
            NodeType.objects.create(workspace=graph.workspace, key=_key("type", kind), display_name=canary(slug))
    Node.objects.filter(key=_key("node", "deleted")).delete()
    Sheet.objects.filter(key=_key("sheet", "deleted")).delete()
    NodeType.objects.filter(key=_key("type", "deleted")).delete()
    sessions = {slug: _conversation(everybody, slug) for slug in ("demo", "other")}
    member = member_of(everybody.users["viewer"])
    return ToolContext(member, everybody.graphs["demo"], sessions["demo"].pk)


def _conversation(everybody: World, slug: str) -> Session:
    """With an answer that called a tool."""
    stream = Stream.objects.create(name=f"tools-{slug}", workspace=everybody.workspaces[slug])
    owner = everybody.users["viewer" if slug == "demo" else "stranger"]
    session = Session.objects.create(workspace=stream.workspace, owner=owner, stream=stream)
    call_id = _key("call", "own" if slug == "demo" else "foreign")
    rounds = [round_of(Reply(), [Call(call_id, "x", {}, {"nodes": [canary(slug), "b"]}, "ok", "{}")])]
    Message.objects.create(session=session, sequence=1, role=Message.Role.ASSISTANT, rounds=rounds)
    Summary.objects.create(session=session, sequence=2, content=canary(slug), tokens_before=2, tokens_after=1)
    return session


def _key(what: str, kind: str) -> str:
    return f"{what}-{kind:>8}".replace(" ", "-")


def test_foreign_keys_are_answered_as_keys_of_nothing(everybody: World, context: ToolContext) -> None:
    for name, calls in CALLS.items():
        for arguments in calls:
            results = {kind: _result(name, arguments, kind, context) for kind in KINDS}
            assert results["foreign"] == results["deleted"] == results["random"], (name, arguments, results)
            assert canary("other") not in str(results), (name, arguments)
            keys = str(list(arguments.values()))
            if "{" in keys and "{secret}" not in keys:
                assert results["own"] != results["random"], (name, arguments)


def _result(name: str, arguments: dict[str, Any], kind: str, context: ToolContext) -> str:
    keys = {what: _key(what, kind) for what in ("node", "sheet", "type", "edge", "call")}
    keys["graph"] = context.about.key if kind == "own" else _key("graph", kind)
    keys["secret"] = {"own": "canarydemo", "foreign": "canaryother"}.get(kind, "canarynever")
    call = tools.parse(name, _filled(arguments, keys), tools.by_name())
    assert not isinstance(call, CallRefused), call
    text = str(_planned(call, context) if call.tool.kind == "write" else tools.run(call, context))
    for value in keys.values():
        text = text.replace(value, "KEY")
    # Which keys of one's own are alike depends on the text that was asked for.
    return re.sub(r" Perhaps you mean: [^.]*\.", "", text)


def _planned(call: ParsedCall, context: ToolContext) -> Any:
    """What a proposal would be computed from."""
    try:
        return planning.plan(context.about, [call.tool.write("call", call.arguments).action], member=context.member)
    except ChangeRefused as refused:
        return refused


def _filled(arguments: dict[str, Any], keys: dict[str, str]) -> str:
    text = json.dumps(arguments)
    for what, key in keys.items():
        text = text.replace(f"{{{what}}}", key)
    return text
