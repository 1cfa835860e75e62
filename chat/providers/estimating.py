"""Tokens of a request, counted in one way everywhere; those of what was written, about four bytes each."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from sys import getsizeof

from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.pieces import Reply, Usage
from graphs.site.kept_by_size import KeptBySize
from rag.texts.tokens import count_tokens

#: About right for words in any writing: a letter has one or two bytes, a Chinese character has three.
BYTES_PER_TOKEN = 4
#: Tokens that a message or a call takes beside its text.
MESSAGE_TOKENS = 4
#: What frames a message or a tool takes less.
FRAME_TOKENS = 10

#: Texts up to so many characters are kept by their number, which is faster; all of the longest would take 9 MB.
_SHORT_CHARS = 500
#: What the longer ones may take, whose counts are kept with them.
_LONG_BYTES = 8_000_000

Count = Callable[[str], int]
_of_short = lru_cache(maxsize=2_048)(count_tokens)
_of_long = KeptBySize[int](_LONG_BYTES)


def counted_once(text: str) -> int:
    """The tokens of a text. Kept, as the same texts are counted with each question of a conversation."""
    if len(text) <= _SHORT_CHARS:
        return _of_short(text)
    known = _of_long.get(text)
    if known is None:
        known = count_tokens(text)
        _of_long.put(text, known, getsizeof(text))
    return known


def estimated_tokens(bytes_: int) -> int:
    return -(-bytes_ // BYTES_PER_TOKEN)


def size(text: str) -> int:
    """Bytes, which are the most tokens that a text can have with any tokenizer."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def tokens_of(request: ModelRequest, count: Count = counted_once) -> int:
    """Tokens of everything that is sent, with GPT-4's tokenizer; vendors count a little otherwise."""
    return tokens_of_tools(request, count) + tokens_of_messages(request.messages, count)


def tokens_of_tools(request: ModelRequest, count: Count = counted_once) -> int:
    """Tokens of the names, descriptions and schemas of its tools, as JSON."""
    return sum(count(tool.text) for tool in request.tools)


def tokens_of_messages(messages: Iterable[PromptMessage], count: Count = counted_once) -> int:
    taken = 0
    for message in messages:
        taken += MESSAGE_TOKENS + count(message.content)
        if message.reasoning or message.tool_calls or message.vendor_blocks:
            taken += sum(map(count, _more_of(message)))
    return taken


def prompt_bound(request: ModelRequest, most: Count = size) -> int:
    """The most tokens that a prompt can have; `most` says that of a text."""
    return tokens_of(request, most) + FRAME_TOKENS * (len(request.messages) + len(request.tools))


def _more_of(message: PromptMessage) -> Iterator[str]:
    """What may be sent of a message beside its content; what is a vendor's own is sent back as it came."""
    yield message.reasoning
    yield from (f"{call.id}{call.name}{call.arguments}" for call in message.tool_calls)
    yield from (json.dumps(block, ensure_ascii=False) for block in message.vendor_blocks)


def estimate_usage(request: ModelRequest, reply: Reply) -> Usage:
    """The usage of a call that was stopped or cut before the vendor said it."""
    written = size(reply.text) + size(reply.reasoning) + sum(size(call.arguments) for call in reply.tool_calls)
    known = reply.usage or Usage()
    return replace(
        known,
        prompt_tokens=known.prompt_tokens or tokens_of(request),
        completion_tokens=estimated_tokens(written),
        reasoning_tokens=0,
        estimated=True,
    )
