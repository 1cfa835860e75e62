"""OpenAI's Responses, for models whose reasoning is summarised there. Built by `building.py`."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

from chat.providers.cleaning import json_object_text
from chat.providers.families import same_family
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.openai import OpenAIProvider
from chat.providers.openai_responses_stream import VENDOR, ResponsesDecoder
from chat.providers.pieces import Piece
from chat.providers.provider import ProviderConfig
from chat.providers.streaming import posting, read_pieces


class ResponsesProvider(OpenAIProvider):
    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        body = request.body(self.config, lambda: responses_body(request, self.config))
        ask = posting(self._client.post, "/responses", body)
        return read_pieces(ask, ResponsesDecoder(request), self.config, request.deadline)


def responses_body(request: ModelRequest, config: ProviderConfig) -> dict[str, Any]:
    """The body of a request. Nothing is stored there: reasoning travels sealed, in both ways."""
    body: dict[str, Any] = {
        "model": request.model,
        "input": [item for message in request.messages for item in _items(message, config)],
        "max_output_tokens": request.max_tokens,
        "reasoning": {"summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
        "stream": True,
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": tool.forced,
            }
            for tool in request.tools
        ]
        if not request.tools_allowed:
            body["tool_choice"] = "none"
        elif request.tools[0].forced:
            body["tool_choice"] = {"type": "function", "name": request.tools[0].name}
    return body


def _items(message: PromptMessage, config: ProviderConfig) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}
        return
    if message.vendor == VENDOR and same_family(config, message.model):
        yield from message.vendor_blocks
    if message.content.strip():
        yield {"role": message.role, "content": message.content}
    for call in message.tool_calls:
        arguments = json_object_text(call.arguments)
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}
