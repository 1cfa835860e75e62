"""The database that those of all workers are copies of: what the migrations make is made once in a session."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.core.management import call_command
from django.db import connection

from config import local
from graphs.site import grants

NAME = "migrated"
#: Its name until it is whole.
UNFINISHED = "migrating"
#: Any number, the same in all workers: one makes it, the others wait.
ADVISORY_LOCK = 0x746573


def template() -> str:
    """The name of the database, which is there now."""
    from graphs.workflows.imports import ANALYSED  # Needs Django to be set up.

    with psycopg.connect(os.environ["DATABASE_URL"], dbname="postgres", autocommit=True) as alone:
        alone.execute("SELECT pg_advisory_lock(%s)", [ADVISORY_LOCK])
        if not alone.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchone():
            alone.execute(f"CREATE DATABASE {UNFINISHED}")
            with _connected_to(UNFINISHED):
                call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)
                grants.give(local.DATABASE, ANALYSED)
            alone.execute(f"ALTER DATABASE {UNFINISHED} RENAME TO {NAME}")
    return NAME


@contextmanager
def _connected_to(name: str) -> Iterator[None]:
    own = connection.settings_dict["NAME"]
    _disconnect()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        _disconnect()
        connection.settings_dict["NAME"] = own


def _disconnect() -> None:
    connection.close()
    connection.close_pool()
