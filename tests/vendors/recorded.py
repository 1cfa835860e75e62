"""Whole answers in the vendors' own format, and ways in which they break on their way to us.

The files in `recordings/` were written after the vendors' documentation, event by event with every field it names; a
test has the SDKs' own types parse them. Each wire has a text, one tool call and three parallel ones, all with reasoning
and usage: 1,391 tokens in, 1,024 of them cached.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.vendors.scripts import Script

FOLDER = Path(__file__).parent / "recordings"
NAMES = ("text", "one_tool", "three_tools")
PROMPT_TOKENS, CACHED_TOKENS = 1391, 1024
COMPLETION_TOKENS = {"text": 57, "one_tool": 64, "three_tools": 118}
#: Anthropic does not say how many there were.
REASONING_TOKENS = {"openai": 21, "openai-responses": 21, "anthropic": 0}
TEXT = "Le nœud « fetch-api » appelle l’API,\n\n- une fois 🏀 par minute."
REASONING = "The person asks about fetch-api; I read it first."
CALLS = (
    ("search_nodes", {"query": "fetch"}),
    ("read_node_detail", {"nodeKey": "fetch-api"}),
    ("list_node_edges", {"nodeKey": "fetch-api"}),
)
#: kind of provider: (folder, the event after which the turn is over, an error as an event)
_WIRES = {
    "openai": (
        "chat_completions",
        re.compile(rb'"finish_reason":"'),
        b'data: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}\n\n',
    ),
    "openai-responses": (
        "responses",
        re.compile(rb'"type":"response.completed"'),
        b'event: error\ndata: {"type":"error","code":"server_error","message":"Sorry","param":null}\n\n',
    ),
    "anthropic": (
        "messages",
        re.compile(rb'"type":"message_stop"'),
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ),
}
KINDS = tuple(_WIRES)


@cache
def events(kind: str, name: str) -> tuple[bytes, ...]:
    """The recording, event by event."""
    whole = (FOLDER / _WIRES[kind][0] / f"{name}.sse").read_bytes()
    return tuple(part + b"\n\n" for part in whole.split(b"\n\n")[:-1])


def text_of(name: str) -> str:
    return {"text": TEXT, "one_tool": "Le nœud « fetch-api »", "three_tools": ""}[name]


def calls_of(name: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    return {"text": (), "one_tool": CALLS[:1], "three_tools": CALLS}[name]


def says_the_end(kind: str, part: bytes) -> bool:
    """Whether these bytes hold, to its last brace, the event with which the vendor says that the turn is over."""
    said = [line for line in part.split(b"\n") if _WIRES[kind][1].search(line)]
    return bool(said) and _is_json(said[-1].removeprefix(b"data: "))


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Break:
    """A way to break: what is sent of a part of a recording, and the code that has to come of it."""

    script: Callable[[str, tuple[bytes, ...]], Script]
    code: str


def _clean(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=part)


def _reset(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=part, cut="reset", cut_at=len(part))


def _stall(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=part, stall_at=len(part))


def _garbage(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=(*part, b"\n\ndata: {not json\n\n"))


def _error(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=(*part, b"\n\n" + _WIRES[kind][2]))


def _html(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=(*part, b"<html><body><h1>502 Bad Gateway</h1></body></html>\r\n"))


def _length(kind: str, part: tuple[bytes, ...]) -> Script:
    return Script(raw=(*part, b"\n\n", *_ended_by_length(kind)))


BREAKS = {
    "clean": Break(_clean, "network"),
    "reset": Break(_reset, "network"),
    "garbage": Break(_garbage, "server_error"),
    "error": Break(_error, "server_error"),
    "html": Break(_html, "network"),
    "length": Break(_length, "context_length"),
    "stall": Break(_stall, "timeout"),
}


def _ended_by_length(kind: str) -> tuple[bytes, ...]:
    """The end of a recording, with another reason."""
    *_, before, last = events(kind, "one_tool")
    match kind:
        case "openai":
            finish, usage, done = events(kind, "one_tool")[-3:]
            return finish.replace(b'"finish_reason":"tool_calls"', b'"finish_reason":"length"'), usage, done
        case "anthropic":
            return before.replace(b'"stop_reason":"tool_use"', b'"stop_reason":"max_tokens"'), last
    payload = json.loads(last.partition(b"data: ")[2])
    payload["type"] = "response.incomplete"
    payload["response"] |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    return (b"event: response.incomplete\ndata: " + json.dumps(payload).encode() + b"\n\n",)
