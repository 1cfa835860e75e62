"""Tokens where a vendor did not count them (about four bytes each), and the most a prompt can have."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

from chat.providers.base import ModelRequest, PromptMessage, Reply, Usage

#: About right for words in any writing: a letter has one or two bytes, a Chinese character has three.
BYTES_PER_TOKEN = 4
#: What frames a message or a tool takes less.
FRAME_TOKENS = 10


def estimated_tokens(bytes_: int) -> int:
    return -(-bytes_ // BYTES_PER_TOKEN)


def prompt_estimate(request: ModelRequest) -> int:
    """Tokens of everything that is sent."""
    messages = sum(
        size(message.content) + sum(size(call.name + call.arguments) for call in message.tool_calls)
        for message in request.messages
    )
    tools = sum(size(tool.name + tool.description + json.dumps(tool.parameters)) for tool in request.tools)
    return estimated_tokens(messages + tools)


def size(text: str) -> int:
    """Bytes, which are the most tokens that a text can have with any tokenizer."""
    return len(text.encode("utf-8", "replace"))


def prompt_bound(request: ModelRequest, most: Callable[[str], int] = size) -> int:
    """The most tokens that a prompt can have; `most` says that of a text."""
    texts = [text for message in request.messages for text in _texts_of(message)]
    texts += [f"{tool.name}{tool.description}{json.dumps(tool.parameters)}" for tool in request.tools]
    return sum(map(most, texts)) + FRAME_TOKENS * (len(request.messages) + len(request.tools))


def _texts_of(message: PromptMessage) -> Iterator[str]:
    """All that may be sent of a message; what is a vendor's own is sent back as it came."""
    yield from (message.content, message.reasoning)
    yield from (f"{call.id}{call.name}{call.arguments}" for call in message.tool_calls)
    yield from (json.dumps(block) for block in message.vendor_blocks)


def estimate_usage(request: ModelRequest, reply: Reply) -> Usage:
    """The usage of a call that was stopped or cut before the vendor said it."""
    written = size(reply.text) + size(reply.reasoning) + sum(size(call.arguments) for call in reply.tool_calls)
    known = reply.usage or Usage()
    return replace(
        known,
        prompt_tokens=known.prompt_tokens or prompt_estimate(request),
        completion_tokens=estimated_tokens(written),
        reasoning_tokens=0,
        estimated=True,
    )
