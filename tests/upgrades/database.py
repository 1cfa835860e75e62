"""A database as a text file: what its version was, its migrations, its rows as PostgreSQL copies them, and facts of it.

The schema is not kept: it is made by the migrations of the release, which are in the repository for as long as somebody
may upgrade from it. A digest of each tells when one of them was edited after all.
"""

import hashlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from config import local
from graphs.site import grants
from graphs.workflows.imports import ANALYSED

FOLDER = Path(__file__).with_name("releases")
#: What migrations write by themselves.
NOT_KEPT = {"django_migrations", "django_content_type", "auth_permission"}
#: Whose migrations are released with us.
OURS = ("graphs", "rag", "chat")
_END = "\\."


def releases() -> list[Path]:
    """The files, the oldest release first."""
    return sorted(FOLDER.glob("*.txt"), key=lambda path: [int(part) for part in path.stem.split(".")])


def write(path: Path, facts: dict[str, Any]) -> None:
    """Writes the whole database as of one moment."""
    with transaction.atomic(), connection.cursor() as cursor, path.open("w") as file:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        head = {"release": path.stem, "migrations": _latest(), "digests": digests()} | facts
        file.write(json.dumps(head, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        for table in sorted(set(connection.introspection.table_names(cursor)) - NOT_KEPT):
            rows = list(_rows(cursor, table))
            if rows:
                file.write(f"COPY {table} ({', '.join(_columns(cursor, table))})\n{''.join(rows)}{_END}\n")


def _latest() -> dict[str, str]:
    return dict(MigrationExecutor(connection).loader.graph.leaf_nodes())


def digests() -> dict[str, str]:
    """Of the migrations of ours that there are."""
    found = MigrationExecutor(connection).loader.disk_migrations.items()
    return {
        f"{app}.{name}": hashlib.sha256(Path(inspect.getfile(type(each))).read_bytes()).hexdigest()
        for (app, name), each in sorted(found)
        if app in OURS
    }


def _columns(cursor: Any, table: str) -> list[str]:
    cursor.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = %s"
        " AND is_generated = 'NEVER' ORDER BY ordinal_position",
        [table],
    )
    return [f'"{name}"' for (name,) in cursor.fetchall()]


def _rows(cursor: Any, table: str) -> Iterator[str]:
    columns = ", ".join(_columns(cursor, table))
    with cursor.copy(f"COPY (SELECT {columns} FROM {table} ORDER BY 1, 2) TO STDOUT") as copy:
        buffered = b"".join(bytes(part) for part in copy)
    yield from buffered.decode().splitlines(keepends=True)


def facts_of(path: Path) -> dict[str, Any]:
    """What a file says of its release beside the rows."""
    facts, _end = json.JSONDecoder().raw_decode(path.read_text())
    return dict(facts)


def tables(path: Path) -> set[str]:
    """Names of the tables that have rows in a file."""
    return {line.split()[1] for line in path.read_text().splitlines() if line.startswith("COPY ")}


def restore(path: Path) -> dict[str, Any]:
    """Makes the database of this connection that of the release, upgrades it, and gives the facts."""
    text = path.read_text()
    facts, end = json.JSONDecoder().raw_decode(text)
    with connection.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    executor = MigrationExecutor(connection)
    executor.migrate([(app, name) for app, name in facts["migrations"].items()])
    with transaction.atomic(), connection.cursor() as cursor:
        # As a restored backup has it: triggers have run before.
        cursor.execute("SET LOCAL session_replication_role = replica")
        _load(cursor, text[end:].strip("\n"))
        _set_sequences(cursor)
    call_command("migrate", verbosity=0)
    grants.give(local.DATABASE, ANALYSED)
    apps.get_model("contenttypes", "ContentType").objects.clear_cache()
    return dict(facts)


def _load(cursor: Any, text: str) -> None:
    for block in text.split(f"\n{_END}\n"):
        head, _, rows = block.removesuffix(f"\n{_END}").partition("\n")
        table = head.split()[1]
        # What migrations of the release put there is in the file as well.
        cursor.execute(f"DELETE FROM {table}")
        with cursor.copy(f"{head} FROM STDIN") as copy:
            copy.write(f"{rows}\n")


def _set_sequences(cursor: Any) -> None:
    cursor.execute(
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND is_identity = 'YES'"
    )
    for table, column in cursor.fetchall():
        cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}")
