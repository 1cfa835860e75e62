"""`manage.py erase_conversation ID`: deletes a conversation for good, with its messages, costs and events."""

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.actions.erasing import erase
from graphs.site.access import NotFound
from graphs.site.owner import as_owner


class Command(BaseCommand):
    help = (
        "Deletes a conversation for good, with its messages, costs and events: nobody gets them back. The changes that "
        "it led to stay in the history."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", type=uuid.UUID, metavar="ID", help="the id of the conversation")

    def handle(self, *args: Any, id: uuid.UUID, **options: Any) -> None:
        with as_owner():
            try:
                events = erase(id)
            except NotFound:
                raise CommandError(f"There is no conversation {id}.") from None
        self.stdout.write(f"Erased the conversation {id} and its {events:,} events.")
