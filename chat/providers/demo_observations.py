"""What the demo's tool calls have shown so far, read tolerantly. Called by the other demo modules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chat.providers.base import PromptMessage
from chat.providers.cleaning import json_object_or_empty, parse_json
from rag.texts.tables import decode

_NODE_LISTS = ("nodes", "results", "neighbors", "matches")
_EDGE_LISTS = ("edges", "inbound", "outbound", "incoming", "outgoing")
_TROUBLE = re.compile(r"err|fail|catch|except|reject|timeout|invalid|echec|échec", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Node:
    key: str
    name: str
    type: str
    sheet: str
    process: str
    handles: str = ""
    x: float = 0
    y: float = 0


@dataclass(frozen=True, slots=True)
class Edge:
    source: str
    target: str
    label: str
    source_handle: str
    key: str = ""
    target_handle: str = ""

    @property
    def is_for_errors(self) -> bool:
        return bool(_TROUBLE.search(f"{self.label} {self.source_handle} {self.target}"))


@dataclass(frozen=True, slots=True)
class Observation:
    """A tool that was called since the question, with its answer; `result` is empty where it failed with `error`."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    error: str = ""

    def objects(self, name: str) -> list[dict[str, Any]]:
        """The objects of the list in this field."""
        return list(_list(self.result.get(name)))

    def texts(self, name: str) -> list[str]:
        """The texts of the list in this field."""
        value = self.result.get(name)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def nodes(self) -> list[Node]:
        listed = [item for name in _NODE_LISTS for item in _list(self.result.get(name))]
        return [node for item in listed if (node := _node(item))]

    def node(self) -> Node | None:
        inner = self.result.get("node")
        return _node(inner if isinstance(inner, dict) else self.result)

    def edges(self) -> list[Edge]:
        listed = [item for name in _EDGE_LISTS for item in _list(self.result.get(name))]
        return list(dict.fromkeys(edge for item in listed if (edge := _edge(item))))


@dataclass(frozen=True, slots=True)
class Observations:
    """All of them, oldest first."""

    of_tools: tuple[Observation, ...] = ()

    def called(self, tool: str) -> list[Observation]:
        return [one for one in self.of_tools if one.tool == tool]

    def details(self) -> list[Node]:
        return [node for one in self.called("read_node_detail") if (node := one.node())]

    def found(self) -> list[Node]:
        return [node for one in self.called("search_nodes") for node in one.nodes()]

    def proposed(self) -> list[Observation]:
        return [one for one in self.of_tools if one.tool.startswith("propose_")]

    def edges(self) -> list[Edge]:
        return list(dict.fromkeys(edge for one in self.of_tools for edge in one.edges()))


def observe(messages: Sequence[PromptMessage]) -> Observations:
    """The tool calls and results among the messages after the question."""
    calls = {call.id: call for message in messages for call in message.tool_calls}
    seen = []
    for message in messages:
        call = calls.get(message.tool_call_id) if message.role == "tool" else None
        if call:
            result = _result(message.content)
            error = str(result.get("error") or "")
            seen.append(Observation(call.name, json_object_or_empty(call.arguments), {} if error else result, error))
    return Observations(tuple(seen))


def _result(content: str) -> dict[str, Any]:
    """Of a result in JSON or in TOON, as the prompt has it."""
    try:
        value = parse_json(content.encode("utf-8", "replace"))
    except ValueError:
        value = _from_toon(content)
    if isinstance(value, list):
        value = {"results": value}
    return value if isinstance(value, dict) else {}


def _from_toon(content: str) -> Any:
    try:
        return decode(content)
    except ValueError:
        return {}


def _node(item: dict[str, Any]) -> Node | None:
    key = _text(item, "key", "nodeKey")
    if not key:
        return None
    return Node(
        key,
        _text(item, "name", "displayName"),
        _text(item, "type", "typeKey"),
        _text(item, "sheet"),
        _text(item, "process"),
        _text(item, "handles"),
        *_position(item),
    )


def _position(item: dict[str, Any]) -> tuple[float, float]:
    place = item.get("position")
    x, y = (place.get("x"), place.get("y")) if isinstance(place, dict) else (0, 0)
    return float(x) if isinstance(x, int | float) else 0, float(y) if isinstance(y, int | float) else 0


def _edge(item: dict[str, Any]) -> Edge | None:
    source, target = _text(item, "source", "sourceKey", "from"), _text(item, "target", "targetKey", "to")
    if not source or not target:
        return None
    handles = _text(item, "sourceHandle"), _text(item, "targetHandle")
    return Edge(source, target, _text(item, "label"), handles[0], _text(item, "key"), handles[1])


def _text(item: dict[str, Any], *names: str) -> str:
    """The first of these fields that is there, as text; of an object its name or key."""
    for name in names:
        value = item.get(name)
        if isinstance(value, dict):
            value = value.get("key") or value.get("name") or value.get("text") or value.get("value")
        if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            return str(value)
    return ""


def _list(value: object) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())
