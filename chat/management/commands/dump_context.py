"""`manage.py dump_context QUERY --object T:K`: what retrieval finds for a question, best first, and why."""

import json
from typing import Any

from django.core.management.base import CommandParser

from chat.management.cli_options import add_asking_options, asking
from rag.management.quiet import QuietCommand
from rag.sources.registered_sources import source_of


class Command(QuietCommand):
    help = (
        "Shows what of an object the model gets to see for a question; of a graph which nodes, why, and in which size."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        add_asking_options(parser)

    def handle(self, *args: Any, query: str, **options: Any) -> None:
        member, about = asking(options)
        dump = source_of(about.type).dump(member, about, query)
        self.stdout.write(json.dumps(dump.document, ensure_ascii=False, indent=2) if options["json"] else dump.text)
