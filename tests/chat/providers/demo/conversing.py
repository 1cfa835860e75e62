"""A conversation with the demo as the engine leads it: real prompts and tools; what it proposes a test decides."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chat.models import Message
from chat.prompts import window
from chat.prompts.fencing import context_text
from chat.prompts.system import system_prompt
from chat.prompts.tool_results import model_text
from chat.providers.demo.provider import DemoProvider
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.pieces import Reply
from chat.providers.provider import ProviderConfig
from chat.subjects import tools
from chat.subjects.object_loading import are_loaded
from chat.subjects.registered_subjects import subject_of
from chat.tools.proposing import WriteTool
from chat.tools.tool import ToolContext
from graphs.models import Object
from graphs.site.access import Member
from graphs.site.accounts import Account
from rag.sources.registered_sources import source_of, workspace_block
from tests.chat.providers.reading import folded

CONFIG = ProviderConfig("demo", "demo", "", "demo", 4096, None)
ROUNDS = 5
Decide = Callable[[str, dict[str, Any]], dict[str, Any]]


def next_reply(request: ModelRequest) -> Reply:
    async def read() -> Reply:
        return folded([piece async for piece in DemoProvider(CONFIG, delay_s=0).stream(request)])

    return asyncio.run(read())


@dataclass
class Conversation:
    """What was said so far. `calls` are those of the last question, `recorded` the tokens of each request until now."""

    member: Member
    about: Object | None
    decide: Decide | None = None
    messages: list[PromptMessage] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    recorded: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.messages = list(window.prompt([system_prompt(self.about, self.member)], "", []))

    def ask(self, text: str) -> str:
        """The answer, or what was said when something was proposed that nobody decides."""
        self.calls = []
        question = Message(role=Message.Role.USER, content=text, retrieved=self._retrieved(text))
        self.messages += window.SentMessage(question).entries
        offered = partial(tools.specs, self.member.role, subject_of(self.about.type if self.about else ""))
        rounds = 0
        while rounds <= ROUNDS:
            specs = offered(loaded=are_loaded(self.messages))
            reply = next_reply(ModelRequest(tuple(self.messages), specs, "demo", 4096))
            self.recorded.append(reply.usage.prompt_tokens if reply.usage else 0)
            self.messages.append(PromptMessage("assistant", reply.text, tool_calls=reply.tool_calls))
            results = [
                self._result(call.name, call.arguments, [spec.name for spec in specs]) for call in reply.tool_calls
            ]
            if not results or None in results:
                return reply.text
            for call, result in zip(reply.tool_calls, results, strict=True):
                self.messages.append(PromptMessage("tool", model_text(call.id, result), tool_call_id=call.id))
            decided = reply.tool_calls[0].name.startswith("propose_")
            rounds = 0 if decided else rounds + 1
        raise AssertionError("it takes more rounds than there are")

    def _retrieved(self, text: str) -> str:
        if self.about is None:
            return context_text(workspace_block(self.member))
        account = Account(self.member.workspace.pk)
        return context_text(source_of(self.about.type).retrieve(self.member, self.about, text, account))

    def _result(self, name: str, arguments: str, offered: list[str]) -> dict[str, Any] | None:
        call = tools.parse(name, arguments, offered)
        assert isinstance(call, tools.ParsedCall), call
        self.calls.append((name, json.loads(arguments)))
        if not isinstance(call.tool, WriteTool):
            return tools.run(call, ToolContext(self.member, self.about))
        return self.decide(name, json.loads(arguments)) if self.decide else None
