"""The rules of Anthropic's Messages; see `rules.py`."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.vendors.seals import is_broken

Body = dict[str, Any]
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
MAX_BREAKPOINTS = 4
MIN_THINKING = 1024


def roles_take_turns(body: Body) -> Iterator[str]:
    """Messages API, `messages`: roles user and assistant, the first is the user's, `system` is a field of its own.
    Models since 4.6: "This model does not support assistant message prefill", so the last is the user's."""
    roles = [message["role"] for message in body["messages"]]
    if not set(roles) <= {"user", "assistant"}:
        yield f"roles {sorted(set(roles))}"
    if roles[:1] != ["user"] or roles[-1:] != ["user"]:
        yield f"it begins with {roles[:1]} and ends with {roles[-1:]}"


def blocks_are_not_empty(body: Body) -> Iterator[str]:
    """Messages API: "text content blocks must be non-empty", "must contain non-whitespace text"; so has system."""
    system = body.get("system", [])
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else list(system)
    for message in body["messages"]:
        if not message["content"]:
            yield f"an empty message of {message['role']}"
        blocks += message["content"]
    if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        yield "a text without words"


def calls_are_answered(body: Body) -> Iterator[str]:
    """Tool use, "handle tool calls": "`tool_use` ids were found without `tool_result` blocks immediately after"; the
    results come first in the next message, each call has one, and none is without a call."""
    waiting: list[str] = []
    for message in body["messages"]:
        results = [block for block in message["content"] if block["type"] == "tool_result"]
        if [block["tool_use_id"] for block in results] != waiting:
            yield f"results {[block['tool_use_id'] for block in results]} for calls {waiting}"
        if message["content"][: len(results)] != results:
            yield "something stands before the results"
        waiting = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        if any(not block["content"] for block in results):
            yield "a result without content"
    if waiting:
        yield f"no results for {waiting}"


def calls_are_well_formed(body: Body) -> Iterator[str]:
    """Messages API: `tool_use.id` matches `^[a-zA-Z0-9_-]+$`, "tool_use ids must be unique", `input` is an object; a
    history with calls needs `tools`."""
    calls = [block for message in body["messages"] for block in message["content"] if block["type"] == "tool_use"]
    ids = [call["id"] for call in calls]
    if len(set(ids)) < len(ids) or not all(map(_ID.fullmatch, ids)):
        yield f"ids {ids}"
    if not all(isinstance(call["input"], dict) and _ID.fullmatch(call["name"]) for call in calls):
        yield "a call whose name or input is not right"
    if calls and not body.get("tools"):
        yield "calls in the history, but no tools"


def thinking_has_room(body: Body) -> Iterator[str]:
    """Extended thinking: `budget_tokens` at least 1024 and less than `max_tokens`; no forced choice of tools."""
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled" and not MIN_THINKING <= thinking["budget_tokens"] < body["max_tokens"]:
        yield f"a budget of {thinking['budget_tokens']} of {body['max_tokens']}"
    if thinking and body.get("tool_choice", {}).get("type", "auto") not in {"auto", "none"}:
        yield "a forced choice of tools while it thinks"


def thoughts_are_its_own(body: Body) -> Iterator[str]:
    """Extended thinking, "preserving thinking blocks": unchanged and with their signature ("Invalid `signature`"),
    before the words they led to, to the model that thought them. Without thinking: "an assistant message in the final
    position cannot contain `thinking`"; with it, a turn that calls tools begins with a thought."""
    thinks = body.get("thinking", {}).get("type", "disabled")
    for message in body["messages"]:
        kinds = [block["type"] for block in message["content"]]
        thoughts = [block for block in message["content"] if block["type"] == "thinking"]
        if any(is_broken(block["signature"], body["model"], block["thinking"]) for block in thoughts):
            yield "a thought of another model, or a changed one"
        if any(not block.get("signature") for block in thoughts):
            yield "a thought without signature"
        if thoughts and (message["role"] != "assistant" or thinks == "disabled"):
            yield "thoughts where it does not think"
    if thinks == "enabled" and not _turn_begins_with_a_thought(body["messages"]):
        yield f"the turn under way begins without a thought: {kinds}"


def _turn_begins_with_a_thought(messages: list[Body]) -> bool:
    """True as well where no call of a tool is under way."""
    first = len(messages)
    while first > 1 and messages[first - 1]["content"][0]["type"] == "tool_result":
        first -= 2
    return first == len(messages) or messages[first]["content"][0]["type"] in {"thinking", "redacted_thinking"}


def breakpoints_are_few(body: Body) -> Iterator[str]:
    """Prompt caching: at most four breakpoints, none on a thought."""
    system = body.get("system", [])
    blocks = [*(system if isinstance(system, list) else []), *body.get("tools", [])]
    blocks += [block for message in body["messages"] for block in message["content"]]
    marked = [block for block in blocks if "cache_control" in block]
    if len(marked) > MAX_BREAKPOINTS or any("thinking" in block.get("type", "") for block in marked):
        yield f"{len(marked)} breakpoints, or one on a thought"


ANTHROPIC_RULES: tuple[Callable[[Body], Iterator[str]], ...] = (
    roles_take_turns,
    blocks_are_not_empty,
    calls_are_answered,
    calls_are_well_formed,
    thinking_has_room,
    thoughts_are_its_own,
    breakpoints_are_few,
)
