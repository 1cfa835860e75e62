"""The roles of the embedded PostgreSQL: who runs reads and writes rows; tables, history and events are out of reach."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from config import local
from tests import prepared_site
from tests.config import old_data
from tests.config.running import ROOT, Up

pytestmark = [pytest.mark.processes, pytest.mark.timeout(300)]

APPENDED = ("graphs_changeset", "graphs_revision", "graphs_modification", "chat_streamevent")
#: The column of each that an UPDATE could change.
COLUMN = dict(zip(APPENDED, ("reason", "label", "field", "type"), strict=True))
NOT_LET_IN = r"no pg_hba\.conf entry"
CHANGE = """
INSERT INTO graphs_changeset
    (id, workspace, actor_label, origin, cause, causes, reason, prompt_version, model, undoes, size)
VALUES (gen_random_uuid(), 1, '', 'manual', '', '{}', '', '', '', '{}', 0)
"""
TRIED = [
    *(f"ALTER TABLE {table} ADD COLUMN extra text" for table in (*APPENDED, "graphs_node", "auth_user")),
    *(f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in (*APPENDED, "graphs_node")),
    *(f"UPDATE {table} SET {column} = ''" for table, column in COLUMN.items()),
    *(f"DELETE FROM {table}" for table in APPENDED),
    *(f"TRUNCATE {table}" for table in (*APPENDED, "graphs_node")),
    *(f"DROP TABLE {table}" for table in (*APPENDED, "graphs_node")),
    *(f"SELECT * FROM {table} FOR UPDATE" for table in APPENDED),
    "INSERT INTO django_migrations (app, name, applied) VALUES ('chat', '9999', now())",
    "CREATE TRIGGER mine BEFORE INSERT ON graphs_node EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE TABLE mine (word text)",
    "CREATE TEMP TABLE mine (word text)",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION pg_temp.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE OR REPLACE FUNCTION chat_fold_events(days int, stretch int, row_chars int) RETURNS int LANGUAGE sql AS ''",
    "DROP FUNCTION chat_refuse_to_rewrite_events",
    "SELECT chat_erase_events(1)",
    "CREATE SCHEMA mine",
    "CREATE DATABASE mine",
    "CREATE ROLE mine",
    "ALTER EXTENSION vector UPDATE",
    "DROP EXTENSION vector",
    "COPY graphs_node FROM PROGRAM 'true'",
    "COPY (SELECT 1) TO PROGRAM 'cat'",
    "COPY (SELECT 1) TO '/tmp/mine'",
    "SELECT pg_read_file('pg_hba.conf')",
    "SELECT pg_ls_dir('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT rolpassword FROM pg_authid",
    "SET session_replication_role = replica",
    f"SET ROLE {local.OWNER}",
    f"SET ROLE {local.SUPERUSER}",
    f"SET SESSION AUTHORIZATION {local.OWNER}",
    f"ALTER ROLE {local.DATABASE} SUPERUSER",
    f"GRANT {local.OWNER} TO {local.DATABASE}",
    "ALTER SYSTEM SET log_statement = 'all'",
    f"ALTER ROLE {local.DATABASE} SET session_replication_role = replica",
    f"ALTER ROLE {local.DATABASE} SET session_preload_libraries = 'mine'",
    f"ALTER ROLE {local.DATABASE} SET log_statement = 'all'",
    f"ALTER ROLE {local.DATABASE} CONNECTION LIMIT 0",
    f"ALTER ROLE {local.DATABASE} VALID UNTIL 'yesterday'",
    f"ALTER ROLE {local.OWNER} SET statement_timeout = 1",
    "ALTER ROLE ALL SET statement_timeout = 1",
    f"ALTER DATABASE {local.DATABASE} SET statement_timeout = 1",
]
#: What the role may set for its sessions to come, none of which a site would survive.
OWN_SETTINGS = {
    "statement_timeout": "1",
    "lock_timeout": "1",
    "transaction_timeout": "1",
    "idle_session_timeout": "1",
    "default_transaction_read_only": "on",
    "search_path": "nowhere",
    "role": "pg_read_all_stats",
    "client_encoding": "SQL_ASCII",
    "local_preload_libraries": "nowhere",
    "standard_conforming_strings": "off",
    "synchronous_commit": "off",
}


@pytest.fixture(scope="module")
def site(data_dir: Path) -> Iterator[Up]:
    prepared_site.copy_to(data_dir)
    running = Up(data_dir, (), {"DEMO_PASSWORD": "canary-of-a-password"})
    running.ready()
    yield running
    running.end()


@pytest.fixture
def runs(site: Up) -> Iterator[psycopg.Connection]:
    with psycopg.connect(local.server_paths(site.data_dir).database_url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def owner(site: Up) -> Iterator[psycopg.Connection]:
    with psycopg.connect(local.server_paths(site.data_dir).owner_url) as connection:
        yield connection
        connection.rollback()


@pytest.mark.parametrize("statement", TRIED)
def test_who_runs_is_refused(runs: psycopg.Connection, statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        runs.execute(statement)


def test_who_runs_reads_and_writes_rows(runs: psycopg.Connection) -> None:
    assert runs.execute("SELECT current_user, count(*) > 0 FROM graphs_node").fetchone() == (local.DATABASE, True)
    for table in APPENDED:
        runs.execute(f"INSERT INTO {table} SELECT * FROM {table} WHERE false")  # type: ignore[arg-type]
    runs.execute("UPDATE chat_stream SET last_sequence = last_sequence; DELETE FROM django_session WHERE false")
    assert runs.execute("SELECT * FROM chat_fold_events(0, 10, 10)").fetchall() == []
    runs.execute("ANALYZE graphs_node, graphs_edge")
    assert not runs.pgconn.error_message


def test_the_owner_is_no_superuser_and_rewrites_nothing_either(owner: psycopg.Connection) -> None:
    assert owner.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (False,)
    owner.execute(CHANGE)
    for statement in ("UPDATE {} SET {} = ''", "DELETE FROM {}", "TRUNCATE {}"):
        for table in ("graphs_changeset", "chat_streamevent"):
            with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"), owner.transaction():
                owner.execute(statement.format(table, COLUMN[table]))  # type: ignore[arg-type]


def test_nobody_else_is_let_in(site: Up) -> None:
    where = local.server_paths(site.data_dir)
    for role, database in ((local.SUPERUSER, "postgres"), (local.SUPERUSER, local.DATABASE), ("nobody", "postgres")):
        with pytest.raises(psycopg.OperationalError, match=NOT_LET_IN):
            psycopg.connect(host=str(where.postgres_socket_dir), user=role, dbname=database)
    for role in (local.DATABASE, local.OWNER):
        for password in ({}, {"password": "wrong"}):
            with pytest.raises(psycopg.OperationalError, match="password"):
                psycopg.connect(host=str(where.postgres_socket_dir), user=role, dbname=local.DATABASE, **password)  # type: ignore[arg-type]


def told(site: Up) -> list[tuple[str, str]]:
    """Environment and command line of each process of the site that has not ended meanwhile."""
    found = []
    for process in site.family():
        with suppress(psutil.NoSuchProcess):
            found.append((str(process.environ()), str(process.cmdline())))
    assert len(found) >= 5
    return found


def test_passwords_are_closed_and_no_process_is_given_them(site: Up) -> None:
    assert not any("canary-of-a-password" in command for _environment, command in told(site))
    where = local.server_paths(site.data_dir)
    for name in ("postgres_password", "postgres_owner_password"):
        assert (site.data_dir / name).stat().st_mode & 0o077 == 0
    for each in told(site):
        assert where.password not in str(each)
        assert where.owner_password not in str(each)


def test_commands_run_in_the_same_role(site: Up) -> None:
    ours = {name: os.environ[name] for name in os.environ if name not in ("DATABASE_URL", "REDIS_URL")}
    done = subprocess.run(
        [".venv/bin/python", "manage.py", "shell", "-v", "0", "-c",
         "from django.db import connection as c; print(c.cursor().execute('SELECT current_user').fetchone()[0])"],
        cwd=ROOT, env=ours | {"DATA_DIR": str(site.data_dir)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == local.DATABASE, done.stderr


def owners(where: local.ServerPaths) -> set[str]:
    """Who owns the tables and functions of the site."""
    with psycopg.connect(where.owner_url) as connection:
        found = connection.execute(
            "SELECT relowner::regrole::text FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "UNION SELECT proowner::regrole::text FROM pg_proc WHERE proname ~ '^(graphs|rag|chat)_' "
            "UNION SELECT datdba::regrole::text FROM pg_database WHERE datname = 'countersign'"
        ).fetchall()
    return {name for (name,) in found}


def test_data_of_the_first_versions_get_roles(up: Callable[..., Up], data_dir: Path) -> None:
    folder = data_dir / "old"
    old_data.make(folder)
    for _start in range(2):
        running = up(folder=folder)
        running.ready()
        where = local.server_paths(folder)
        assert owners(where) == {local.OWNER}
        with psycopg.connect(where.database_url) as runs:
            assert runs.execute("SELECT slug FROM graphs_workspace").fetchall() == [("kept",)]
            roles = "SELECT rolname, rolsuper FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1"
            assert runs.execute(roles).fetchall() == [
                (local.DATABASE, False), (local.OWNER, False), (local.SUPERUSER, True),
            ]  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                runs.execute("DELETE FROM graphs_changeset")
        with pytest.raises(psycopg.OperationalError, match=NOT_LET_IN):
            psycopg.connect(where.superuser_url)
        running.end()


def test_lost_passwords_are_made_anew(up: Callable[..., Up], data_dir: Path, site: Up) -> None:
    site.end()
    for name in ("postgres_password", "postgres_owner_password"):
        (data_dir / name).unlink()
    up().ready()
    with psycopg.connect(local.server_paths(data_dir).database_url) as runs:
        assert runs.execute("SELECT count(*) > 0 FROM graphs_node").fetchone() == (True,)
    with pytest.raises(psycopg.OperationalError, match=NOT_LET_IN):
        psycopg.connect(local.server_paths(data_dir).superuser_url)


def test_what_who_runs_has_set_for_itself_is_taken_back_and_what_the_owner_set_stands(
    up: Callable[..., Up], data_dir: Path, site: Up
) -> None:
    site.end()
    setting = up()
    setting.ready()
    where = local.server_paths(data_dir)
    with psycopg.connect(where.owner_url, autocommit=True) as owns:
        owns.execute(f"ALTER DATABASE {local.DATABASE} SET lock_timeout = '7s'")
    with psycopg.connect(where.database_url, autocommit=True) as runs:
        for within in ("", f"IN DATABASE {local.DATABASE}", "IN DATABASE template1"):
            for name, value in OWN_SETTINGS.items():
                runs.execute(f"ALTER ROLE {local.DATABASE} {within} SET {name} = '{value}'")  # type: ignore[arg-type]
    setting.end()
    again = up()
    again.ready()
    assert f"The role {local.DATABASE} had set for its sessions, which is taken back: client_encoding, default_" in (
        again.output
    )
    with psycopg.connect(where.database_url) as runs:
        assert runs.execute("SELECT count(*) FROM pg_db_role_setting WHERE setrole <> 0").fetchone() == (0,)
        assert runs.execute("SELECT current_user, current_setting('lock_timeout')").fetchone() == (local.DATABASE, "7s")
        assert runs.execute("SELECT count(*) > 0 FROM graphs_node").fetchone() == (True,)
    again.end()
    last = up()
    last.ready()
    assert "had set for its sessions" not in last.output


def test_a_password_that_was_changed_in_the_database_is_told_and_made_anew(
    up: Callable[..., Up], data_dir: Path, site: Up
) -> None:
    site.end()
    changing = up()
    changing.ready()
    with psycopg.connect(local.server_paths(data_dir).database_url) as runs:
        runs.execute(f"ALTER ROLE {local.DATABASE} PASSWORD 'another'")
    changing.end()
    refused = up()
    assert refused.ended() != 0
    assert "does not take the password of" in refused.output
    assert "Traceback" not in refused.output
    up().ready()
    with psycopg.connect(local.server_paths(data_dir).database_url) as runs:
        assert runs.execute("SELECT count(*) > 0 FROM graphs_node").fetchone() == (True,)
