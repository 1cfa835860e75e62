"""The demo as a provider: its pieces, and what it makes of requests that no person's question ends."""

import asyncio
import json
import string
from dataclasses import replace

import pytest

from chat.providers.demo.provider import DemoProvider
from chat.providers.demo.sentences import PHRASES
from chat.providers.model_request import ModelRequest, PromptMessage, ToolCall, ToolSpec
from chat.providers.pieces import Piece, ReasoningDelta, TextDelta, TurnEnd
from tests.chat.providers.demo.conversing import CONFIG, next_reply
from tests.chat.providers.reading import folded

TOOLS = tuple(ToolSpec(name, "", {"type": "object"}) for name in ("read_graph_overview", "search_nodes"))
CONTEXT = "[Some words about data.]\n<data 0a1b>\nnodes[0]:\n</data 0a1b>\n\n"


def request(*messages: PromptMessage, tools: tuple[ToolSpec, ...] = TOOLS) -> ModelRequest:
    return ModelRequest(messages, tools, "demo", 4096)


def asked(words: str) -> PromptMessage:
    return PromptMessage("user", CONTEXT + words)


def pieces(of: ModelRequest, delay_s: float = 0) -> list[Piece]:
    async def read() -> list[Piece]:
        return [piece async for piece in DemoProvider(CONFIG, delay_s=delay_s).stream(of)]

    return asyncio.run(read())


@pytest.mark.parametrize(
    ("words", "said"), [("hello", "not a language model"), ("Bonjour", "pas un modèle de langage")]
)
def test_it_says_that_it_is_no_language_model(words: str, said: str) -> None:
    assert said in next_reply(request(asked(words))).text


def test_it_is_deterministic_and_streams_word_by_word() -> None:
    first = pieces(request(asked("hello")))
    assert first == pieces(request(asked("hello")))
    assert len(first) > 30
    assert first[-1] == TurnEnd("stop")
    assert folded(first).usage.estimated  # type: ignore[union-attr]


def test_it_thinks_aloud_before_it_looks_something_up() -> None:
    told = pieces(request(asked("find the API")))
    assert isinstance(told[0], ReasoningDelta)
    assert "“API”" in folded(told).reasoning
    assert not any(isinstance(piece, TextDelta) for piece in told)
    assert told[-1] == TurnEnd("tool_calls")


def test_it_stops_when_it_is_cancelled() -> None:
    async def read_and_cancel() -> int:
        seen = []

        async def read() -> None:
            async for piece in DemoProvider(CONFIG, delay_s=60).stream(request(asked("hello"))):
                seen.append(piece)

        reading = asyncio.ensure_future(read())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        assert reading.cancelled()
        return len(seen)

    assert asyncio.run(read_and_cancel()) <= 1


def test_it_calls_no_tools_that_it_may_not_call() -> None:
    reply = next_reply(replace(request(asked("find x1")), tools_allowed=False))
    assert (reply.end, reply.tool_calls) == ("stop", ())
    assert "no tool at hand" in reply.text


@pytest.mark.parametrize(("before", "hinted"), [([], True), ([asked("hello")], False)])
def test_without_more_tools_it_answers_with_what_it_found(before: list[PromptMessage], hinted: bool) -> None:
    before = [*before, *(PromptMessage("assistant", next_reply(request(each)).text) for each in before)]
    call = ToolCall("call_1", "search_nodes", '{"query": "API", "maxResults": 8}')
    found = json.dumps({"nodes": [{"key": "fetch-api", "name": "Fetch", "type": "api-call"}]})
    messages = (
        *before,
        asked("What does the API do?"),
        PromptMessage("assistant", tool_calls=(call,)),
        PromptMessage("tool", found, tool_call_id="call_1"),
        PromptMessage("user", "[No more tool calls are possible.]"),
    )
    reply = next_reply(replace(request(*messages), tools_allowed=False))
    assert "- {{node:fetch-api}} (Fetch), `api-call`" in reply.text
    assert ("Ask me for help" in reply.text) == hinted
    assert "What is here?" not in reply.text


def test_it_passes_over_notes_and_data_in_front_of_a_question() -> None:
    records = "[Other words.]\n<data 9f>\n[what is here]\n</data 9f>\n\n"
    messages = PromptMessage("user", f"{records}{CONTEXT}hello"), PromptMessage("user", "[A line of the engine.]")
    assert "What is here?" in next_reply(request(*messages)).text


def test_it_tells_of_decisions_that_come_as_a_note() -> None:
    results = [{"changes": 2, "proposalId": "p", "status": "applied"}, {"proposalId": "q", "status": "rejected"}]
    note = " ".join(f"[Some words about propose_batch: {json.dumps(result)}]" for result in results)
    text = next_reply(request(asked("hello"), PromptMessage("assistant", "Hello."), PromptMessage("user", note))).text
    assert "changes recorded: 2." in text
    assert "It was rejected." in text


def test_a_person_cannot_write_a_decision() -> None:
    text = 'Look: {"proposalId": "p", "status": "applied", "changes": 7}'
    assert "changes recorded" not in next_reply(request(PromptMessage("user", text), tools=())).text


def test_both_languages_have_the_same_phrases_with_the_same_parts() -> None:
    parts = {
        language: {
            name: {part for _, part, _, _ in string.Formatter().parse(text) if part} for name, text in table.items()
        }
        for language, table in PHRASES.items()
    }
    assert parts["en"] == parts["fr"]


def test_code_with_fences_stands_in_a_longer_fence() -> None:
    calls = [
        ToolCall("call_1", "search_nodes", '{"query": "x1", "maxResults": 8}'),
        ToolCall("call_2", "read_node_detail", '{"nodeKey": "x1"}'),
        ToolCall("call_3", "list_node_edges", '{"nodeKey": "x1"}'),
    ]
    node = {"key": "x1", "name": "", "type": "note", "sheet": "main", "process": "// ```\nreturn 1;"}
    results = [{"nodes": [node]}, {"node": node}, {"edges": []}]
    messages = [asked("What does x1 do?"), PromptMessage("assistant", tool_calls=tuple(calls))]
    messages += [
        PromptMessage("tool", json.dumps(result), tool_call_id=call.id)
        for call, result in zip(calls, results, strict=True)
    ]
    assert "````js\n// ```\nreturn 1;\n````" in next_reply(request(*messages)).text
