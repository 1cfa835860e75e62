from typing import Any

import pytest

from chat.providers.anthropic_stream import MessagesDecoder
from chat.providers.pieces import Reply, Usage
from tests.chat.providers.reading import decode, folded, request_of
from tests.vendors.anthropic_wire import event


def read(*chunks: bytes) -> tuple[Reply, str]:
    return decode(MessagesDecoder(request_of()), chunks)


def start(**usage: Any) -> bytes:
    return event("message_start", message={"id": "m", "usage": usage})


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any], stop: bool = True) -> bytes:
    events = [event("content_block_start", index=index, content_block=content)]
    events += [event("content_block_delta", index=index, delta=delta) for delta in deltas]
    return b"".join([*events, event("content_block_stop", index=index) if stop else b""])


def text(words: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": words}


def part(json_text: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": json_text}


def ending(reason: str | None = "end_turn", **usage: Any) -> bytes:
    return event("message_delta", delta={"stop_reason": reason}, usage=usage) + event("message_stop")


TEXT = {"type": "text", "text": ""}
TOOL = {"type": "tool_use", "id": "toolu_1", "name": "search_nodes", "input": {}}
WHOLE = block(0, TEXT, text("Hello"))


def test_it_reads_text_and_adds_up_usage():
    began = start(input_tokens=10, cache_read_input_tokens=40, cache_creation_input_tokens=50, output_tokens=1)
    reply, error = read(began, WHOLE, ending(output_tokens=7))
    assert error == ""
    assert reply == Reply(text="Hello", usage=Usage(100, 7, 40, cache_write_tokens=50), end="stop")


def test_it_reports_the_prompt_at_once_for_answers_that_are_stopped():
    decoder = MessagesDecoder(request_of())
    pieces = list(decoder.feed(start(input_tokens=10, cache_read_input_tokens=5, output_tokens=1)))
    assert folded(pieces).usage == Usage(15, 0, 5, estimated=True)


@pytest.mark.parametrize("count", [None, -5, 10**20, "7"])
def test_it_estimates_usage_that_is_absent_or_absurd(count):
    reply, _ = read(start(input_tokens=10), WHOLE, ending(output_tokens=count))
    assert reply.usage == Usage(5, 2, estimated=True)


def test_it_estimates_what_was_written_where_only_the_beginning_was_counted():
    reply, _ = read(start(input_tokens=10, cache_read_input_tokens=5, output_tokens=1), WHOLE, ending())
    assert reply.usage == Usage(15, 2, 5, estimated=True)


@pytest.mark.parametrize("told", [{"output_tokens": 0}, {"output_tokens": 7}])
def test_it_believes_no_count_without_a_prompt(told):
    reply, _ = read(start(input_tokens=0, output_tokens=0), WHOLE, ending(**told))
    assert reply.usage == Usage(5, 2, estimated=True)


def test_it_reads_calls_in_fragments():
    reply, _ = read(block(0, TOOL, part(""), part('{"query"'), part(': "x"}')), ending("tool_use"))
    [call] = reply.tool_calls
    assert (call.id, call.name, call.arguments) == ("toolu_1", "search_nodes", '{"query": "x"}')
    assert reply.end == "tool_calls"


@pytest.mark.parametrize(("given", "read_as"), [({}, "{}"), ({"a": 1}, '{"a": 1}'), (None, "{}")])
def test_it_takes_arguments_that_come_whole_or_not_at_all(given, read_as):
    reply, _ = read(block(0, {**TOOL, "input": given}), ending("tool_use"))
    assert reply.tool_calls[0].arguments == read_as


def test_it_keeps_thinking_with_its_signature():
    thinking = block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": "s1"},
    )
    hidden = block(1, {"type": "redacted_thinking", "data": "sealed"})
    reply, _ = read(start(), thinking, hidden, WHOLE.replace(b'"index": 0', b'"index": 2'), ending())
    assert (reply.reasoning, reply.vendor) == ("Hm.", "anthropic")
    assert reply.vendor_blocks == (
        {"type": "thinking", "thinking": "Hm.", "signature": "s1"},
        {"type": "redacted_thinking", "data": "sealed"},
    )


def test_it_keeps_no_thinking_without_a_signature():
    thinking = block(0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "Hm."})
    assert read(thinking, ending())[0].vendor_blocks == ()


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
        ("new", "stop"),
        (None, "stop"),
        ("model_context_window_exceeded", "length"),
    ],
)
def test_it_maps_stop_reasons(said, end):
    assert read(start(), WHOLE, ending(said))[0].end == end


@pytest.mark.parametrize(
    "chunks",
    [
        (start(), WHOLE),
        (start(), WHOLE, event("message_delta", delta={"stop_reason": "end_turn"})),
        (block(0, TOOL, part('{"id": 42'), stop=False),),
    ],
)
def test_it_counts_no_answer_without_message_stop(chunks):
    reply, error = read(*chunks)
    assert (reply.end, error) == (None, "network")


def test_it_never_completes_the_arguments_of_a_cut_call():
    reply, _ = read(block(0, TOOL, part('{"id": 42, "na'), stop=False))
    assert reply.tool_calls[0].arguments == '{"id": 42, "na'


def test_it_gives_calls_with_the_same_id_ids_of_their_own():
    reply, _ = read(block(0, TOOL, part("{}")), block(1, TOOL, part("{}")), ending("tool_use"))
    assert [call.id for call in reply.tool_calls] == ["toolu_1", "call_2"]


def test_it_takes_an_index_that_begins_again_for_a_new_block():
    reply, _ = read(
        block(0, TOOL, part('{"a": 1}'), stop=False),
        block(0, {**TOOL, "id": "toolu_2"}, part("{}")),
        ending("tool_use"),
    )
    assert [call.arguments for call in reply.tool_calls] == ['{"a": 1}', "{}"]


def test_it_shows_text_of_a_block_that_never_began():
    assert read(event("content_block_delta", index=9, delta=text("lost")), ending())[0].text == "lost"


def test_it_ignores_pings_and_unknown_events_and_blocks():
    unknown = block(5, {"type": "server_tool_use", "id": "x"}, part('{"a": 1}'))
    reply, error = read(event("ping"), event("new_event", x=1), unknown, WHOLE, ending())
    assert (reply.text, reply.tool_calls, error) == ("Hello", (), "")


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("overloaded_error", "server_error"),
        ("rate_limit_error", "rate_limit"),
        ("api_error", "server_error"),
        ("authentication_error", "auth_error"),
        ("timeout_error", "timeout"),
        ("invalid_request_error", "internal"),
    ],
)
def test_it_classifies_error_events(kind, code):
    reply, error = read(start(), WHOLE, event("error", error={"type": kind, "message": "sorry"}))
    assert (reply.text, error) == ("Hello", code)
