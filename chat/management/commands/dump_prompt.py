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
from chat.providers.base import ModelRequest
from chat.providers.building import body_of
from chat.subjects.registry import subject_of
from chat.subjects.tools import specs
from graphs.models import Object
from graphs.site.access import Member
from graphs.site.accounts import account_of
from rag.management.quiet import QuietCommand
from rag.sources.registry import source_of
from rag.texts.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Level:
    """A part of the request, in the order in which it is sent."""

    name: str
    text: str

    @property
    def size(self) -> dict[str, int]:
        return {"characters": len(self.text), "tokens": count_tokens(self.text)}


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
        levels = _levels(query, context, request, body)
        breakpoints = [n for n, message in enumerate(request.messages, 1) if message.cache_breakpoint]
        if options["json"]:
            sizes = [{"name": level.name, **level.size} for level in levels]
            document = {"provider": config.name, "levels": sizes, "breakpoints": breakpoints, "body": body}
            self.stdout.write(json.dumps(document, ensure_ascii=False, indent=2))
            return
        for level in levels:
            self._write(level)
        self.stdout.write(
            f"cache breakpoints after messages {', '.join(map(str, breakpoints))} of {len(request.messages)}"
        )
        whole = Level("", json.dumps(body, ensure_ascii=False))
        self.stdout.write(f"in all, as {config.name} gets it: {_size(whole)}")

    def _write(self, level: Level) -> None:
        self.stdout.write(self.style.MIGRATE_HEADING(f"--- {level.name} ({_size(level)})"))
        self.stdout.write("see dump_tools" if level.name == "tools" else f"{level.text}\n")


def _request(query: str, member: Member, about: Object, context: str, model: str, max_tokens: int) -> ModelRequest:
    question = Message(role=Message.Role.USER, content=query, retrieved=context)
    levels = system_prompt(about, member), always_sent.at_the_beginning(member)
    messages = prompt(levels, "", SentMessage(question).entries)
    return ModelRequest(messages, specs(member.role, subject_of(about.type)), model, max_tokens)


def _levels(query: str, context: str, request: ModelRequest, body: dict[str, Any]) -> list[Level]:
    """Vendors cache from the beginning: tools, the system prompt, what is always sent, then the conversation."""
    system, *others = [message.content for message in request.messages]
    return [
        Level("tools", json.dumps(body.get("tools", []), ensure_ascii=False)),
        Level(f"system prompt, version {prompt_version()}", system),
        *(Level("always sent", text) for text in others[:-1]),
        Level("context of the question", context),
        Level("question", query),
    ]


def _size(level: Level) -> str:
    return f"{level.size['characters']} characters, about {level.size['tokens']} tokens"
