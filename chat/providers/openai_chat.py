"""Chat Completions: our request as its body. Called by `openai.py`; every OpenAI-compatible endpoint speaks this."""

from typing import Any

from chat.providers.base import ModelRequest, PromptMessage, ProviderConfig, ToolCall, ToolSpec
from chat.providers.cleaning import json_object_text


def chat_body(request: ModelRequest, config: ProviderConfig) -> dict[str, Any]:
    """The body of a request."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [_message(message, echo_reasoning=config.echo_reasoning) for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
        config.max_tokens_field: request.max_tokens,
    }
    if request.tools and request.tools_allowed:
        body["tools"] = [_tool(tool) for tool in request.tools]
    return body


def _message(message: PromptMessage, *, echo_reasoning: bool) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if not message.tool_calls:
        return {"role": message.role, "content": message.content}
    reply: dict[str, Any] = {
        "role": "assistant",
        "content": message.content or None,
        "tool_calls": [_tool_call(call) for call in message.tool_calls],
    }
    if echo_reasoning:
        reply["reasoning_content"] = message.reasoning
    return reply


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": sent_arguments(call)}}


def sent_arguments(call: ToolCall) -> str:
    """The arguments as written, or mended: some endpoints refuse a whole conversation for malformed ones."""
    return json_object_text(call.arguments)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
