from chat.providers.model_request import PromptMessage, ToolCall, ToolSpec
from chat.providers.openai_chat import chat_body
from chat.providers.provider import ProviderConfig
from tests.chat.providers.reading import request_of

CONFIG = ProviderConfig("openai", "openai", "http://x", "m", 10, None)
CALL = ToolCall("call_1", "search_nodes", '{"query": "a"}')


def body_of(*messages: PromptMessage, config=CONFIG, **fields):
    return chat_body(request_of(messages=messages, **fields), config)


def test_it_sends_messages_as_they_are():
    body = body_of(PromptMessage("system", "Be brief."), PromptMessage("user", "Hello"))
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]


def test_it_asks_for_a_stream_with_usage_and_limits_the_answer():
    body = body_of(PromptMessage("user", "Hello"))
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert body["max_tokens"] == 1000


def test_it_names_the_limit_as_the_vendor_does():
    config = ProviderConfig("openai", "openai", "http://x", "m", 10, None, max_tokens_field="max_completion_tokens")
    body = body_of(PromptMessage("user", "Hello"), config=config)
    assert body["max_completion_tokens"] == 1000
    assert "max_tokens" not in body


def test_it_leaves_tools_out_when_there_are_none():
    assert "tools" not in body_of(PromptMessage("user", "Hello"))


def test_it_sends_tools_as_functions():
    tool = ToolSpec("search_nodes", "Finds nodes", {"type": "object"})
    [sent] = body_of(PromptMessage("user", "Hello"), tools=(tool,))["tools"]
    function = {"name": "search_nodes", "description": "Finds nodes", "parameters": {"type": "object"}}
    assert sent == {"type": "function", "function": function}


def test_it_sends_tool_calls_and_their_results():
    body = body_of(
        PromptMessage("assistant", tool_calls=(CALL,)), PromptMessage("tool", '{"nodes": []}', tool_call_id="call_1")
    )
    call = {"id": "call_1", "type": "function", "function": {"name": "search_nodes", "arguments": '{"query": "a"}'}}
    assert body["messages"] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"nodes": []}'},
    ]


def test_it_sends_an_empty_object_for_malformed_arguments():
    malformed = ToolCall("call_1", "search_nodes", '{"query": "fe')
    [message] = body_of(PromptMessage("assistant", tool_calls=(malformed,)))["messages"]
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


def test_it_gives_reasoning_back_only_to_vendors_that_want_it():
    asked = PromptMessage("assistant", tool_calls=(CALL,), reasoning="I must search.")
    deepseek = ProviderConfig("deepseek", "openai", "http://x", "m", 10, None, echo_reasoning=True)
    assert "reasoning_content" not in body_of(asked)["messages"][0]
    assert body_of(asked, config=deepseek)["messages"][0]["reasoning_content"] == "I must search."


def test_it_gives_empty_reasoning_back_too():
    deepseek = ProviderConfig("deepseek", "openai", "http://x", "m", 10, None, echo_reasoning=True)
    body = body_of(PromptMessage("assistant", tool_calls=(CALL,)), PromptMessage("user", "x"), config=deepseek)
    assert body["messages"][0]["reasoning_content"] == ""
    assert "reasoning_content" not in body["messages"][1]


def test_it_gives_reasoning_back_in_the_whole_of_a_turn_with_calls_and_nowhere_else():
    deepseek = ProviderConfig("deepseek", "openai", "http://x", "v4", 10, None, echo_reasoning=True)
    own, other = "deepseek:v4-pro", "openai:gpt-4o"
    body = body_of(
        PromptMessage("user", "One"),
        PromptMessage("assistant", "1", reasoning="no calls here", model=own),
        PromptMessage("user", "Two"),
        PromptMessage("assistant", tool_calls=(CALL,), reasoning="of another vendor", model=other),
        PromptMessage("tool", "found", tool_call_id="call_1"),
        PromptMessage("assistant", "2", reasoning="the last word", model=own),
        config=deepseek,
    )
    echoed = [message.get("reasoning_content") for message in body["messages"] if message["role"] == "assistant"]
    assert echoed == [None, "", "the last word"]


def test_it_joins_neighbours_of_one_role():
    call = PromptMessage("assistant", tool_calls=(CALL,))
    found = PromptMessage("tool", "found", tool_call_id="call_1")
    body = body_of(
        PromptMessage("user", "One"), PromptMessage("user", "Two"), PromptMessage("assistant", "I look."), call, found
    )
    assert [(message["role"], message["content"]) for message in body["messages"]] == [
        ("user", "One\n\nTwo"), ("assistant", "I look."), ("tool", "found")
    ]  # fmt: skip
    assert body["messages"][1]["tool_calls"]


def test_it_offers_no_tools_that_may_not_be_called_unless_the_vendor_knows_how_to_forbid_them():
    tool = ToolSpec("search_nodes", "Finds nodes", {"type": "object"})
    asked = {"tools": (tool,), "tools_allowed": False}
    assert "tools" not in body_of(PromptMessage("user", "Hello"), **asked)
    knows = ProviderConfig("openai", "openai", "http://x", "m", 10, None, tool_choice_none=True)
    body = body_of(PromptMessage("user", "Hello"), config=knows, **asked)
    assert (body["tools"][0]["function"]["name"], body["tool_choice"]) == ("search_nodes", "none")
    assert "tool_choice" not in body_of(PromptMessage("user", "Hello"), config=knows, tools=(tool,))
