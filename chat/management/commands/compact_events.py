"""`manage.py compact_events [--days 30]`: folds the deltas of old answers; everything reads as before, on less disk."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.events import compaction

REPORT_EVERY_S = 5.0


class Command(BaseCommand):
    help = (
        "Folds the deltas of answers that ended more than DAYS days ago into few rows. Readers get the same events as "
        "before. It may be interrupted, run again, and run while the site is used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=settings.COMPACT_EVENTS_DAYS, help="default: %(default)s")

    def handle(self, *args: Any, days: int, **options: Any) -> None:
        if days < 0:
            raise CommandError("--days counts days back from now: 0 or more.")
        total = compaction.Folded()
        began = reported = time.monotonic()
        for step in compaction.steps(days):
            total += step
            if time.monotonic() - reported >= REPORT_EVERY_S:
                reported = time.monotonic()
                self.stdout.write(f"{total.events:,} events, {total.events / (reported - began):,.0f} a second ...")
                self.stdout.flush()
        if not total.events:
            self.stdout.write(f"Folded 0 events: there are none left to fold of answers older than {days} days.")
            return
        self.stdout.write(
            f"Folded {total.events:,} events in {time.monotonic() - began:.1f} s: {total.rows:,} rows and "
            f"{total.bytes:,} bytes fewer. PostgreSQL uses the space again after its next vacuum."
        )
