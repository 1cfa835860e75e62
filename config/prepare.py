"""`python -m config.prepare` brings the database to the state that the code needs; several may run at once."""

import os
import time
import tomllib
from contextlib import suppress

import django
import psycopg
from django.core.checks import run_checks
from django.core.management import call_command, get_commands
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from config import processes
from config.problem import Problem
from graphs.site.owner import as_owner

#: Any number, the same in every process: one prepares at a time.
ADVISORY_LOCK = 0x436F756E
_NAME = "Countersign"
_OURS = ("graphs", "rag", "chat")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    _require_registrations()
    with _connect() as alone:
        _wait_for_turn(alone)
        _require_known_migrations(alone)
        _ensure_extension(alone)
        call_command("migrate", interactive=False)
        _name_version(alone)
        if "seed_demo" in get_commands():
            call_command("seed_demo")


def _require_registrations() -> None:
    """Raises `Problem` for registered models that cannot work (`graphs/checks.py`); who serves does not look again."""
    found = [each for each in run_checks(tags=["graphs"]) if each.is_serious() and not each.is_silenced()]
    if found:
        raise Problem("\n".join(problem.msg for problem in found))


def _connect() -> psycopg.Connection:
    """As the owner of the tables."""
    try:
        with as_owner():
            return psycopg.connect(**connection.get_connection_params() | {"autocommit": True, "connect_timeout": 10})
    except psycopg.OperationalError as error:
        raise Problem(
            f"Cannot reach the database: {str(error).strip()}\n"
            "Is the server of DATABASE_URL and DATABASE_OWNER_URL running, does the database exist, and are user and "
            "password right?"
        ) from error


def _wait_for_turn(alone: psycopg.Connection) -> None:
    """Asks again and again: a statement that waits holds a snapshot, and concurrent index builds wait for those."""
    while not (row := alone.execute("SELECT pg_try_advisory_lock(%s)", [ADVISORY_LOCK]).fetchone()) or not row[0]:
        time.sleep(0.2)


def version() -> str:
    """The version of this code."""
    project = tomllib.loads((processes.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def _require_known_migrations(alone: psycopg.Connection) -> None:
    """Raises `Problem` for a database that a newer version has migrated: this one would fail at the first question."""
    if alone.execute("SELECT to_regclass('django_migrations')").fetchone() == (None,):
        return
    on_disk = MigrationLoader(None).disk_migrations
    names = {*on_disk, *(replaced for migration in on_disk.values() for replaced in migration.replaces)}
    known = {f"{label}.{name}" for label, name in names}
    # The last one of each: earlier ones may have been squashed and removed since.
    asked = """
        SELECT DISTINCT ON (app) app || '.' || name FROM django_migrations WHERE app = ANY(%s) ORDER BY app, id DESC
    """
    unknown = [name for (name,) in alone.execute(asked, [list(_OURS)]) if name not in known]
    if unknown:
        (said,) = alone.execute("SELECT obj_description('django_migrations'::regclass)").fetchone() or ("",)
        raise Problem(
            f"The database was prepared by {said or f'another version of {_NAME}'}, and this is {_NAME} {version()}, "
            f"which does not know {unknown[-1]}. Start the version that prepared it or a newer one, or restore a "
            "backup of before (docs/operations.md, Backups)."
        )


def _name_version(alone: psycopg.Connection) -> None:
    """Notes which version prepared the database, where that may be noted: for who owns its tables."""
    with suppress(psycopg.errors.InsufficientPrivilege):
        alone.execute(sql.SQL("COMMENT ON TABLE django_migrations IS {}").format(f"{_NAME} {version()}"))


def _ensure_extension(alone: psycopg.Connection) -> None:
    if alone.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        return
    try:
        alone.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        raise Problem(
            f"The database has no extension vector, and it cannot be made: {str(error).strip()}\n"
            "Install pgvector on that server and run CREATE EXTENSION vector in the database as its superuser."
        ) from error


if __name__ == "__main__":
    main()
