from dataclasses import replace

import pytest

from chat.providers.anthropic_messages import anthropic_messages, messages_body
from chat.providers.model_request import PromptMessage, ToolCall, ToolSpec
from chat.providers.provider import ProviderConfig
from tests.chat.providers.reading import request_of

CONFIG = ProviderConfig("anthropic", "anthropic", "http://x", "m", 10, None)
THINKING = ProviderConfig("anthropic", "anthropic", "http://x", "m", 10, None, thinking_tokens=2048)
CALL = ToolCall("call_1", "search_nodes", '{"query": "a"}')
SIGNED = {"type": "thinking", "thinking": "Hm", "signature": "s"}
OWN = "anthropic-thinking:m-20260101"
EPHEMERAL = {"type": "ephemeral"}


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def test_it_joins_the_system_messages_by_blank_lines():
    system, messages = anthropic_messages(
        [PromptMessage("system", "A"), PromptMessage("system", "B"), PromptMessage("user", "Hello")]
    )
    assert system == "A\n\nB"
    assert messages == [{"role": "user", "content": [text("Hello")]}]


def test_it_leaves_later_system_messages_where_they_are():
    history = [PromptMessage("system", "A"), PromptMessage("user", "one"), PromptMessage("assistant", "two")]
    before = anthropic_messages(history)
    system, messages = anthropic_messages(
        [*history, PromptMessage("system", "context"), PromptMessage("user", "three")]
    )
    assert system == "A"
    assert messages[:2] == before[1]
    assert messages[2] == {"role": "user", "content": [text("context"), text("three")]}


def test_it_leaves_system_and_tools_out_when_there_are_none():
    body = messages_body(request_of("Hello"), CONFIG)
    assert "system" not in body
    assert "tools" not in body
    assert "thinking" not in body


def test_it_always_limits_the_answer():
    assert messages_body(request_of("Hello"), CONFIG)["max_tokens"] == 1000


def test_it_sends_tools_with_their_schema():
    tool = ToolSpec("search_nodes", "Finds nodes", {"type": "object"})
    [sent] = messages_body(request_of(tools=(tool,)), CONFIG)["tools"]
    assert sent == {"name": "search_nodes", "description": "Finds nodes", "input_schema": {"type": "object"}}


def test_it_sends_calls_as_blocks_and_merges_their_results():
    other = ToolCall("call_2", "read_node_detail", "{}")
    _, messages = anthropic_messages(
        [
            PromptMessage("user", "Look"),
            PromptMessage("assistant", "I look.", tool_calls=(CALL, other)),
            PromptMessage("tool", "found", tool_call_id="call_1"),
            PromptMessage("tool", "", tool_call_id="call_2"),
            PromptMessage("user", "And?"),
        ]
    )
    assert messages[1]["content"] == [
        text("I look."),
        {"type": "tool_use", "id": "call_1", "name": "search_nodes", "input": {"query": "a"}},
        {"type": "tool_use", "id": "call_2", "name": "read_node_detail", "input": {}},
    ]
    assert messages[2] == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": "found"},
            {"type": "tool_result", "tool_use_id": "call_2", "content": "(empty)"},
            text("And?"),
        ],
    }


@pytest.mark.parametrize("arguments", ["", '{"query": "fe', "[1]", "null"])
def test_it_sends_an_empty_object_for_malformed_arguments(arguments):
    _, [message] = anthropic_messages([PromptMessage("assistant", tool_calls=(ToolCall("a", "one", arguments),))])
    assert message["content"][0]["input"] == {}


def test_it_merges_messages_of_one_role():
    _, messages = anthropic_messages([PromptMessage("user", "one"), PromptMessage("user", "two")])
    assert messages == [{"role": "user", "content": [text("one"), text("two")]}]


def test_it_sends_no_empty_text():
    _, messages = anthropic_messages([PromptMessage("user", "one"), PromptMessage("assistant", " \n")])
    assert messages == [{"role": "user", "content": [text("one")]}]


def test_it_rewrites_ids_of_other_vendors_alike_in_calls_and_results():
    call = ToolCall("chat.call:1", "one", "{}")
    _, messages = anthropic_messages(
        [PromptMessage("assistant", tool_calls=(call,)), PromptMessage("tool", "x", tool_call_id="chat.call:1")]
    )
    assert messages[0]["content"][0]["id"] == messages[1]["content"][0]["tool_use_id"] == "chat_call_1"


def test_it_marks_cache_breakpoints():
    system, messages = anthropic_messages(
        [
            PromptMessage("system", "A"),
            PromptMessage("system", "B", cache_breakpoint=True),
            PromptMessage("system", "C"),
            PromptMessage("user", "Hello", cache_breakpoint=True),
        ]
    )
    assert system == [{**text("A\n\nB"), "cache_control": EPHEMERAL}, text("C")]
    assert messages == [{"role": "user", "content": [{**text("Hello"), "cache_control": EPHEMERAL}]}]


def test_it_sends_at_most_four_cache_breakpoints_the_last_ones():
    roles = ["user", "assistant"] * 3
    _, messages = anthropic_messages(
        [PromptMessage(role, f"{n}", cache_breakpoint=True) for n, role in enumerate(roles)]
    )
    assert ["cache_control" in message["content"][0] for message in messages] == [False, False, True, True, True, True]


def test_it_returns_signed_thinking_before_the_calls_it_led_to():
    asked = PromptMessage("assistant", tool_calls=(CALL,), vendor="anthropic", vendor_blocks=(SIGNED,), model=OWN)
    answer = PromptMessage("tool", "found", tool_call_id="call_1")
    request = request_of(messages=(PromptMessage("user", "Look"), asked, answer), max_tokens=4096)
    body = messages_body(request, THINKING)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert body["messages"][1]["content"][0] == SIGNED


def test_it_thinks_on_in_a_turn_whose_later_calls_came_without_a_thought():
    """A model with a budget thinks once in a turn; without thinking all thoughts would go, and the prefix with them."""
    first = PromptMessage("assistant", tool_calls=(CALL,), vendor="anthropic", vendor_blocks=(SIGNED,), model=OWN)
    second = PromptMessage("assistant", tool_calls=(replace(CALL, id="call_2"),), vendor="anthropic", model=OWN)
    found = [PromptMessage("tool", "found", tool_call_id=call_id) for call_id in ("call_1", "call_2")]
    asked = (PromptMessage("user", "Look"), first, found[0], second, found[1])
    before, after = (messages_body(request_of(messages=asked[:n], max_tokens=4096), THINKING) for n in (3, 5))
    assert after["thinking"] == before["thinking"]
    assert after["messages"][:3] == before["messages"]


def test_it_does_not_think_in_a_turn_that_began_without_thinking():
    request = request_of(
        messages=(PromptMessage("user", "Look"), PromptMessage("assistant", tool_calls=(CALL,))), max_tokens=4096
    )
    assert "thinking" not in messages_body(request, THINKING)


def test_it_does_not_think_with_more_tokens_than_it_may_write():
    assert "thinking" not in messages_body(request_of(max_tokens=2048), THINKING)


def test_it_lets_newer_models_decide_how_much_they_think():
    adaptive = ProviderConfig("anthropic", "anthropic", "http://x", "m", 10, None, adaptive_thinking=True)
    assert messages_body(request_of(), adaptive)["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_it_returns_its_own_thinking_while_it_thinks_and_that_of_others_never():
    theirs = PromptMessage("assistant", "x", vendor="openai-responses", vendor_blocks=({"type": "reasoning"},))
    sister = PromptMessage(
        "assistant", "z", vendor="anthropic", vendor_blocks=(SIGNED,), model="anthropic:claude-opus-9"
    )
    mine = PromptMessage("assistant", "y", vendor="anthropic", vendor_blocks=(SIGNED,), model=OWN)
    request = request_of(messages=(PromptMessage("user", "Look"), theirs, sister, mine), max_tokens=4096)
    sent = [text("x"), text("z"), SIGNED, text("y")]
    assert messages_body(request, THINKING)["messages"][1]["content"] == sent
    assert messages_body(request, CONFIG)["messages"][1]["content"] == [block for block in sent if block != SIGNED]


def test_it_names_tools_that_may_not_be_called_and_forbids_them():
    tool = ToolSpec("search_nodes", "Finds nodes", {"type": "object"})
    body = messages_body(request_of(tools=(tool,), tools_allowed=False), CONFIG)
    assert body["tools"][0]["name"] == "search_nodes"
    assert body["tool_choice"] == {"type": "none"}
