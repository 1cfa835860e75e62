"""Commands that show something to a person: what happens meanwhile is told the log only where they ask for it."""

import logging
from typing import Any

from django.core.management.base import BaseCommand


class QuietCommand(BaseCommand):
    """Without `--verbosity 2` no lines of events (docs/observing.md) come between those of the command."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        events = logging.getLogger("countersign.events")
        before, events.disabled = events.disabled, options["verbosity"] < 2
        try:
            return super().execute(*args, **options)
        finally:
            events.disabled = before
