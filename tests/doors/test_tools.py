"""Every tool of a model, with keys of its own graph, of another workspace, of deleted rows and of nothing."""

import json
import re
from typing import Any

import pytest
from django.db import transaction

from chat.models import Call, Message, Session, Stream, Summary
from chat.prompts.round_messages import round_of
from chat.proposals import propose
from chat.providers.pieces import Reply
from chat.subjects import tools
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import CallRefused, ParsedCall
from chat.tools.tool import ToolContext
from graphs.models import Edge, Node, NodeType, Sheet
from graphs.objects import planning
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.access import member_of
from tests.doors.rules import TITLES
from tests.doors.world import OBJECT_TYPES, Id, World, canary

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
    "load_object_tools": [{}],
    "read_tool_result": [{"callId": "{call}"}, {"callId": "{call}", "path": "/nodes", "offset": 1}],
    "read_earlier_messages": [{}, {"message": 1}],
    "search_conversations": [{"query": "{secret}"}, {"query": "{secret}", "period": "7d"}],
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
    "propose_create_sheet": [{"name": "More", "key": "{sheet}", "reason": "r"}],
    "propose_update_sheet": [{"sheetKey": "{sheet}", "name": "Other", "reason": "r"}],
    "propose_delete_sheet": [{"sheetKey": "{sheet}", "reason": "r"}],
    # Whether a key that is unique in the whole table is taken, its table tells; nobody guesses a UUID.
    "propose_create_object": [
        {"kind": "nodeType", "fields": {"displayName": "New"}, "key": "{type}", "reason": "r"}
    ],
}  # fmt: skip
#: Arguments of the tools of objects of any kind; `{object}` and `{holder}` stand for names of objects.
OF_OBJECTS: dict[str, list[dict[str, Any]]] = {
    "read_object": [{"object": "{object}"}, {"object": "{object}", "fields": ["{title}"]}],
    "list_objects": [{"kind": "{kind}", "search": "{secret}"}, {"kind": "{kind}"}],
    "search_objects": [{"query": "{secret}"}, {"query": "{secret}", "kinds": ["{kind}"]}],
    "read_history": [{"object": "{object}"}, {"object": "{object}", "field": "{title}"}],
    "compare_versions": [{"object": "{object}", "a": 1, "b": 1}],
    "search_conversations": [{"query": "{secret}", "object": "{object}"}],
    "generate": [{"prompt": "company_info", "object": "{object}"}],
    "propose_update_object": [{"object": "{object}", "updates": {"{title}": "new"}, "reason": "r"}],
    "propose_create_object": [
        {"kind": "product", "fields": {"name": "New"}, "parent": "{holder}", "reason": "r"},
    ],
    "propose_delete_object": [{"object": "{object}", "reason": "r"}],
    "propose_move_object": [
        {"object": "{object}", "parent": "{own holder}", "reason": "r"},
        {"object": "{own product}", "parent": "{holder}", "reason": "r"},
    ],
    "propose_batch": [
        {"actions": [{"tool": "propose_delete_object", "arguments": {"object": "{object}"}}], "reason": "r"}
    ],
}  # fmt: skip
KINDS: tuple[Id, ...] = ("own", "foreign", "deleted", "random")
SECRETS = {"own": "canarydemo", "foreign": "canaryother"}


def test_every_tool_has_a_rule() -> None:
    assert CALLS.keys() | OF_OBJECTS.keys() == tools.by_name().keys()


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
    Message.objects.create(
        session=session, sequence=1, role=Message.Role.ASSISTANT, content=canary(slug), rounds=rounds
    )
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
    keys["secret"] = SECRETS.get(kind, "canarynever")
    return _without(_answer(name, arguments, keys, context), *keys.values())


@pytest.mark.parametrize("type_", ["nodeType", "product"])
def test_names_of_foreign_objects_are_answered_as_names_of_nothing(
    everybody: World, context: ToolContext, type_: str
) -> None:
    ids, holders = everybody.ids("viewer", type_), everybody.ids("viewer", "shop")
    own = {
        "own holder": f"shop:{holders['own']}",
        "own product": f"product:{everybody.ids('viewer', 'product')['own']}",
    }
    common = {**own, "kind": type_, "title": TITLES[type_]}
    for name, calls in OF_OBJECTS.items():
        for arguments in calls:
            results = {}
            for kind in KINDS:
                named = {"object": f"{type_}:{ids[kind]}", "holder": f"shop:{holders[kind]}"}
                named["secret"] = SECRETS.get(kind, "canarynever")
                results[kind] = _without(_answer(name, arguments, common | named, context), *named.values())
            assert results["foreign"] == results["deleted"] == results["random"], (name, arguments, results)
            assert canary("other") not in str(results), (name, arguments)
            assert results["own"] != results["random"] or arguments == {"kind": "{kind}"}, (name, arguments)


def test_what_no_kind_is_called_is_no_object(everybody: World, context: ToolContext) -> None:
    """Neither what nobody registered nor a part of a graph; the answer does not depend on the key."""
    for type_, there in (("planet", "1"), ("node", "start"), ("session", str(context.session_id))):
        for name, calls in OF_OBJECTS.items():
            for arguments in calls:
                told = []
                for key in (there, "nowhere"):
                    ref = f"{type_}:{key}"
                    keys = {"object": ref, "holder": ref, "own product": ref, "own holder": ref, "kind": type_}
                    answer = _answer(name, arguments, {**keys, "title": "name", "secret": ref}, context)
                    told.append(_without(answer, ref))
                assert told[0] == told[1], (name, arguments, told)
                assert re.search("There is no|No object has|cannot be created|can be no parent", told[0]), (name, told)


@pytest.mark.parametrize("type_", OBJECT_TYPES)
def test_a_viewer_proposes_nothing(everybody: World, type_: str) -> None:
    """No tool that writes is offered, and one that a model calls all the same changes nothing."""
    viewer, found = member_of(everybody.users["viewer"]), everybody.talks["viewer"]
    ref = Ref(type_, everybody.ids("viewer", type_)["own"])
    offered = {spec.name for spec in tools.specs(viewer.role, subject_of(type_), loaded=True)}
    assert "search_objects" in offered
    assert not [name for name, tool in tools.by_name().items() if tool.writes and name in offered]
    arguments = {"object": str(ref), "updates": {TITLES[type_]: "New"}, "reason": "r"}
    call = tools.parse("propose_update_object", json.dumps(arguments), tools.by_name())
    assert isinstance(call, ParsedCall)
    write = call.tool.write("call", call.arguments)
    with transaction.atomic(), pytest.raises(ChangeRefused, match="may not change this"):
        propose(viewer, found.session, found.run.message, object_for(viewer, ref), write)
    assert not found.session.proposals.exists()


def _answer(name: str, arguments: dict[str, Any], keys: dict[str, str], context: ToolContext) -> str:
    call = tools.parse(name, _filled(arguments, keys), tools.by_name())
    assert not isinstance(call, CallRefused), call
    return str(_planned(call, context) if call.tool.writes else tools.run(call, context))


def _without(text: str, *keys: str) -> str:
    for value in sorted(keys, key=len, reverse=True):
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
