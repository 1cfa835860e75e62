"""How the demo changes a graph: it looks up what the person names, proposes, and tells what was decided.

Called by `demo_steps.py`.
"""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chat.providers.demo_answers import mention
from chat.providers.demo_observations import Edge, Node, Observation, Observations
from chat.providers.demo_requests import Request

#: How far "to the right" is, in pixels.
STEP = 260
_HANDLE = re.compile(r"(\S+) (in|out)\(")
_WAYS = {
    "right": (1, 0), "droite": (1, 0), "left": (-1, 0), "gauche": (-1, 0),
    "down": (0, 1), "bas": (0, 1), "up": (0, -1), "haut": (0, -1),
}  # fmt: skip

Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to propose: `said` names the phrase for it, and `parts` fill that in."""

    tool: str
    arguments: Arguments
    said: str
    parts: dict[str, str]


class NotPossible(Exception):
    """The change cannot be made; its text is the name of the phrase that says why."""


def plans(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    """What to propose for a request whose nodes were read. Raises `NotPossible`."""
    return _PLANS[request.kind](request, nodes, seen)


def _rename(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    name = request.words["name"]
    updates = {"nodeKey": nodes[0].key, "updates": {"name": name}}
    return (Plan("update_node", updates, "propose_rename", {"node": nodes[0].key, "name": name}),)


def _replace(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    patch = {"search": request.words["old"], "replace": request.words.get("new", "")}
    updates = {"nodeKey": nodes[0].key, "updates": {"processPatches": [patch]}}
    return (Plan("update_node", updates, "propose_replace", {"node": nodes[0].key}),)


def _set(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    field, value = request.words["field"], request.words["value"]
    updates = {"nodeKey": nodes[0].key, "updates": {"data": {field: _value(value)}}}
    parts = {"node": nodes[0].key, "field": field, "value": value}
    return (Plan("update_node", updates, "propose_set", parts),)


def _value(text: str) -> Any:
    """Numbers, true and false as such, everything else as text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) and math.isfinite(value) else text


def _move(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    node, words = nodes[0], request.words
    x, y = node.x, node.y
    if "x" in words:
        x, y = float(words["x"]), float(words["y"])
    elif way := _WAYS.get(words.get("way", "").lower()):
        x, y = x + STEP * way[0], y + STEP * way[1]
    sheet = {"sheet": words["sheet"]} if "sheet" in words else {}
    arguments = {"nodeKey": node.key, "posX": x, "posY": y, **sheet}
    return (Plan("move_node", arguments, "propose_move", {"node": node.key}),)


def _delete(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    """One proposal for each, so that they can be decided one by one."""
    return tuple(Plan("delete_node", {"nodeKey": node.key}, "propose_delete", {"node": node.key}) for node in nodes)


def _connect(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    source, target = nodes
    arguments = {
        "sourceKey": source.key,
        "sourceHandle": _handle(source, "out"),
        "targetKey": target.key,
        "targetHandle": _handle(target, "in"),
    }
    return (Plan("create_edge", arguments, "propose_connect", {"node": source.key, "other": target.key}),)


def _disconnect(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    source, target = nodes
    between = [edge for edge in seen.edges() if {edge.source, edge.target} == {source.key, target.key}]
    if not between:
        raise NotPossible("no_edge")
    parts = {"node": source.key, "other": target.key}
    return tuple(Plan("delete_edge", {"edgeKey": edge.key}, "propose_disconnect", parts) for edge in between)


def _insert(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    """A new node on the way into or out of another one, in place of the edges there."""
    node, what = nodes[0], request.words["what"]
    type_key, handles = _type_for(what, seen)
    before = request.words["side"].lower() in {"before", "avant"}
    cut = _edges_in(node, seen) if before else _edges_out(node, seen)
    new: Arguments = {
        "typeKey": type_key,
        "sheet": node.sheet,
        "name": what[:1].upper() + what[1:],
        "edges": _ways_in(node, cut, handles) if before else _ways_out(node, cut, handles),
    }
    actions = [{"tool": "propose_delete_edge", "arguments": {"edgeKey": edge.key}} for edge in cut]
    actions.append({"tool": "propose_create_node_with_edges", "arguments": new})
    said = "propose_before" if before else "propose_after"
    return (Plan("batch", {"actions": actions}, said, {"node": node.key, "name": new["name"]}),)


def _edges_in(node: Node, seen: Observations) -> list[Edge]:
    return [edge for edge in seen.edges() if edge.target == node.key]


def _edges_out(node: Node, seen: Observations) -> list[Edge]:
    """Those that leave by the handle of the first one that is not for errors."""
    leaving = [edge for edge in seen.edges() if edge.source == node.key and not edge.is_for_errors]
    return [edge for edge in leaving if edge.source_handle == leaving[0].source_handle]


def _ways_in(node: Node, cut: Sequence[Edge], handles: tuple[str, str]) -> list[Arguments]:
    entry, leave = handles
    arriving = [_way("in", entry, edge.source, edge.source_handle, edge.label) for edge in cut]
    target = cut[0].target_handle if cut else _handle(node, "in")
    return [*arriving, _way("out", leave, node.key, target)]


def _ways_out(node: Node, cut: Sequence[Edge], handles: tuple[str, str]) -> list[Arguments]:
    entry, leave = handles
    source = cut[0].source_handle if cut else _handle(node, "out")
    arriving = _way("in", entry, node.key, source, cut[0].label if cut else "")
    return [arriving, *(_way("out", leave, edge.target, edge.target_handle) for edge in cut)]


def _way(direction: str, handle: str, other: str, other_handle: str, label: str = "") -> Arguments:
    way = {"direction": direction, "handle": handle, "otherKey": other, "otherHandle": other_handle}
    return way | ({"label": label} if label else {})


def _type_for(what: str, seen: Observations) -> tuple[str, tuple[str, str]]:
    """The type that the words name, else the first one through which data can flow; with its handles in and out."""
    listed = [item for one in seen.called("list_available_node_types") for item in one.objects("types")]
    flowing = []
    for item in listed:
        handles = {direction: handle for handle, direction in reversed(_HANDLE.findall(str(item.get("handles", ""))))}
        if handles.keys() == {"in", "out"}:
            flowing.append((item, (handles["in"], handles["out"])))
    if not flowing:
        raise NotPossible("no_type")
    flowing.sort(key=lambda pair: (what.lower() not in _names(pair[0]), bool(pair[0].get("builtIn"))))
    return str(flowing[0][0].get("key")), flowing[0][1]


def _names(item: Arguments) -> set[str]:
    return {str(item.get("key", "")).lower(), str(item.get("displayName", "")).lower()}


def _handle(node: Node, direction: str) -> str:
    found = [handle for handle, way in _HANDLE.findall(node.handles) if way == direction]
    if not found:
        raise NotPossible(f"no_{direction}")
    return found[0]


def _arrange(request: Request, nodes: Sequence[Node], seen: Observations) -> tuple[Plan, ...]:
    return (Plan("reorganize_layout", {}, "propose_arrange", {}),)


_PLANS: dict[str, Callable[[Request, Sequence[Node], Observations], tuple[Plan, ...]]] = {
    "rename": _rename,
    "replace": _replace,
    "set": _set,
    "move": _move,
    "delete": _delete,
    "connect": _connect,
    "disconnect": _disconnect,
    "insert": _insert,
    "arrange": _arrange,
}


def words_for(made: Sequence[Plan], say: dict[str, str]) -> str:
    """What is proposed, for the answer."""
    lines = [say[plan.said].format(**_mentions(plan.parts)) for plan in made]
    return "\n".join(lines) + f"\n\n{say['waits']}"


def reason_for(plan: Plan, say: dict[str, str]) -> str:
    """The same for the card of the proposal, without links."""
    return say[plan.said].format(**plan.parts)


def _mentions(parts: dict[str, str]) -> dict[str, str]:
    return {name: mention(part) if name in {"node", "other"} else f"“{part}”" for name, part in parts.items()}


def outcome(decided: Sequence[Observation], say: dict[str, str]) -> str:
    """What became of the proposals, exactly as their results say."""
    return "\n\n".join(outcome_of(one.result, one.error, say) for one in decided)


def outcome_of(result: dict[str, Any], error: str, say: dict[str, str]) -> str:
    status = str(result.get("status", ""))
    if f"decided_{status}" not in say:
        return say["decided_refused"].format(error)
    told = say[f"decided_{status}"].format(result.get("changes", 0))
    feedback = str(result.get("feedback", ""))
    return f"{told} {say['feedback'].format(feedback=feedback)}" if feedback else told
