"""`manage.py dump_prompt QUERY --object T:K`: the whole request that a first question would send, with sizes."""

import json
from dataclasses import dataclass
from typing import Any

from django.core.management.base import CommandParser

from chat.management.cli_options import add_asking_options, asking, model_named
from chat.models import Message
from chat.prompts import always_sent
from chat.prompts.fencing import context_text
from chat.prompts.system import system_prompt
from chat.prompts.versions import prompt_version
from chat.prompts.window import SentMessage, prompt
from chat.providers.building import body_of
from chat.providers.estimating import MESSAGE_TOKENS, tokens_of, tokens_of_tools
from chat.providers.model_request import ModelRequest
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import specs
from graphs.models import Object
from graphs.site.access import Member
from graphs.site.accounts import account_of
from rag.management.quiet import QuietCommand
from rag.sources.registered_sources import source_of
from rag.texts.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Level:
    """A part of the request, in the order in which it is sent."""

    name: str
    text: str
    tokens: int

    @property
    def size(self) -> dict[str, int]:
        return {"characters": len(self.text), "tokens": self.tokens}


class Command(QuietCommand):
    help = "Shows the request that a model would get for a first question: its levels, their tokens, its breakpoints."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--model", help="whose wire: provider or provider:model; default: the site's")
        add_asking_options(parser)

    def handle(self, *args: Any, query: str, **options: Any) -> None:
        member, about = asking(options)
        config = model_named(options["model"])
        context = context_text(source_of(about.type).retrieve(member, about, query, account_of(about)))
        request = _request(query, member, about, context, config.model, config.max_tokens)
        body = body_of(config, request)
        levels = _levels(query, context, request)
        breakpoints = [n for n, message in enumerate(request.messages, 1) if message.cache_breakpoint]
        if options["json"]:
            sizes = [{"name": level.name, **level.size} for level in levels]
            counted = {"provider": config.name, "levels": sizes, "tokens": tokens_of(request)}
            self.stdout.write(
                json.dumps(counted | {"breakpoints": breakpoints, "body": body}, ensure_ascii=False, indent=2)
            )
            return
        for level in levels:
            self._write(level)
        self.stdout.write(
            f"cache breakpoints after messages {', '.join(map(str, breakpoints))} of {len(request.messages)}"
        )
        self.stdout.write(
            f"in all {tokens_of(request)} tokens, as recorded where a vendor does not count: the texts with GPT-4's "
            f"tokenizer, and {MESSAGE_TOKENS} for each message"
        )

    def _write(self, level: Level) -> None:
        self.stdout.write(self.style.MIGRATE_HEADING(f"--- {level.name} ({_size(level)})"))
        self.stdout.write("see dump_tools" if level.name == "tools" else f"{level.text}\n")


def _request(query: str, member: Member, about: Object, context: str, model: str, max_tokens: int) -> ModelRequest:
    question = Message(role=Message.Role.USER, content=query, retrieved=context)
    levels = system_prompt(about, member), always_sent.at_the_beginning(member)
    messages = prompt(levels, "", SentMessage(question).entries)
    return ModelRequest(messages, specs(member.role, subject_of(about.type)), model, max_tokens)


def _levels(query: str, context: str, request: ModelRequest) -> list[Level]:
    """Vendors cache from the beginning: tools, the system prompt, what is always sent, then the conversation."""
    system, *others = [message.content for message in request.messages]
    levels = [
        (f"system prompt, version {prompt_version()}", system),
        *(("always sent", text) for text in others[:-1]),
        ("context of the question", context),
        ("question", query),
    ]
    tools = "".join(tool.text for tool in request.tools)
    return [Level("tools", tools, tokens_of_tools(request)), *(Level(*each, count_tokens(each[1])) for each in levels)]


def _size(level: Level) -> str:
    return f"{level.size['characters']} characters, {level.tokens} tokens"
