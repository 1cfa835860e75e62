"""Anthropic's Messages: our request as its body. Called by `anthropic.py`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chat.providers.base import ModelRequest, PromptMessage, ProviderConfig, ToolSpec
from chat.providers.cleaning import json_object_or_empty
from chat.providers.families import same_family

VENDOR = "anthropic"
MAX_BREAKPOINTS = 4
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]")
_BREAKPOINT = {"type": "ephemeral"}

Block = dict[str, Any]


def messages_body(request: ModelRequest, config: ProviderConfig) -> dict[str, Any]:
    """The body of a request; `system` and `tools` only where there are any."""
    thinking, sent = _thinking(request, config)
    system, messages = anthropic_messages(sent)
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
    if thinking:
        body["thinking"] = thinking
    return body


def _thinking(request: ModelRequest, config: ProviderConfig) -> tuple[dict[str, Any], Sequence[PromptMessage]]:
    """How the model shall think, nothing where it shall not; and the messages with the thoughts that it may get back.

    These are its own, while it thinks: no other model may read them, and without thinking they are refused.
    """
    own = [
        message if same_family(config, message.model) else replace(message, vendor_blocks=())
        for message in request.messages
    ]
    if config.adaptive_thinking:
        return {"type": "adaptive", "display": "summarized"}, own
    if _may_think(own, request.max_tokens, config):
        return {"type": "enabled", "budget_tokens": config.thinking_tokens}, own
    return {}, [replace(message, vendor_blocks=()) for message in own]


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


def _begins_a_turn(messages: Sequence[PromptMessage], n: int) -> bool:
    return messages[n].role == "user" and (n == 0 or messages[n - 1].role not in {"user", "tool"})


def _may_think(messages: Sequence[PromptMessage], max_tokens: int, config: ProviderConfig) -> bool:
    """Thinking is on unless the turn under way began without it: Anthropic refuses to begin in the middle.

    A turn lasts as long as results of its calls are answered, also where a person's words stand behind them. Models
    with a budget think once in a turn, before its first words: later calls of their own come without a thought.
    """
    if not 1024 <= config.thinking_tokens < max_tokens:
        return False
    asked = max((n for n in range(len(messages)) if _begins_a_turn(messages, n)), default=-1)
    calling = [message for message in messages[asked + 1 :] if message.tool_calls]
    began = not calling or (calling[0].vendor == VENDOR and bool(calling[0].vendor_blocks))
    return began and all(same_family(config, message.model) for message in calling)
