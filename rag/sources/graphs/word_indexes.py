"""Builds and drops the index of words that a large graph has of its own.

The index of all nodes knows nothing of graphs: of a word it finds every node of the database, and each is read before
it is found to be of another graph.
"""

from django.db import connection
from psycopg import sql

from graphs.site.owner import may_change_tables, owners_cursor
from rag.embeddings.locks import held
from rag.embeddings.vector_indexes import ONE_AT_A_TIME

#: What the name of an index begins with.
PREFIX = "rag_words_"
#: A graph with more nodes has an index of its own, until it has shrunk to half of them.
LARGE = 20_000
DROPPED_BELOW = LARGE // 2
#: Memory for an index that is built: a quarter of what a million nodes take, and hardly slower.
MEMORY = "256MB"


def index_name(graph_id: int) -> str:
    """What the index of a graph is called."""
    return f"{PREFIX}{graph_id}"


def fit(graph_id: int, *, wait: bool) -> bool:
    """Builds or drops a graph's index as needed; False if that has to wait. Not within a transaction."""
    name = index_name(graph_id)
    there = _is_whole(name)
    if there and not _more_than(DROPPED_BELOW, graph_id):
        return _alone(_drop_statement(name), wait)
    if there or not _more_than(LARGE, graph_id):
        return True
    # One whose building was interrupted is there, and serves nobody.
    return _alone(_drop_statement(name), wait) and _alone(_create_statement(name, graph_id), wait)


def drop_forgotten() -> None:
    """Drops the indexes of graphs that are gone, unless another one is built."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'graphs_node' "
            "AND starts_with(indexname, %(prefix)s) AND NOT EXISTS (SELECT FROM graphs_graph "
            "WHERE object_id = substr(indexname, length(%(prefix)s) + 1)::bigint)",
            {"prefix": PREFIX},
        )
        forgotten = [name for (name,) in cursor.fetchall()]
    for name in forgotten:
        _alone(_drop_statement(name), False)


def _create_statement(name: str, graph_id: int) -> sql.Composed:
    return sql.SQL("CREATE INDEX CONCURRENTLY {} ON graphs_node USING gin (search) WHERE graph_id = {}").format(
        sql.Identifier(name), sql.Literal(graph_id)
    )


def _drop_statement(name: str) -> sql.Composed:
    return sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name))


def _alone(statement: sql.Composed, wait: bool) -> bool:
    """Whether it was done: PostgreSQL would end one of two."""
    with held(*ONE_AT_A_TIME, wait=wait) as ours:
        if ours and not may_change_tables():
            return False
        if ours:
            with owners_cursor() as cursor:
                cursor.execute(f"SET maintenance_work_mem = '{MEMORY}'")
                try:
                    cursor.execute(statement.as_string(cursor.connection))
                finally:
                    cursor.execute("RESET maintenance_work_mem")
    return ours


def _more_than(count: int, graph_id: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) > %(count)s FROM "
            "(SELECT FROM graphs_node WHERE graph_id = %(graph)s LIMIT %(count)s + 1) AS counted",
            {"count": count, "graph": graph_id},
        )
        (more,) = cursor.fetchone()
    return bool(more)


def _is_whole(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        found = cursor.fetchone()
    return bool(found and found[0])
