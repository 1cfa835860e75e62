"""However the network cuts an answer, it is the same answer: the metamorphic test of all three wires."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat.providers.anthropic_stream import MessagesDecoder
from chat.providers.decoding import Decoder
from chat.providers.openai_chat_stream import ChatDecoder
from chat.providers.openai_responses_stream import ResponsesDecoder
from chat.providers.pieces import Reply
from tests.chat.providers.reading import decode, request_of
from tests.vendors.anthropic_wire import messages_events
from tests.vendors.openai_wire import chat_events
from tests.vendors.responses_wire import responses_events
from tests.vendors.scripts import Script, ScriptedCall

WIRES = {
    "chat": (ChatDecoder, chat_events),
    "messages": (MessagesDecoder, messages_events),
    "responses": (ResponsesDecoder, responses_events),
}
SCRIPT = Script(
    text="Café 🏀 日本語\r\n\r\ndata: [DONE]\n\nend",
    reasoning="Réfléchir…",
    tool_calls=(ScriptedCall("one", {"é": "🏀\n"}, "a"), ScriptedCall("two", '{"half', "a")),
)
WHOLE = {name: b"".join(events(SCRIPT, "m")) for name, (_, events) in WIRES.items()}
#: The same with unescaped characters, foreign line ends, a byte order mark and comments.
RAW = {
    name: b"\xef\xbb\xbf: hello\r\n\r\n"
    + b"".join(
        b"data: " + json.dumps(json.loads(line[6:]), ensure_ascii=False).encode() + b"\r\n\r\n"
        for line in whole.split(b"\n")
        if line.startswith(b"data: {")
    )
    for name, whole in WHOLE.items()
}


def split(whole: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    return [whole[start:end] for start, end in pairwise(places)]


def read(wire: str, chunks: list[bytes]) -> tuple[Reply, str]:
    decoder: Decoder = WIRES[wire][0](request_of())
    return decode(decoder, chunks)


@pytest.mark.parametrize("wire", WIRES)
def test_it_reads_the_script(wire):
    reply, error = read(wire, [WHOLE[wire]])
    assert (error, reply.end) == ("", "tool_calls")
    assert (reply.text, reply.reasoning) == (SCRIPT.text, SCRIPT.reasoning)
    assert [call.arguments for call in reply.tool_calls] == [json.dumps({"é": "🏀\n"}), '{"half']
    assert len({call.id for call in reply.tool_calls}) == 2


@pytest.mark.parametrize("bodies", [WHOLE, RAW], ids=["escaped", "raw"])
@pytest.mark.parametrize("wire", WIRES)
def test_it_reads_the_same_byte_by_byte(wire, bodies):
    body = bodies[wire]
    assert read(wire, split(body, list(range(len(body))))) == read(wire, [WHOLE[wire]])


@given(st.sampled_from(sorted(WIRES)), st.sampled_from([WHOLE, RAW]), st.lists(st.integers(0, 6000), max_size=30))
def test_it_reads_the_same_from_any_cut(wire, bodies, cuts):
    assert read(wire, split(bodies[wire], cuts)) == read(wire, [WHOLE[wire]])


@given(st.sampled_from(sorted(WIRES)), st.integers(0, 6000), st.lists(st.integers(0, 6000), max_size=8))
def test_it_never_takes_a_part_for_the_whole(wire, length, cuts):
    part = WHOLE[wire][:length]
    reply, error = read(wire, split(part, cuts))
    assert (reply, error) == read(wire, [part])
    assert (reply.end is None) == bool(error)
    if reply.end:
        assert reply.tool_calls == read(wire, [WHOLE[wire]])[0].tool_calls


_KEYS = [
    *("choices", "delta", "index", "finish_reason", "content", "tool_calls", "function", "name", "arguments", "id"),
    *("usage", "error", "type", "message", "content_block", "partial_json", "output_index", "item", "response"),
]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)
_TYPES = st.sampled_from(
    [
        *("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"),
        *("message_stop", "response.output_item.added", "response.output_item.done", "response.completed", "tool_use"),
        *("response.function_call_arguments.delta", "response.output_text.delta", "function_call", "reasoning"),
    ]
)
_EVENT = st.dictionaries(st.sampled_from(_KEYS), _JSON | _TYPES, max_size=6)


@given(st.sampled_from(sorted(WIRES)), st.lists(_EVENT, max_size=6), st.lists(st.integers(0, 400), max_size=5))
@example("chat", [{"choices": [{"delta": {"tool_calls": [{"index": [], "id": 5, "function": {"name": {}}}]}}]}], [3])
@example("messages", [{"type": "content_block_start", "index": [], "content_block": {"type": "tool_use"}}], [])
@example("responses", [{"type": "response.output_item.done", "item": {"type": "function_call"}}], [])
def test_it_survives_events_of_any_shape(wire, events, cuts):
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    reply, error = read(wire, split(body, cuts))
    assert (reply.end is None) == bool(error)
    assert (reply, error) == read(wire, [body])


@given(st.sampled_from(sorted(WIRES)), st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_it_survives_bytes_of_any_kind(wire, body, cuts):
    assert read(wire, split(body, cuts)) == read(wire, [body])
