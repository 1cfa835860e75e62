import json
from typing import Any

import pytest

from chat.providers.model_request import PromptMessage, ToolCall
from chat.providers.openai_chat_stream import ChatDecoder
from chat.providers.pieces import Reply, Usage
from tests.chat.providers.reading import decode, request_of


def sse(payload: Any) -> bytes:
    return b"data: " + json.dumps(payload).encode() + b"\n\n"


def delta(finish: str | None = None, **fields: Any) -> bytes:
    return sse({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def fragment(index: int | None = 0, id: str | None = None, name: str | None = None, arguments: Any = None) -> bytes:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    call = {key: value for key, value in (("index", index), ("id", id)) if value is not None}
    return delta(tool_calls=[{**call, "function": function}])


DONE = b"data: [DONE]\n\n"


def read(*chunks: bytes, request=None) -> tuple[Reply, str]:
    return decode(ChatDecoder(request or request_of()), chunks)


def calls(*chunks: bytes, request=None) -> list[tuple[str, str, str]]:
    reply, error = read(*chunks, delta("tool_calls"), DONE, request=request)
    assert error == ""
    return [(call.id, call.name, call.arguments) for call in reply.tool_calls]


def test_it_reads_text_reasoning_and_usage():
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    reply, _ = read(
        delta(reasoning_content="Hm"),
        delta(content="Hel"),
        delta(content="lo"),
        delta("stop"),
        sse({"choices": [], "usage": usage}),
        DONE,
    )
    assert reply == Reply(text="Hello", reasoning="Hm", usage=Usage(9, 3, 4), end="stop")


def test_it_reads_the_cache_hits_of_deepseek():
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 8}
    reply, _ = read(delta("stop", content="x"), sse({"choices": [], "usage": usage}), DONE)
    assert reply.usage == Usage(9, 3, 8)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -1, "completion_tokens": 3},
        {"prompt_tokens": 10**30, "completion_tokens": 3},
        {"prompt_tokens": "9", "completion_tokens": 3},
        {"prompt_tokens": True, "completion_tokens": 3},
    ],
)
def test_it_estimates_usage_that_is_absent_or_absurd(usage):
    reply, _ = read(delta("stop", content="x" * 40), sse({"choices": [], "usage": usage}), DONE)
    assert reply.usage == Usage(5, 10, estimated=True)


def test_it_never_counts_more_cached_tokens_than_tokens():
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "prompt_cache_hit_tokens": 80}
    reply, _ = read(delta("stop", content="x"), sse({"choices": [], "usage": usage}), DONE)
    assert reply.usage == Usage(9, 3, 9)


def test_it_assembles_calls_from_fragments():
    assert calls(
        fragment(0, "a", "search_nodes", ""),
        fragment(0, arguments='{"query"'),
        fragment(1, "b", "read_node_detail", '{"nodeKey": "x"}'),
        fragment(0, arguments=': "y"}'),
    ) == [("a", "search_nodes", '{"query": "y"}'), ("b", "read_node_detail", '{"nodeKey": "x"}')]


def test_it_takes_indexes_that_jump():
    assert calls(fragment(7, "a", "one", "{}"), fragment(3, "b", "two", "{}")) == [
        ("a", "one", "{}"),
        ("b", "two", "{}"),
    ]


def test_it_tells_two_calls_at_one_index_apart_by_their_ids():
    assert calls(fragment(0, "a", "one", "{}"), fragment(0, "b", "two", "{}")) == [
        ("a", "one", "{}"),
        ("b", "two", "{}"),
    ]


def test_it_takes_an_id_that_comes_again_with_every_fragment():
    assert calls(fragment(0, "a", "one", "{"), fragment(0, "a", "one", "}")) == [("a", "one", "{}")]


def test_it_takes_calls_without_an_index():
    assert calls(fragment(None, "a", "one", "{"), fragment(None, arguments="}"), fragment(None, "b", "two", "{}")) == [
        ("a", "one", "{}"),
        ("b", "two", "{}"),
    ]


def test_it_makes_reused_ids_unique():
    assert [call[0] for call in calls(fragment(0, "a", "one", "{}"), fragment(1, "a", "two", "{}"))] == ["a", "call_2"]


def test_it_makes_ids_unique_in_the_whole_conversation():
    before = PromptMessage("assistant", tool_calls=(ToolCall("a", "one", "{}"), ToolCall("call_2", "one", "{}")))
    request = request_of(messages=(before,))
    ids = [call[0] for call in calls(fragment(0, "a", "one", "{}"), fragment(1, None, "two", "{}"), request=request)]
    assert len({"a", "call_2", *ids}) == 4


@pytest.mark.parametrize("bad", [None, "", "a b", "x" * 65, "é"])
def test_it_replaces_ids_that_other_vendors_would_refuse(bad):
    assert [call[0] for call in calls(fragment(0, bad, "one", "{}"))] == ["call_1"]


def test_it_waits_for_a_name_that_comes_late():
    assert calls(fragment(0, "a", None, "{"), fragment(0, None, "one", "}")) == [("a", "one", "{}")]


def test_it_names_a_call_that_never_gets_a_name():
    assert calls(fragment(0, "a", "", "{}")) == [("a", "unnamed_tool", "{}")]


def test_it_cleans_names_that_vendors_refuse_in_the_history():
    assert calls(fragment(0, "a", "drop table;", "{}")) == [("a", "drop-table-", "{}")]


@pytest.mark.parametrize(("arguments", "read_as"), [("", "{}"), ("  ", "  {}"), ({"a": 1}, '{"a": 1}'), (None, "{}")])
def test_it_reads_arguments_that_are_empty_or_an_object(arguments, read_as):
    assert calls(fragment(0, "a", "one", arguments)) == [("a", "one", read_as)]


def test_it_keeps_malformed_arguments_for_the_engine_to_refuse():
    assert calls(fragment(0, "a", "one", '{"query": "fe')) == [("a", "one", '{"query": "fe')]


@pytest.mark.parametrize("chunks", [(), (delta(content="Hel"),), (delta(content="Hel"), DONE)])
def test_it_counts_no_answer_whose_end_was_not_said(chunks):
    reply, error = read(*chunks)
    assert (reply.end, error) == (None, "network")


def test_it_counts_an_answer_that_ends_without_done():
    reply, error = read(delta(content="Hello"), delta("stop"))
    assert (reply.text, reply.end, error) == ("Hello", "stop", "")


def test_it_counts_an_answer_whose_last_event_lacks_the_empty_line():
    reply, error = read(delta(content="Hello"), delta("stop").rstrip())
    assert (reply.end, error) == ("stop", "")


def test_it_counts_no_answer_that_is_cut_within_its_last_event():
    reply, error = read(delta(content="Hello"), delta("stop")[:-5])
    assert (reply.end, error) == (None, "network")


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("eos", "stop"),
        ("tool_calls", "stop"),
    ],
)
def test_it_maps_finish_reasons(said, end):
    assert read(delta(said, content="x"), DONE)[0].end == end


def test_it_says_tool_calls_where_a_vendor_says_stop_after_calls():
    assert read(fragment(0, "a", "one", "{}"), delta("stop"), DONE)[0].end == "tool_calls"


@pytest.mark.parametrize("reasons", [("stop", "length"), ("length", "stop")])
def test_it_believes_the_graver_of_two_finish_reasons(reasons):
    assert read(*(delta(reason) for reason in reasons), DONE)[0].end == "length"


def test_it_shows_a_refusal_as_text():
    assert read(delta("stop", refusal="I cannot."), DONE)[0].text == "I cannot."


def test_it_reads_only_the_first_choice():
    second = sse({"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "stop"}]})
    assert read(delta("stop", content="mine"), second, DONE)[0].text == "mine"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"object": "unknown.event"},
        {"choices": [{"delta": {"tool_calls": [None, {}, {"function": 1}]}}]},
    ],
)
def test_it_takes_events_of_unknown_shape_without_failing(payload):
    _, error = read(sse(payload), delta("stop", content="x"), DONE)
    assert error == ""


@pytest.mark.parametrize(
    "data", [b"data: {not json\n\n", b"data: [1]\n\n", b'data: "text"\n\n', b"data: " + b"[" * 5000 + b"\n\n"]
)
def test_it_fails_at_garbage_and_keeps_what_came_before(data):
    reply, error = read(delta(content="before"), data, delta("stop"), DONE)
    assert (reply.text, reply.end, error) == ("before", None, "server_error")


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"error": {"message": "Rate limit reached", "type": "rate_limit_error"}}, "rate_limit"),
        ({"error": {"message": "boom", "code": 502}}, "server_error"),
        ({"error": {"message": "flagged by our content filter", "code": "content_filter"}}, "content_filter"),
        ({"error": "something"}, "server_error"),
    ],
)
def test_it_classifies_errors_within_the_stream(payload, code):
    assert read(delta(content="x"), sse(payload))[1] == code


def test_it_fails_when_the_vendor_runs_out_of_resources():
    assert read(delta("insufficient_system_resource"), DONE)[1] == "server_error"


@pytest.mark.parametrize(
    ("body", "code"), [(b"<html>Bad Gateway</html>", "server_error"), (b"", "network"), (b"\n\n", "server_error")]
)
def test_it_refuses_a_body_that_is_no_event_stream(body, code):
    assert read(body)[1] == code


def test_it_limits_a_reply():
    _, error = read(*(delta(content="x" * 500_000) for _ in range(10)))
    assert error == "server_error"


def test_it_limits_the_number_of_calls():
    _, error = read(*(fragment(n, f"id{n}", "one", "{}") for n in range(200)))
    assert error == "server_error"


def test_it_cleans_text_of_nul_surrogates_and_wrong_utf8():
    raw = b'data: {"choices": [{"delta": {"content": "a\\u0000b\\ud83dc\xffd"}, "finish_reason": "stop"}]}\n\n'
    assert read(raw, DONE)[0].text == "a\ufffdb\ufffdc\ufffdd"


def test_it_reads_no_further_than_done():
    assert read(delta("stop", content="x"), DONE + delta(content="more"))[0].text == "x"
