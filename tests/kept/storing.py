"""Sessions as JSON: the rows of the tables as they are, and what their runs amount to for a reader."""

import json
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from chat.events import log_pages
from chat.events.notices import stream_name
from chat.events.transcript import replay
from chat.models import Message, ModelCall, Proposal, Run, Session, Stream, StreamEvent
from config import local
from graphs.models import Graph
from graphs.site import grants
from graphs.workflows.imports import ANALYSED
from tests.rewriting import past_triggers

FOLDER = Path(__file__).parents[1] / "fixtures"
#: In the order in which rows can be stored.
TABLES = [model._meta.db_table for model in (Stream, StreamEvent, Session, Message, Run, ModelCall, Proposal)]
#: Rows by table, as migrated, of what was restored before.
_UP_TO_DATE: dict[Path, dict[str, list[dict[str, Any]]]] = {}
_PEOPLE = ("owner_id", "author_id", "decided_by_id", "user_id")


def kept() -> list[Path]:
    return sorted(FOLDER.glob("sessions_v*.json"))


def transcripts() -> dict[str, dict[str, Any]]:
    """What a reader of each run has seen, from its events alone."""
    found = {}
    for run in Run.objects.select_related("session").order_by("created_at"):
        events = [event for page in log_pages.pages_after(run.session.stream_id, 0) for event in page]
        seen = replay(events, run.message_id)
        calls = [call.for_readers() for call in seen.tool_calls]
        found[str(run.pk)] = {"text": seen.text, "reasoning": seen.reasoning, "toolCalls": calls}
    return found


def keep(path: Path, names: dict[str, str]) -> None:
    """Writes everything of the conversations there are, as of one moment; `names` tells the sessions apart."""
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes("chat")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        document = {
            "migration": latest[0][1],
            "sessions": names,
            "transcripts": transcripts(),
            "tables": {table: _rows(table) for table in TABLES},
        }
    path.write_text(_in_lines(document) + "\n")


def _in_lines(value: Any, depth: int = 2) -> str:
    """JSON with a line for each row, so that one can look at it."""
    if not depth or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, list):
        return "[\n" + ",\n".join(_in_lines(item, 0) for item in value) + "\n]"
    return (
        "{\n" + ",\n".join(f"{json.dumps(name)}: {_in_lines(item, depth - 1)}" for name, item in value.items()) + "\n}"
    )


def _rows(table: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT to_jsonb(t)::text FROM {table} AS t ORDER BY 1")
        rows = [json.loads(row[0]) for row in cursor.fetchall()]
    # What models were sent is kept for some days only, and not here.
    return [{name: None if name == "request_id" else value for name, value in row.items()} for row in rows]


def restore(path: Path, owner: User, graph: Graph) -> dict[str, Any]:
    """Stores the rows in tables as they were then, brings those up to date, and returns what was kept.

    Everything becomes the owner's, in the workspace of the graph, which is what they talk about. Another test that
    restores the same finds in the tables of today what the first one's migrations made of it.
    """
    document: dict[str, Any] = json.loads(path.read_text())
    if path in _UP_TO_DATE:
        _fill(_UP_TO_DATE[path], owner, graph)
    else:
        _bring_up_to_date(document, owner, graph)
        _UP_TO_DATE[path] = {table: rows for table in _tables() if (rows := _rows(table))}
    return document


def _bring_up_to_date(document: dict[str, Any], owner: User, graph: Graph) -> None:
    with connection.cursor() as cursor:
        for table in _tables():
            cursor.execute(f"DROP TABLE {table} CASCADE")
        cursor.execute("SELECT oid::regprocedure FROM pg_proc WHERE proname LIKE 'chat\\_%'")
        for (function,) in cursor.fetchall():
            cursor.execute(f"DROP FUNCTION {function}")
        cursor.execute("DELETE FROM django_migrations WHERE app = 'chat'")
    try:
        _migrate(document["migration"])
        _fill(document["tables"], owner, graph)
    finally:
        _migrate(None)
        grants.give(local.DATABASE, ANALYSED)


def _fill(tables: dict[str, list[dict[str, Any]]], owner: User, graph: Graph) -> None:
    """These rows instead of what was stored for the owner and the graph."""
    with past_triggers(), connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(tables)} CASCADE")
    for table, rows in tables.items():
        _store(table, [_owned(row, owner, graph) for row in rows])


def _tables() -> list[str]:
    """All of the chat, those first whose rows others name."""
    first = {table: number for number, table in enumerate(TABLES)}
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'chat\\_%'")
        return sorted((table for (table,) in cursor.fetchall()), key=lambda table: (first.get(table, -1), table))


def _migrate(name: str | None) -> None:
    """The chat's tables as of that migration, or as of today."""
    executor = MigrationExecutor(connection)
    targets = [("chat", name)] if name else executor.loader.graph.leaf_nodes("chat")
    executor.migrate(targets)


def _owned(row: dict[str, Any], owner: User, graph: Graph) -> dict[str, Any]:
    ours = dict.fromkeys(_PEOPLE, owner.pk) | {"workspace_id": graph.workspace_id, "object_id": graph.pk}
    if str(row.get("name", "")).startswith("graph_"):
        ours["name"] = stream_name(graph)
    return {name: value if value is None else ours.get(name, value) for name, value in row.items()}


def _store(table: str, rows: list[dict[str, Any]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} SELECT * FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)", [json.dumps(rows)]
        )
        cursor.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_name = %s AND is_identity = 'YES'", [table]
        )
        for (column,) in cursor.fetchall():
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, %s), max({column})) FROM {table}", [table, column]
            )
