"""Anthropic's Messages: our request as its body. Called by `anthropic.py`."""

import re
from collections.abc import Sequence
from typing import Any

from chat.providers.base import ModelRequest, PromptMessage, ProviderConfig, ToolSpec
from chat.providers.cleaning import json_object_or_empty

VENDOR = "anthropic"
MAX_BREAKPOINTS = 4
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]")
_BREAKPOINT = {"type": "ephemeral"}

Block = dict[str, Any]


def messages_body(request: ModelRequest, config: ProviderConfig) -> dict[str, Any]:
    """The body of a request; `system` and `tools` only where there are any."""
    system, messages = anthropic_messages(request.messages)
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": messages,
        "stream": True,
    }
    if system:
        body["system"] = system
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if not request.tools_allowed:
            body["tool_choice"] = {"type": "none"}
    if config.adaptive_thinking:
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
    elif _may_think(request, config):
        body["thinking"] = {"type": "enabled", "budget_tokens": config.thinking_tokens}
    return body


def anthropic_messages(messages: Sequence[PromptMessage]) -> tuple[str | list[Block], list[dict[str, Any]]]:
    """The system prompt and the conversation.

    System messages at the beginning are the system prompt. Later ones stay where they are, as the user's words, so that
    what was sent before is the beginning of what is sent now and the vendor's cache serves it.
    """
    leading = next((n for n, message in enumerate(messages) if message.role != "system"), len(messages))
    converted: list[dict[str, Any]] = []
    for message in messages[leading:]:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if message.cache_breakpoint:
            _mark(blocks)
        if not blocks:
            continue
        if converted and converted[-1]["role"] == role:
            converted[-1]["content"].extend(blocks)
        else:
            converted.append({"role": role, "content": blocks})
    system = _system(messages[:leading])
    _keep_last_breakpoints(
        [*(system if isinstance(system, list) else []), *(b for m in converted for b in m["content"])]
    )
    return system, converted


def _system(messages: Sequence[PromptMessage]) -> str | list[Block]:
    """Texts joined by blank lines, in one block for each stretch that ends with a cache breakpoint."""
    stretches: list[tuple[list[str], bool]] = [([], False)]
    for message in messages:
        if not message.content.strip():
            continue
        if stretches[-1][1]:
            stretches.append(([], False))
        stretches[-1] = ([*stretches[-1][0], message.content], message.cache_breakpoint)
    if len(stretches) == 1 and not stretches[0][1]:
        return "\n\n".join(stretches[0][0])
    blocks = [_text("\n\n".join(texts)) for texts, _ in stretches]
    for block, (_, marked) in zip(blocks, stretches, strict=True):
        if marked:
            block["cache_control"] = dict(_BREAKPOINT)
    return blocks


def _blocks(message: PromptMessage) -> list[Block]:
    if message.role == "tool":
        return [
            {
                "type": "tool_result",
                "tool_use_id": sent_id(message.tool_call_id),
                "content": message.content or "(empty)",
            }
        ]
    blocks: list[Block] = [dict(block) for block in message.vendor_blocks] if message.vendor == VENDOR else []
    if message.content.strip():
        blocks.append(_text(message.content))
    for call in message.tool_calls:
        arguments = json_object_or_empty(call.arguments)
        blocks.append({"type": "tool_use", "id": sent_id(call.id), "name": call.name, "input": arguments})
    return blocks


def sent_id(call_id: str) -> str:
    """An id as Anthropic accepts it; those of other vendors may hold more kinds of characters."""
    return _NOT_IN_AN_ID.sub("_", call_id) or "_"


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _mark(blocks: list[Block]) -> None:
    if blocks and "thinking" not in blocks[-1]["type"]:
        blocks[-1]["cache_control"] = dict(_BREAKPOINT)


def _keep_last_breakpoints(blocks: list[Block]) -> None:
    marked = [block for block in blocks if "cache_control" in block]
    for block in marked[:-MAX_BREAKPOINTS]:
        del block["cache_control"]


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _may_think(request: ModelRequest, config: ProviderConfig) -> bool:
    """Thinking is on unless the turn under way began without it: Anthropic refuses to begin in the middle."""
    if not 1024 <= config.thinking_tokens < request.max_tokens:
        return False
    asked = max((n for n, message in enumerate(request.messages) if message.role == "user"), default=-1)
    calling = [message for message in request.messages[asked + 1 :] if message.tool_calls]
    return all(message.vendor == VENDOR and message.vendor_blocks for message in calling)
