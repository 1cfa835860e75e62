"""What the demo proposes for a change that a person asks for. Called by `answering`."""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from chat.providers.demo.intents import bare, quoted, subject
from chat.providers.demo.lookups import Answered, Call, Item, Lookups, is_for_errors, rows
from chat.providers.demo.phrases import plain
from chat.providers.demo.seen import PROPOSE, Row

#: How far "to the right" is, in pixels.
STEP = 260
_HANDLE = re.compile(r"(\S+) (in|out)\(")
_WAYS = {
    "right": (1, 0), "droite": (1, 0), "left": (-1, 0), "gauche": (-1, 0),
    "down": (0, 1), "bas": (0, 1), "up": (0, -1), "haut": (0, -1),
}  # fmt: skip
#: Fields of a node beside its data, by what people call them.
_NODE_FIELDS = {"name": "name", "nom": "name", "type": "type", "code": "process", "process": "process"}
#: What a node gets whose type has not both.
_THROUGH = {
    "L": [{"id": "L-0", "type": "in", "accept": "any"}],
    "R": [{"id": "R-0", "type": "out", "accept": "any"}],
}
_AND = re.compile(r"\s*,\s*(?:(?:and|et)\s+)?|\s+(?:and|et)\s+")

Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls that make one change; `said` names the phrase for it, and `parts` fill that in."""

    calls: tuple[Call, ...]
    said: str
    parts: dict[str, Item | str]


def plans(looking: Lookups, intent: str, words: Words) -> list[Plan]:
    """What to propose: more than one for what can be decided one by one. Raises as `Lookups` does."""
    if intent == "delete":
        return [_delete(item) for item in looking.items(*_AND.split(words["x"]))]
    return [_PLANS[intent](looking, words)]


def _plan(tool: str, arguments: Row, said: str, **parts: Item | str) -> Plan:
    return Plan((Call(f"{PROPOSE}{tool}", arguments),), said, parts)


def _update(item: Item, change: Row, said: str, **parts: str) -> Plan:
    if item.is_node:
        return _plan("update_node", {"nodeKey": item.key, "updates": change}, said, item=item, **parts)
    return _plan("update_object", {"object": item.key} | change, said, item=item, **parts)


def _rename(looking: Lookups, words: Words) -> Plan:
    item, name = looking.item(words.get("x", "")), quoted(words["name"])
    change = {"name": name} if item.is_node else {"updates": {_title_field(item): name}}
    return _update(item, change, "propose_rename", name=name)


def _title_field(item: Item) -> str:
    """The field of an object that has its title."""
    return next((name for name, value in _fields(item).items() if value == item.title), "name")


def _set(looking: Lookups, words: Words) -> Plan:
    """A new value of a field; of a node one of its data, unless the node itself has one that is called so."""
    item, text = looking.item(words.get("x", "")), quoted(words["value"])
    wanted, known = subject(words.get("field", "description")), _fields(item)
    named = [name for name in known if bare(wanted) in {bare(name), bare(name.rpartition(".")[2])}]
    field = named[0] if named else wanted.replace(" ", "_")
    value = text if isinstance(known.get(field), str) else _value(text)
    change: Row = {"updates": {field: value}}
    if item.is_node:
        own = _NODE_FIELDS.get(wanted.lower())
        change = {own: text} if own else {"data": {field: value}}
    return _update(item, change, "propose_set", field=field, value=text)


def _fields(item: Item) -> Row:
    """The values of an object by the names of their fields; those of the data of a node."""
    if not item.is_node:
        return item.row.get("fields") or {}
    try:
        data = json.loads(item.row.get("data", ""))
    except ValueError:  # there are none, or they were cut
        return {}
    return data if isinstance(data, dict) else {}


def _value(text: str) -> Any:
    """Numbers, true and false as such, everything else as text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) and math.isfinite(value) else text


def _replace(looking: Lookups, words: Words) -> Plan:
    item, patch = looking.item(words["x"]), {"search": quoted(words["old"]), "replace": quoted(words["new"])}
    if item.is_node:
        return _update(item, {"processPatches": [patch]}, "propose_replace")
    fields = [name for name, value in _fields(item).items() if patch["search"] in str(value)]
    if not fields:
        raise Answered(looking.say("no_text", item=item))
    return _update(item, {"patches": [{"path": fields[0], **patch}]}, "propose_replace")


def _move(looking: Lookups, words: Words) -> Plan:
    """To another place or sheet; of an object to another parent."""
    item = looking.item(words["x"])
    if not item.is_node:
        parent = looking.item(words.get("parent", ""))
        arguments = {"object": item.key, "parent": parent.key}
        return _plan("move_object", arguments, "propose_move_to", item=item, other=parent)
    x, y = item.row["position"]["x"], item.row["position"]["y"]
    if "left" in words:
        x, y = float(words["left"]), float(words["top"])
    across, down = _WAYS.get(words.get("way", "").lower(), (0, 0))
    sheet = subject(words.get("sheet") or words.get("parent") or "")
    place = {"posX": x + STEP * across, "posY": y + STEP * down, **({"sheet": sheet} if sheet else {})}
    return _plan("move_node", {"nodeKey": item.key} | place, "propose_move", item=item)


def _delete(item: Item) -> Plan:
    if item.is_node:
        return _plan("delete_node", {"nodeKey": item.key}, "propose_delete_node", item=item)
    return _plan("delete_object", {"object": item.key}, "propose_delete", item=item)


def _connect(looking: Lookups, words: Words) -> Plan:
    source, target = _nodes(looking, words)
    arguments = {
        "sourceKey": source.key,
        "sourceHandle": _handle(looking, source, "out"),
        "targetKey": target.key,
        "targetHandle": _handle(looking, target, "in"),
    }
    return _plan("create_edge", arguments, "propose_connect", item=source, other=target)


def _disconnect(looking: Lookups, words: Words) -> Plan:
    one, other = _nodes(looking, words)
    between = [edge for edge in one.edges if {edge["source"], edge["target"]} == {one.key, other.key}]
    if not between:
        raise Answered(looking.say("no_edge", item=one, other=other))
    return Plan(_cut(between), "propose_disconnect", {"item": one, "other": other})


def _insert(looking: Lookups, words: Words) -> Plan:
    """A new node between two nodes, or before or after one, in place of the edges there."""
    nodes, types = _nodes(looking, words), rows(looking.one("list_available_node_types").get("types"))
    source = nodes[0] if words.get("side") not in ("before", "avant") else None
    target = None if source and len(nodes) == 1 else nodes[-1]
    cut = _edges_between(source, target)
    entering = {(edge["source"], edge["sourceHandle"]): edge["label"] for edge in cut}
    leaving = dict.fromkeys((edge["target"], edge["targetHandle"]) for edge in cut)
    if source and not cut:
        entering = {(source.key, _handle(looking, source, "out")): ""}
    if target and not cut:
        leaving = {(target.key, _handle(looking, target, "in")): None}
    type_key, handle_in, handle_out = _type_for(words, types)
    ways = [_way("in", handle_in or "L-0", *end, label) for end, label in entering.items()]
    ways += [_way("out", handle_out or "R-0", *end) for end in leaving]
    new = {"typeKey": type_key, "sheet": nodes[0].row.get("sheet"), "name": _new_name(words), "edges": ways}
    if not (handle_in and handle_out):
        new["handles"] = _THROUGH
    said = "propose_between" if source and target else "propose_after" if source else "propose_before"
    calls = (*_cut(cut), Call(f"{PROPOSE}create_node_with_edges", new))
    return Plan(calls, said, {"name": _new_name(words), "item": nodes[0], "other": nodes[-1]})


def _nodes(looking: Lookups, words: Words) -> list[Item]:
    found = looking.items(*(words[name] for name in ("x", "y") if name in words))
    for item in found:
        if not item.is_node:
            raise Answered(looking.say("only_nodes", item=item))
    return found


def _edges_between(source: Item | None, target: Item | None) -> list[Row]:
    """Those from the one to the other. After a node those by which the way goes on when all is well."""
    if target:
        arriving = [edge for edge in target.edges if edge["target"] == target.key]
        return [edge for edge in arriving if not source or edge["source"] == source.key]
    edges = source.edges if source else ()
    leaving = [edge for edge in edges if source and edge["source"] == source.key and not is_for_errors(edge)]
    return [edge for edge in leaving if edge["sourceHandle"] == leaving[0]["sourceHandle"]]


def _way(direction: str, handle: str, other: str, other_handle: str, label: str = "") -> Row:
    way = {"direction": direction, "handle": handle, "otherKey": other, "otherHandle": other_handle}
    return way | ({"label": label} if label else {})


def _cut(edges: Sequence[Row]) -> tuple[Call, ...]:
    return tuple(Call(f"{PROPOSE}delete_edge", {"edgeKey": edge["key"]}) for edge in edges)


def _handle(looking: Lookups, node: Item, direction: str) -> str:
    found = [handle for handle, way in _HANDLE.findall(node.row.get("handles", "")) if way == direction]
    if not found:
        raise Answered(looking.say(f"no_{direction}", item=node))
    return str(found[0])


def _type_for(words: Words, types: Sequence[Row]) -> tuple[str, str, str]:
    """The type that the words name, else the first one of the workspace with an entry and an exit; and these two."""
    what, known = subject(words["what"]), []
    for row in types:
        handles = {way: handle for handle, way in reversed(_HANDLE.findall(row["handles"]))}
        known.append((row, handles.get("in", ""), handles.get("out", "")))
    known.sort(key=lambda each: (not _names(each[0], what), not (each[1] and each[2]), each[0]["builtIn"]))
    row, handle_in, handle_out = known[0]
    return row["key"], handle_in, handle_out


def _new_name(words: Words) -> str:
    what = subject(words["what"])
    return quoted(words["name"]) if words["name"] else what[:1].upper() + what[1:]


def _names(row: Row, what: str) -> bool:
    """Whether the words name this type; a log is a node of the type `log-node`, too."""
    known = [bare(str(row.get(name))) for name in ("key", "displayName")]
    return bare(what) in {*known, *(name.removesuffix("node") for name in known)}


def _create(looking: Lookups, words: Words) -> Plan:
    """A new object of a kind, else a new node, connected to nothing."""
    name, kind, shown = _new_name(words), "", Row()
    if "list_objects" in looking.offered:
        kind, shown = looking.of_kind(words["what"])
    if "objects" in shown:
        likes = [looking.object(row["object"]) for row in rows(shown["objects"])[:1]]
        fields = {_title_field(likes[0]) if likes else "name": name}
        return _plan("create_object", {"kind": kind, "fields": fields}, "propose_create", name=name)
    if "list_available_node_types" not in looking.offered:
        raise Answered(looking.say("refused", error=plain(shown.get("error"))))
    types, sheets = looking.one("list_available_node_types"), rows(looking.here().row.get("sheets"))
    type_key = _type_for(words, rows(types.get("types")))[0]
    sheet = sheets[0]["key"] if sheets else ""
    new = {"typeKey": type_key, "sheet": sheet, "name": name, "posX": 0, "posY": -STEP}
    return _plan("create_node", new, "propose_create", name=name)


def _arrange(looking: Lookups, words: Words) -> Plan:
    return _plan("reorganize_layout", {}, "propose_arrange")


_PLANS: dict[str, Callable[[Lookups, Words], Plan]] = {
    "rename": _rename,
    "replace": _replace,
    "set": _set,
    "move": _move,
    "connect": _connect,
    "disconnect": _disconnect,
    "insert": _insert,
    "create": _create,
    "arrange": _arrange,
}
