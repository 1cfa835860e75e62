"""Commands that show something to a person, and log what happens meanwhile only if they are asked to."""

import logging
import os
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from graphs.site.json_values import UNSTORABLE

#: What a shell says of a program whose reader went away.
NOBODY_READS = 141


class QuietCommand(BaseCommand):
    """Logs no events without `--verbosity 2`, and ends silently when its reader, such as `head`, went away."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        _refuse_what_is_no_text(options)
        events = logging.getLogger("countersign.events")
        before, events.disabled = events.disabled, options["verbosity"] < 2
        try:
            said = super().execute(*args, **options)
            self.stdout.flush()
        except BrokenPipeError:
            # What is still buffered would be written at exit, and fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stdout.fileno())
            raise SystemExit(NOBODY_READS) from None
        finally:
            events.disabled = before
        return said


def _refuse_what_is_no_text(options: Mapping[str, Any]) -> None:
    """What a shell of another encoding gives: PostgreSQL refuses it, and could only say so by a traceback."""
    for name, value in options.items():
        if isinstance(value, str) and UNSTORABLE.search(value):
            raise CommandError(f"What was given as {name} is no text in UTF-8.")
