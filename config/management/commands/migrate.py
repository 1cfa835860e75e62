"""`manage.py migrate`, by the role that owns the tables; the one that runs gets what it needs afterwards."""

from typing import Any

from django.core.management.commands import migrate
from django.db import DEFAULT_DB_ALIAS, connection

from graphs.site import grants
from graphs.site.owner import as_owner
from graphs.workflows.imports import ANALYSED


class Command(migrate.Command):
    def handle(self, *arguments: Any, **options: Any) -> None:
        if options["database"] != DEFAULT_DB_ALIAS:
            super().handle(*arguments, **options)
            return
        runs = connection.settings_dict["USER"]
        with as_owner() as another:
            super().handle(*arguments, **options)
            if another:
                grants.give(runs, ANALYSED)
