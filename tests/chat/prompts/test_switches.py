"""A conversation goes on with another model: whatever its history holds, the request keeps the next vendor's rules.

Answers are what the scripted vendors really send, read by our decoders and stored as rounds.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from chat.engine import open_calls
from chat.engine.calling import prepare
from chat.engine.prompt_loading import Prompt
from chat.models import WAITING, Call, Message, Round
from chat.prompts import window
from chat.prompts.deepening import note_about
from chat.prompts.round_messages import round_of
from chat.providers.anthropic_messages import messages_body
from chat.providers.anthropic_stream import MessagesDecoder
from chat.providers.configured_models import ConfiguredModels
from chat.providers.decoding import Decoder
from chat.providers.model_request import ModelRequest, ToolSpec
from chat.providers.openai_chat import chat_body
from chat.providers.openai_chat_stream import ChatDecoder
from chat.providers.openai_responses import responses_body
from chat.providers.openai_responses_stream import ResponsesDecoder
from chat.providers.pieces import Reply, fold
from chat.providers.provider import ProviderConfig
from config.settings import CHAT_PROVIDERS
from tests.vendors.anthropic_wire import messages_events
from tests.vendors.openai_wire import chat_events
from tests.vendors.responses_wire import responses_events
from tests.vendors.rules import broken_rules
from tests.vendors.scripts import Script, ScriptedCall

ENVIRON = {
    **{f"{name}_API_KEY": "k" for name in ("DEEPSEEK", "OPENAI", "ANTHROPIC")},
    "CUSTOM_BASE_URL": "http://localhost/v1",
    "CUSTOM_MODEL": "qwen3:8b",
}
MODELS_OF_ALL = ConfiguredModels(CHAT_PROVIDERS | {
    "anthropic-new": CHAT_PROVIDERS["anthropic"] | {"model": "claude-sonnet-5", "adaptive_thinking": True}
}, ENVIRON)  # fmt: skip
MODELS = (
    "openai",
    "openai-reasoning",
    "openai-reasoning:gpt-5",
    "anthropic",
    "anthropic-thinking",
    "anthropic-thinking:claude-opus-4-6",
    "anthropic-new",
    "deepseek",
    "custom",
)
TOOL = ToolSpec("search_nodes", "Finds nodes.", {"type": "object", "properties": {}})


@dataclass(frozen=True)
class Wire:
    path: str
    body: Callable[[ModelRequest, ProviderConfig], dict[str, Any]]
    decoder: Callable[[ModelRequest], Decoder]
    events: Callable[[Script, str], Iterator[bytes]]


WIRES = {
    "openai": Wire("/v1/chat/completions", chat_body, ChatDecoder, chat_events),
    "openai-responses": Wire("/v1/responses", responses_body, ResponsesDecoder, responses_events),
    "anthropic": Wire("/v1/messages", messages_body, MessagesDecoder, messages_events),
}


class Spoken:
    """What models have said so far: each answer is asked for, and read, over the wire of its model."""

    def __init__(self, config: ProviderConfig) -> None:
        self.config = config
        self.messages: list[Message] = []
        self.under_way: list[Round] = []
        self._rounds = 0

    def person(self, text: str = "What?", **fields: Any) -> None:
        self.messages.append(Message(role="user", content=text, retrieved="<nodes/>", **fields))

    def answer(self, *rounds: Round, **fields: Any) -> None:
        self.messages.append(Message(role="assistant", rounds=list(rounds), **fields))

    def round(self, *results: Any, name: str = "search_nodes", **script: Any) -> Round:
        """A reply with one call for each of the results."""
        self._rounds += 1
        kinds = ("toolu_{}{}", "functions.search:{}{}")
        ids = [kinds[n % 2].format(self._rounds, n) for n in range(len(results))]
        calls = tuple(ScriptedCall(name, {"query": "a"}, id_) for id_ in ids)
        reply = self._reply(Script(tool_calls=calls, **script))
        stored = zip(reply.tool_calls, results, strict=True)
        return round_of(reply, [
            Call(call.id, call.name, {}, result, "ok", call.arguments)
            for call, result in stored
        ])  # fmt: skip

    def _reply(self, script: Script) -> Reply:
        wire = WIRES[self.config.wire]
        decoder = wire.decoder(request_for(self.config, self.messages, self.under_way))
        reply = Reply(model=self.config.id)
        for chunk in wire.events(script, self.config.model):
            for piece in decoder.feed(chunk):
                reply = fold(reply, piece)
        for piece in decoder.close():
            reply = fold(reply, piece)
        return reply


def text(spoken: Spoken) -> None:
    spoken.answer(spoken.round(text="So."))


def one_call(spoken: Spoken) -> None:
    spoken.answer(spoken.round({"nodes": []}, text="I look."), spoken.round(text="So."))


def parallel_calls(spoken: Spoken) -> None:
    spoken.answer(spoken.round({"nodes": []}, {"nodes": []}, []), spoken.round({"x": 1}), spoken.round(text="So."))


def reasoning(spoken: Spoken) -> None:
    thought = {"reasoning": "Let me think. It is 🏀."}
    spoken.answer(spoken.round({"nodes": []}, {}, text="I look.", **thought), spoken.round(text="So.", **thought))


def refused_call(spoken: Spoken) -> None:
    refused = {"error": "There is no such tool."}
    spoken.answer(
        spoken.round(refused, name="drop.tables\u00e9"), spoken.round(refused, text="\n"), spoken.round(text="So.")
    )


def cut_off(spoken: Spoken) -> None:
    """Nothing of the open round is kept but what was shown."""
    spoken.answer(spoken.round({"nodes": []}), round_of(Reply(text="I was abou")), status="failed")


def nothing_said(spoken: Spoken) -> None:
    spoken.answer(status="stopped")


def stopped(spoken: Spoken) -> None:
    spoken.answer(spoken.round({"nodes": []}, reasoning="Hm."), status="stopped")


def pending_proposal(spoken: Spoken) -> None:
    """The person wrote meanwhile, and a late decision came as a note."""
    pending = {"proposalId": "p", "status": "pending"}
    waiting = spoken.round(pending, {"nodes": []}, name="propose_move_node", reasoning="Hm.")
    first, *others = waiting.calls
    spoken.answer(replace(waiting, calls=(replace(first, status=WAITING), *others)))
    open_calls.set_result(spoken.messages[-1], first.id, {**pending, "note": "The person wrote meanwhile."})
    spoken.person("And then?")
    spoken.answer(spoken.round(text="It waits."))
    spoken.person("[Not written by the person. A decision: applied]", kind=Message.NOTE)


def decided_proposal(spoken: Spoken) -> None:
    applied = {"proposalId": "p", "status": "applied"}
    spoken.answer(spoken.round(applied, name="propose_move_node", reasoning="Hm."))
    spoken.answer(Round("It is moved.", aside=True), spoken.round(text="Moved.", reasoning="Hm."))


def deepened(spoken: Spoken) -> None:
    spoken.answer(spoken.round({"nodes": []}, reasoning="Hm."), spoken.round(text="Briefly."))
    spoken.person(note_about("What?"), kind=Message.NOTE)


def question_left_out(spoken: Spoken) -> None:
    spoken.messages.pop()
    spoken.answer(spoken.round({"nodes": []}, reasoning="Hm."), spoken.round(text="So."))


def answer_left_out(spoken: Spoken) -> None:
    spoken.person("Another?")


HISTORIES = (
    *(text, one_call, parallel_calls, reasoning, refused_call, cut_off, nothing_said, stopped, pending_proposal),
    *(decided_proposal, deepened, question_left_out, answer_left_out),
)


def request_for(
    config: ProviderConfig, messages: Sequence[Message], under_way: Sequence[Round] = (), *, tools: bool = True
) -> ModelRequest:
    class Answer:
        rounds = list(under_way)

    said = [entry for message in messages for entry in window.SentMessage(message).entries]
    prompt = Prompt(window.prompt(["You help."], "", said), (TOOL,), (TOOL,), None, "v")
    return prepare(config, prompt, Answer(), tools=tools).request  # type: ignore[arg-type]


def body_for(config: ProviderConfig, *args: Any, **kwargs: Any) -> tuple[dict[str, Any], list[str]]:
    """What is sent, as it arrives, and the rules that it breaks."""
    wire = WIRES[config.wire]
    body = json.loads(json.dumps(wire.body(request_for(config, *args, **kwargs), config)))
    return body, broken_rules(wire.path, body)


@pytest.mark.parametrize("told", HISTORIES, ids=lambda told: told.__name__)
@pytest.mark.parametrize("before", MODELS)
def test_every_switch_keeps_the_rules_of_the_next_vendor(before: str, told: Callable[[Spoken], None]) -> None:
    spoken = Spoken(MODELS_OF_ALL.resolve(before))
    spoken.person()
    told(spoken)
    asked = [*spoken.messages, Message(role="user", content="Next?")]
    waking = [spoken.messages] if spoken.messages[-1].kind == Message.NOTE else []
    for after in MODELS:
        for conversation in (asked, *waking):
            for tools in (True, False):
                assert body_for(MODELS_OF_ALL.resolve(after), conversation, tools=tools)[1] == [], (after, tools)


@pytest.mark.parametrize("before", MODELS)
def test_a_switch_in_the_middle_of_a_turn_keeps_them_too(before: str) -> None:
    """An answer continues after a decision, or after a model was changed at its tool limit."""
    first = Spoken(MODELS_OF_ALL.resolve(before))
    first.person()
    under_way = [first.round({"nodes": []}, {}, reasoning="Hm.", text="I look."), first.round({}, reasoning="Hm.")]
    for after in MODELS:
        config = MODELS_OF_ALL.resolve(after)
        for tools in (True, False):
            assert body_for(config, first.messages, under_way, tools=tools)[1] == [], (after, tools)
        second = Spoken(config)
        second.messages, second.under_way = first.messages, under_way
        mixed = [*under_way, second.round({}, reasoning="Own.")]
        assert body_for(config, first.messages, mixed)[1] == [], (after, "mixed")


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ("anthropic-thinking", ["anthropic-thinking"]),
        ("anthropic-new", ["anthropic-new"]),
        ("openai-reasoning", ["openai-reasoning"]),
        ("deepseek", ["deepseek"]),
        ("openai", []),
    ],
)
def test_thoughts_go_back_to_who_thought_them_and_to_nobody_else(model: str, kept: list[str]) -> None:
    spoken = Spoken(MODELS_OF_ALL.resolve(model))
    spoken.person()
    reasoning(spoken)
    found = []
    for after in MODELS:
        sent = json.dumps(
            body_for(MODELS_OF_ALL.resolve(after), [*spoken.messages, Message(role="user", content="Next?")])[0]
        )
        if "sealed by" in sent or "Let me think" in sent:
            found.append(after)
    assert found == kept


def test_the_last_call_without_tools_keeps_the_prefix_where_the_vendor_allows() -> None:
    spoken = Spoken(MODELS_OF_ALL.resolve("openai"))
    spoken.person()
    rounds = [spoken.round({"nodes": []})]
    for name in ("openai", "openai-reasoning", "anthropic"):
        config = MODELS_OF_ALL.resolve(name)
        with_tools, without = (body_for(config, spoken.messages, rounds, tools=tools)[0] for tools in (True, False))
        assert without["tools"] == with_tools["tools"]
        assert without["tool_choice"] in ("none", {"type": "none"})
    assert "tools" not in body_for(MODELS_OF_ALL.resolve("deepseek"), spoken.messages, rounds, tools=False)[0]
