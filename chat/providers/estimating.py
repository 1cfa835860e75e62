"""Tokens where a vendor did not count them: about four characters each. Called by the decoders and by accounting."""

import json

from chat.providers.base import ModelRequest, Reply, Usage

CHARACTERS_PER_TOKEN = 4


def estimated_tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


def prompt_estimate(request: ModelRequest) -> int:
    """Tokens of everything that is sent."""
    messages = sum(
        len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)
        for message in request.messages
    )
    tools = sum(len(tool.name) + len(tool.description) + len(json.dumps(tool.parameters)) for tool in request.tools)
    return estimated_tokens(messages + tools)


def estimate_usage(request: ModelRequest, reply: Reply) -> Usage:
    """What a call cost that was stopped or cut before the vendor said it."""
    written = len(reply.text) + len(reply.reasoning) + sum(len(call.arguments) for call in reply.tool_calls)
    known_prompt = reply.usage.prompt_tokens if reply.usage else 0
    return Usage(
        prompt_tokens=known_prompt or prompt_estimate(request),
        completion_tokens=estimated_tokens(written),
        cached_tokens=reply.usage.cached_tokens if reply.usage else 0,
        estimated=True,
    )
