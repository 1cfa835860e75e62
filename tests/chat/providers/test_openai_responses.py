from typing import Any

import pytest

from chat.providers.model_request import PromptMessage, ToolCall, ToolSpec
from chat.providers.openai_responses import responses_body
from chat.providers.openai_responses_stream import ResponsesDecoder
from chat.providers.pieces import Reply, Usage
from chat.providers.provider import ProviderConfig
from tests.chat.providers.reading import decode, request_of
from tests.vendors.anthropic_wire import event
from tests.vendors.responses_wire import responses_events
from tests.vendors.scripts import Script, ScriptedCall
from tests.vendors.seals import seal

CONFIG = ProviderConfig("openai-reasoning", "openai-responses", "http://x", "gpt-5-mini", 10, None)


def read(*chunks: bytes) -> tuple[Reply, str]:
    return decode(ResponsesDecoder(request_of()), chunks)


def script(**fields: Any) -> tuple[Reply, str]:
    return read(*responses_events(Script(**fields), "m"))


def test_it_sends_messages_calls_and_results_as_items():
    sealed = {"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"}
    messages = (
        PromptMessage("system", "Be brief."),
        PromptMessage("user", "Look"),
        PromptMessage(
            "assistant",
            "I look.",
            tool_calls=(ToolCall("c", "one", "{}"),),
            vendor="openai-responses",
            vendor_blocks=(sealed,),
            model="openai-reasoning:gpt-5-mini-2025-08-07",
        ),
        PromptMessage("tool", "found", tool_call_id="c"),
    )
    tools = (ToolSpec("one", "First", {"type": "object"}),)
    body = responses_body(request_of(messages=messages, tools=tools), CONFIG)
    assert body["input"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look"},
        sealed,
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c", "name": "one", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "found"},
    ]
    assert body["tools"][0]["name"] == "one"
    assert body["store"] is False
    assert body["reasoning"] == {"summary": "auto"}


def test_it_sends_the_reasoning_of_other_vendors_nowhere():
    theirs = PromptMessage("assistant", "x", vendor="anthropic", vendor_blocks=({"type": "thinking"},))
    other = PromptMessage(
        "assistant",
        "y",
        vendor="openai-responses",
        vendor_blocks=({"type": "reasoning"},),
        model="openai-reasoning:gpt-5",
    )
    assert responses_body(request_of(messages=(theirs, other)), CONFIG)["input"] == [
        {"role": "assistant", "content": "x"},
        {"role": "assistant", "content": "y"},
    ]


def test_it_names_tools_that_may_not_be_called_and_forbids_them():
    tools = (ToolSpec("one", "First", {"type": "object"}),)
    body = responses_body(request_of(tools=tools, tools_allowed=False), CONFIG)
    assert (body["tools"][0]["name"], body["tool_choice"]) == ("one", "none")


def test_it_reads_summaries_text_and_usage():
    reply, error = script(reasoning="I think.", text="Hello you")
    assert error == ""
    assert (reply.reasoning, reply.text, reply.end) == ("I think.", "Hello you", "stop")
    assert reply.usage == Usage(100, 20, 40)
    [sealed] = reply.vendor_blocks
    assert (reply.vendor, sealed["encrypted_content"]) == ("openai-responses", seal("m", "I think."))


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        (
            {"id": "r\x00", "summary": [{"type": "summary_text", "text": "a\x00\ud800"}], "encrypted_content": "s\x00"},
            {
                "id": "r\ufffd",
                "summary": [{"type": "summary_text", "text": "a\ufffd\ufffd"}],
                "encrypted_content": "s\ufffd",
            },
        ),
        (
            {"id": 7, "summary": [[[]], {"text": 3}], "encrypted_content": "s"},
            {"summary": [], "encrypted_content": "s"},
        ),
        (
            {"id": "r", "summary": {"a": 1}, "encrypted_content": "s"},
            {"id": "r", "summary": [], "encrypted_content": "s"},
        ),
    ],
)
def test_it_keeps_nothing_of_sealed_reasoning_that_could_not_be_stored_or_sent_back(item, kept):
    done = event("response.output_item.done", output_index=0, item={"type": "reasoning"} | item)
    reply, error = read(done, event("response.completed", response={}))
    assert (error, reply.vendor_blocks) == ("", ({"type": "reasoning"} | kept,))


def test_it_counts_sealed_reasoning_against_the_limit_of_an_answer():
    item = {"type": "reasoning", "encrypted_content": "s" * 1_000_000}
    reply, error = read(*[event("response.output_item.done", output_index=0, item=item)] * 5)
    assert (error, len(reply.vendor_blocks)) == ("server_error", 4)


@pytest.mark.parametrize("sealed", [["s"], {"s": 1}, 7, True])
def test_it_keeps_no_reasoning_whose_seal_is_no_text(sealed):
    done = event("response.output_item.done", item={"type": "reasoning", "encrypted_content": sealed})
    assert read(done, event("response.completed", response={}))[0].vendor_blocks == ()


def test_it_sets_summaries_apart():
    part, delta = "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta"
    reply, _ = read(event(part), event(delta, delta="One."), event(part), event(delta, delta="Two."))
    assert reply.reasoning == "One.\n\nTwo."


def test_it_reads_calls():
    reply, _ = script(tool_calls=(ScriptedCall("one", {"a": 1}, "c1"), ScriptedCall("two", {}, "c2")))
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("c1", "one", '{"a": 1}'),
        ("c2", "two", "{}"),
    ]
    assert reply.end == "tool_calls"


def test_it_reads_a_call_that_comes_whole():
    item = {"type": "function_call", "call_id": "c1", "name": "one", "arguments": '{"a": 1}'}
    reply, _ = read(
        event("response.output_item.done", output_index=0, item=item), event("response.completed", response={})
    )
    assert reply.tool_calls == (ToolCall("c1", "one", '{"a": 1}'),)


@pytest.mark.parametrize("end", ["length", "content_filter"])
def test_it_maps_incomplete_answers(end):
    assert script(text="Hello", finish=end)[0].end == end


def test_it_counts_no_answer_that_was_not_completed():
    reply, error = script(text="Hello", finish="")
    assert (reply.text, reply.end, error) == ("Hello", None, "network")


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (event("response.failed", response={"error": {"code": "server_error", "message": "sorry"}}), "server_error"),
        (
            event("response.failed", response={"error": {"code": "rate_limit_exceeded", "message": "slow"}}),
            "rate_limit",
        ),
        (event("error", code="context_length_exceeded", message="too long"), "context_length"),
    ],
)
def test_it_classifies_failures(failure, code):
    assert read(failure)[1] == code
