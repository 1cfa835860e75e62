"""Anthropic's Messages: our request as its body. Called by `anthropic.py`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from chat.providers.cleaning import json_object_or_empty
from chat.providers.families import same_family
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.provider import ProviderConfig

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
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        if not request.tools_allowed:
            body["tool_choice"] = {"type": "none"}
        elif request.tools[0].forced and not thinking:  # Who thinks chooses for itself.
            body["tool_choice"] = {"type": "tool", "name": request.tools[0].name}
    if thinking:
        body["thinking"] = thinking
    return body


def _thinking(request: ModelRequest, config: ProviderConfig) -> tuple[dict[str, Any], Sequence[PromptMessage]]:
    """How the model shall think, if it shall, and the messages with those thoughts that are its own."""
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
    """The system prompt and the conversation, where later system messages stay as the user's: the cache serves both."""
    leading = next((n for n, message in enumerate(messages) if message.role != "system"), len(messages))
    converted: list[dict[str, Any]] = []
    for message in messages[leading:]:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if message.cache_breakpoint and blocks and "thinking" not in blocks[-1]["type"]:
            blocks[-1]["cache_control"] = dict(_BREAKPOINT)
        if not blocks:
            continue
        if converted and converted[-1]["role"] == role:
            converted[-1]["content"].extend(blocks)
        else:
            converted.append({"role": role, "content": blocks})
    system = _system(messages[:leading])
    sent = [*(system if isinstance(system, list) else []), *(b for m in converted for b in m["content"])]
    for block in [block for block in sent if "cache_control" in block][:-MAX_BREAKPOINTS]:
        del block["cache_control"]
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


def _may_think(messages: Sequence[PromptMessage], max_tokens: int, config: ProviderConfig) -> bool:
    """Whether it thinks: unless the turn under way began without it, as Anthropic refuses to begin in the middle.

    A turn lasts as long as results of its calls are answered, also where a person's words stand behind them. Models
    with a budget think once in a turn, before its first words: later calls of their own come without a thought.
    """
    if not 1024 <= config.thinking_tokens < max_tokens:
        return False
    roles = ["", *(message.role for message in messages)]
    begins = [
        n for n, (before, role) in enumerate(pairwise(roles)) if role == "user" and before not in ("user", "tool")
    ]
    calling = [message for message in messages[max(begins, default=-1) + 1 :] if message.tool_calls]
    began = not calling or (calling[0].vendor == VENDOR and bool(calling[0].vendor_blocks))
    return began and all(same_family(config, message.model) for message in calling)
