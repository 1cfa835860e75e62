"""Who may what in the embedded PostgreSQL: one role owns the tables and migrates, another one runs, nobody else enters.

PostgreSQL's superuser makes them as a site starts for the first time, or for the first time with this version. From
then on it is let in no more: it has no password that a process could read.
"""

import hashlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from config import local
from config.problem import Problem

if TYPE_CHECKING:  # The supervisor, which asks who is let in, does without it (19 MB).
    import psycopg

#: Raised when roles have to be made anew in every data folder.
_EDITION = "1"
_OPEN = "local all all trust\n"
_CLOSED = f"local {local.DATABASE} {local.DATABASE},{local.OWNER} scram-sha-256\n"
_CLOSED_WITHIN_S = 10
#: By database, "" for all: the names of what the role that runs has set for its sessions.
_SETTINGS = f"""
SELECT coalesce(d.datname, ''), array(SELECT split_part(each, '=', 1) FROM unnest(s.setconfig) AS each)
FROM pg_db_role_setting s LEFT JOIN pg_database d ON d.oid = s.setdatabase
WHERE s.setrole = '{local.DATABASE}'::regrole
"""  # noqa: S608 - what is inserted is a constant name
#: What would keep a session from taking them back; what a client asks for goes before them.
_UNSET = " ".join(
    f"-c {name}={value}"
    for name, value in {
        **dict.fromkeys(("statement_timeout", "lock_timeout", "transaction_timeout", "idle_session_timeout"), "0"),
        "default_transaction_read_only": "off",
        "local_preload_libraries": "",
    }.items()
)
#: Gives the superuser of earlier versions another name: nobody may rename who is connected.
_RENAMING = "countersign_renaming"
#: Statements that give the owner what another role made; what belongs to an extension stays.
_GIVE = f"""
WITH ours AS (
    SELECT oid, nspname, nspowner FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
)
SELECT format('ALTER SCHEMA %I OWNER TO {local.OWNER}', nspname) FROM ours
WHERE nspname <> 'public' AND nspowner <> '{local.OWNER}'::regrole
UNION ALL
SELECT format('ALTER TABLE %s OWNER TO {local.OWNER}', c.oid::regclass)
FROM pg_class c JOIN ours ON ours.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND c.relowner <> '{local.OWNER}'::regrole AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
    AND (d.deptype = 'e' OR c.relkind = 'S' AND d.deptype IN ('a', 'i')))
UNION ALL
SELECT format('ALTER ROUTINE %s OWNER TO {local.OWNER}', p.oid::regprocedure)
FROM pg_proc p JOIN ours ON ours.oid = p.pronamespace
WHERE p.proowner <> '{local.OWNER}'::regrole AND NOT EXISTS (
    SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
"""  # noqa: S608 - what is inserted is a constant name


def let_in(where: local.ServerPaths) -> None:
    """Writes whom PostgreSQL lets in from its next start on: roles alone, or everybody until there are any."""
    _write_access(where, _CLOSED if _are_made(where) else _OPEN)


def make(where: local.ServerPaths) -> None:
    """Makes roles and database where that has not been done yet, and lets the superuser in no more.

    What who runs may change of itself is looked at each time.
    """
    if not _are_made(where):
        make_all(where)
        _lock_out(where)
        mark = _mark(where)
        mark.write_text(_digest(where))
        mark.chmod(0o644)  # After a crash PostgreSQL, which may run as another user, opens all that is in its folder.
    _take_back_settings(where)


def _take_back_settings(where: local.ServerPaths) -> None:
    """Takes back what the role that runs has set for its sessions to come: those begin as the owner has set.

    Raises `Problem` if PostgreSQL knows another password of it, which every role may change for itself, too.
    """
    import psycopg

    try:
        with psycopg.connect(
            where.database_url, autocommit=True, connect_timeout=5, client_encoding="utf8", options=_UNSET
        ) as connection:
            taken_back = _reset(connection)
    except psycopg.OperationalError as error:
        if "password authentication failed" not in str(error):
            return  # Whoever prepares says what else is wrong.
        _mark(where).unlink()
        raise Problem(
            f"PostgreSQL does not take the password of {where.data_dir / 'postgres_password'}: it was changed in the "
            f"database, which only the role {local.DATABASE} itself may do. Find out who was at it; then start again, "
            "which makes the roles anew."
        ) from None
    if taken_back:
        sys.stderr.write(
            f"The role {local.DATABASE} had set for its sessions, which is taken back: {', '.join(taken_back)}. Only "
            "the role itself may do that, and the site never does: find out who was at it.\n"
        )


def _reset(connection: "psycopg.Connection") -> list[str]:
    """Takes back what the role of this connection has set for its sessions, and names it."""
    from psycopg import sql

    connection.execute("SET ROLE NONE")
    found = connection.execute(_SETTINGS).fetchall()
    for database, _names in found:
        within = sql.SQL("IN DATABASE {}").format(sql.Identifier(database)) if database else sql.SQL("")
        connection.execute(sql.SQL("ALTER ROLE {} {} RESET ALL").format(sql.Identifier(local.DATABASE), within))
    return sorted({name for _database, names in found for name in names})


def make_all(where: local.ServerPaths) -> None:
    """Makes roles, database and extension, and gives the owner what others made; does so again at no harm."""
    _name_superuser(where)
    with _connected(where, local.SUPERUSER) as server:
        server.execute(f"DROP ROLE IF EXISTS {_RENAMING}")
        _make_role(server, local.OWNER, where.owner_password)
        _make_role(server, local.DATABASE, where.password)
        # The owner may end connections of what runs, which sees since when others write (`rag/sources/objects`).
        server.execute(f"GRANT {local.DATABASE} TO {local.OWNER}")
        server.execute(f"GRANT pg_read_all_stats TO {local.DATABASE}")
        _make_database(server)
    with _connected(where, local.SUPERUSER, local.DATABASE) as database:
        database.execute("CREATE EXTENSION IF NOT EXISTS vector")
        with database.transaction():
            for (statement,) in database.execute(_GIVE).fetchall():
                database.execute(statement)


def _name_superuser(where: local.ServerPaths) -> None:
    """Earlier versions ran as the superuser, under the name of the role that runs now."""
    import psycopg

    try:
        with _connected(where, local.SUPERUSER):
            return
    except psycopg.OperationalError as error:
        if "does not exist" not in str(error):
            raise
    with _connected(where, local.DATABASE) as server:
        server.execute(f"DROP ROLE IF EXISTS {_RENAMING}")
        server.execute(f"CREATE ROLE {_RENAMING} LOGIN SUPERUSER")
    with _connected(where, _RENAMING) as server:
        server.execute(f"ALTER ROLE {local.DATABASE} RENAME TO {local.SUPERUSER}")


def _make_role(server: "psycopg.Connection", name: str, password: str) -> None:
    """PostgreSQL gets to know a proof of the password, of one round: nobody guesses 64 letters."""
    from psycopg import sql

    if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name]).fetchone():
        server.execute(f"CREATE ROLE {name}")
    server.execute("SET scram_iterations = 1")
    proof = server.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    limits = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
    server.execute(sql.SQL(f"ALTER ROLE {name} {limits} PASSWORD {{}}").format(proof))


def _make_database(server: "psycopg.Connection") -> None:
    if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [local.DATABASE]).fetchone():
        server.execute(f"CREATE DATABASE {local.DATABASE}")
    server.execute(f"ALTER DATABASE {local.DATABASE} OWNER TO {local.OWNER}")
    # Everybody could connect, and make functions in a schema for temporary things.
    server.execute(f"REVOKE ALL ON DATABASE {local.DATABASE} FROM PUBLIC")
    server.execute(f"GRANT CONNECT ON DATABASE {local.DATABASE} TO {local.DATABASE}")


def _lock_out(where: local.ServerPaths) -> None:
    """Returns when the superuser is let in no more."""
    import psycopg

    with _connected(where, local.SUPERUSER) as server:
        _write_access(where, _CLOSED)
        server.execute("SELECT pg_reload_conf()")
    deadline = time.monotonic() + _CLOSED_WITHIN_S
    while True:
        try:
            _connected(where, local.SUPERUSER).close()
        except psycopg.OperationalError:
            return
        if time.monotonic() > deadline:
            raise Problem("PostgreSQL still lets its superuser in without a password. Its lines above may say why.")
        time.sleep(0.02)


def _connected(where: local.ServerPaths, role: str, database: str = "postgres") -> "psycopg.Connection":
    import psycopg

    return psycopg.connect(
        host=str(where.postgres_socket_dir), user=role, dbname=database, autocommit=True, connect_timeout=5
    )


def _write_access(where: local.ServerPaths, lines: str) -> None:
    (where.postgres_data / "pg_hba.conf").write_text(lines)


def _are_made(where: local.ServerPaths) -> bool:
    """Whether that was done for these data with the passwords that the data folder has."""
    try:
        return _mark(where).read_text() == _digest(where)
    except FileNotFoundError:
        return False


def _mark(where: local.ServerPaths) -> Path:
    """A file that goes with the data, wherever they are copied to."""
    return where.postgres_data / "countersign_roles"


def _digest(where: local.ServerPaths) -> str:
    return hashlib.sha256("\0".join([_EDITION, where.owner_password, where.password]).encode()).hexdigest()
