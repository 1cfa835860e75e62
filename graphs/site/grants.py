"""What the role that runs may do with the tables, given by their owner after each migration.

Tables that are only appended to say so themselves, by a trigger `<table>_append_only`, which refuses the rest to their
owner, too. What is done to them all the same is done by functions that run with the rights of their owner.
"""

from collections.abc import Collection

from django.db import connection, transaction
from psycopg import sql

#: PostgreSQL 17 made a right of it; the owner alone may do it before.
_MAINTAIN_SINCE = 170_000

_TABLES = """
SELECT c.oid::regclass::text, c.relname, EXISTS (
    SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = c.relname || '_append_only')
FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relowner = current_user::regrole
AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname
"""
_FUNCTIONS = """
SELECT p.oid::regprocedure::text FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace AND p.proowner = current_user::regrole AND p.prosecdef
ORDER BY 1
"""


def give(role: str, analysed: Collection[str]) -> None:
    """Gives a role what it needs to run, and takes what it has beyond that. Raises what PostgreSQL raises.

    `analysed` are the tables that it has PostgreSQL look at again.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        who = sql.Identifier(role)

        def run(statement: str, **names: sql.Composable) -> None:
            cursor.execute(sql.SQL(statement).format(role=who, **names).as_string(cursor.connection))

        cursor.execute("SELECT current_schema()")
        schema = sql.Identifier(cursor.fetchone()[0])
        run("GRANT USAGE ON SCHEMA {schema} TO {role}", schema=schema)
        for table, rights in _rights(analysed):
            run("REVOKE ALL ON {table} FROM {role}", table=sql.SQL(table))
            run("GRANT {rights} ON {table} TO {role}", table=sql.SQL(table), rights=sql.SQL(rights))
        cursor.execute(_FUNCTIONS)
        for (function,) in cursor.fetchall():
            run("REVOKE ALL ON FUNCTION {function} FROM PUBLIC", function=sql.SQL(function))
            run("GRANT EXECUTE ON FUNCTION {function} TO {role}", function=sql.SQL(function))
        # Of tables that a later migration makes, until it has come here.
        later = "ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT "
        run(later + "SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}", schema=schema)
        run(later + "USAGE, SELECT ON SEQUENCES TO {role}", schema=schema)
        run("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {schema} TO {role}", schema=schema)


def _rights(analysed: Collection[str]) -> list[tuple[str, str]]:
    """Our tables, quoted, and what who runs may do with each."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        found = cursor.fetchall()
        maintains = cursor.connection.info.server_version >= _MAINTAIN_SINCE
    rights = []
    for table, name, append_only in found:
        if name == "django_migrations":
            wanted = "SELECT"
        elif append_only:
            wanted = "SELECT, INSERT"
        else:
            wanted = "SELECT, INSERT, UPDATE, DELETE"
            wanted += ", MAINTAIN" if maintains and name in analysed else ""
        rights.append((table, wanted))
    return rights
