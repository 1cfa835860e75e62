"""The vendors' own format, whole and cut at every byte: what the SDKs' types say of it, and what our decoders read."""

import json
import os

import pytest
from anthropic.types import RawMessageStreamEvent
from openai.types.chat import ChatCompletionChunk
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from chat.providers.anthropic_stream import MessagesDecoder
from chat.providers.openai_chat_stream import ChatDecoder
from chat.providers.openai_responses_stream import ResponsesDecoder
from chat.providers.pieces import Usage
from tests.chat.providers.reading import decode, request_of
from tests.vendors import recorded

DECODERS = {"openai": ChatDecoder, "openai-responses": ResponsesDecoder, "anthropic": MessagesDecoder}
TYPES = {"openai": ChatCompletionChunk, "openai-responses": ResponseStreamEvent, "anthropic": RawMessageStreamEvent}
#: Every byte in `make test-faults`; else every so many, which is no multiple of anything in the recordings.
STRIDE = 1 if os.environ.get("FULL") else 23

every_recording = [
    pytest.mark.parametrize("kind", recorded.KINDS),
    pytest.mark.parametrize("name", recorded.NAMES),
]
pytestmark = every_recording


def read(kind: str, *chunks: bytes):
    return decode(DECODERS[kind](request_of()), chunks)


def test_the_sdks_types_accept_every_event(kind, name):
    adapter = TypeAdapter(TYPES[kind])
    for event in recorded.events(kind, name):
        data = event.partition(b"data: ")[2]
        if data.strip() not in (b"[DONE]", b'{"type":"ping"}'):  # Both are passed over by the SDKs too.
            adapter.validate_json(data)


def test_it_is_read_as_it_was_meant(kind, name):
    reply, error = read(kind, *recorded.events(kind, name))
    assert error == ""
    assert reply.end == ("stop" if name == "text" else "tool_calls")
    assert (reply.text, reply.reasoning) == (recorded.text_of(name), recorded.REASONING)
    assert tuple((call.name, json.loads(call.arguments)) for call in reply.tool_calls) == recorded.calls_of(name)
    tokens = recorded.PROMPT_TOKENS, recorded.COMPLETION_TOKENS[name], recorded.CACHED_TOKENS
    assert reply.usage == Usage(*tokens, reasoning_tokens=recorded.REASONING_TOKENS[kind])


@pytest.mark.faults
def test_a_part_is_never_taken_for_the_whole(kind, name):
    whole = b"".join(recorded.events(kind, name))
    complete, _ = read(kind, whole)
    for length in range(0, len(whole), STRIDE):
        reply, error = read(kind, whole[:length])
        assert (reply.end is None) == bool(error), length
        assert bool(error) != recorded.says_the_end(kind, whole[:length]), length
        assert complete.text.startswith(reply.text), length
        if reply.end:
            assert reply.tool_calls == complete.tool_calls, length


@pytest.mark.faults
@pytest.mark.parametrize("way", ["garbage", "error", "html", "length"])
def test_a_part_with_something_else_behind_it_is_never_taken_for_the_whole(kind, name, way):
    whole = b"".join(recorded.events(kind, name))
    for length in range(0, len(whole), STRIDE):
        part = whole[:length]
        raw = recorded.BREAKS[way].script(kind, (part,)).raw
        assert isinstance(raw, tuple)
        reply, error = read(kind, *raw)
        if not recorded.says_the_end(kind, part):
            assert error or reply.end == "length", length


@pytest.mark.faults
def test_a_cut_anywhere_changes_nothing(kind, name):
    whole = b"".join(recorded.events(kind, name))
    complete = read(kind, whole)
    for length in range(1, len(whole), STRIDE):
        assert read(kind, whole[:length], whole[length:]) == complete
