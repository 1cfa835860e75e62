"""Makes migrations as Django does, without waiting for a database that is not up: its history is checked if it is."""

from typing import Any

from django.core.management.commands import makemigrations
from django.db import connection


class Command(makemigrations.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        # A pool would try for ten seconds.
        connection.settings_dict["OPTIONS"].pop("pool", None)
        super().handle(*args, **options)
