"""`manage.py dump_prompt QUERY --graph K`: what a model is sent for a first question, with sizes."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from chat.management.asking import add_asking_options, asking
from chat.prompts.question import context_block
from chat.prompts.system import PROMPT_VERSION, system_prompt
from chat.tools import registry
from rag.retrieval import retrieve
from rag.tokens import count_tokens


class Command(BaseCommand):
    help = "Shows the system prompt, the retrieved context and the question as a model gets them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        add_asking_options(parser)

    def handle(self, *args: Any, query: str, **options: Any) -> None:
        member, graph = asking(options)
        tools = registry.specs(member.role, "graph")
        parts = {
            f"system prompt, version {PROMPT_VERSION}": system_prompt(graph, member),
            "context of the question": context_block(retrieve(graph, query)),
            "question": query,
        }
        for title, text in parts.items():
            self._write(title, text)
        offered = json.dumps([[tool.name, tool.description, tool.parameters] for tool in tools], ensure_ascii=False)
        self.stdout.write(self.style.MIGRATE_HEADING(f"--- {len(tools)} tools ({_size(offered)}); see dump_tools"))
        self.stdout.write(f"in all: {_size(''.join(parts.values()) + offered)}")

    def _write(self, title: str, text: str) -> None:
        self.stdout.write(self.style.MIGRATE_HEADING(f"--- {title} ({_size(text)})"))
        self.stdout.write(f"{text}\n")


def _size(text: str) -> str:
    return f"{len(text)} characters, about {count_tokens(text)} tokens"
