"""Chat Completions: our request as its body. Called by `openai.py`; every OpenAI-compatible endpoint speaks this."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from chat.providers.cleaning import json_object_text
from chat.providers.families import same_vendor
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.provider import ProviderConfig
from chat.providers.turns import alternating


def chat_body(request: ModelRequest, config: ProviderConfig) -> dict[str, Any]:
    """The body of a request."""
    messages = alternating(request.messages)
    body: dict[str, Any] = {
        "model": request.model,
        "messages": _echoing(messages, config) if config.echo_reasoning else list(map(_message, messages)),
        "stream": True,
        "stream_options": {"include_usage": True},
        config.max_tokens_field: request.max_tokens,
    }
    if request.tools and (request.tools_allowed or config.tool_choice_none):
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                | ({"strict": True} if tool.forced and config.tool_choice_none else {}),
            }
            for tool in request.tools
        ]
        if not request.tools_allowed:
            body["tool_choice"] = "none"
        elif request.tools[0].forced and config.tool_choice_none:  # Others may not know of it.
            body["tool_choice"] = {"type": "function", "function": {"name": request.tools[0].name}}
    return body


def _echoing(messages: Sequence[PromptMessage], config: ProviderConfig) -> list[dict[str, Any]]:
    """The messages with the reasoning of every turn that called tools, "" of other vendors: DeepSeek demands it."""
    sent = list(map(_message, messages))
    if not any(message.tool_calls for message in messages):
        return sent
    turns = list(accumulate(message.role == "user" for message in messages))
    calling = {turn for turn, message in zip(turns, messages, strict=True) if message.tool_calls}
    for number, message in enumerate(messages):
        if message.role == "assistant" and turns[number] in calling:
            own = not message.model or same_vendor(config, message.model)
            sent[number]["reasoning_content"] = message.reasoning if own else ""
    return sent


def _message(message: PromptMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    return {
        "role": "assistant",
        "content": message.content if message.content.strip() else None,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json_object_text(call.arguments)},
            }
            for call in message.tool_calls
        ],
    }
