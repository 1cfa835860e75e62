"""Builds and drops the index that a large collection has of its own for each model (docs/embeddings.md)."""

import logging
from collections.abc import Mapping

from django.db import OperationalError, connection
from psycopg import sql
from psycopg.errors import DiskFull, OutOfMemory

from graphs.site.owner import may_change_tables, owners_cursor
from rag.embeddings.locks import held
from rag.embeddings.vector_search import EXACT, PREFIX, index_name
from rag.models import EmbeddedCollection

#: The collection must shrink to this before its index goes, so that it does not come and go.
DROPPED_BELOW = EXACT // 2
#: Memory for an index that is built, unless PostgreSQL's own setting gives more: what does not fit takes several times
#: as long. A million vectors of the local model take 1.8 GB.
LEAST_MEMORY = 128 * 2**20
MOST_MEMORY = 2 * 2**30
#: Links of each vector, and how many candidates it chooses them from. With the usual 16 and 64 short questions found 75
#: of 100 right nodes among texts that have little in common (docs/embeddings.md).
LINKS = 32
CHOSEN_FROM = 128
#: pgvector's limit of an index of half vectors. Longer ones are all compared, in a collection of any size.
MOST_DIMENSIONS = 4_000
#: What pgvector holds of a vector while it builds, beside its numbers: its links and itself.
BYTES_A_LINK = 32
BYTES_AN_ELEMENT = 256

#: What is held while an index is built or dropped, as a collection and model are.
ONE_AT_A_TIME = ("", "indexes")

log = logging.getLogger("countersign.embeddings")


def fit(collection: str, model: str, dimensions: int, *, wait: bool = True) -> bool:
    """Builds or drops a collection's index as needed; False if that has to wait. Not within a transaction."""
    indexed = EmbeddedCollection.objects.filter(collection=collection, model=model, indexed=True).exists()
    if indexed and not _more_than(DROPPED_BELOW, collection, model):
        return drop(collection, model, wait=wait)
    if not indexed and dimensions <= MOST_DIMENSIONS and _more_than(EXACT, collection, model):
        return build(collection, model, dimensions, wait=wait)
    return True


def build(collection: str, model: str, dimensions: int, *, wait: bool = True) -> bool:
    """Builds the index while vectors are written and searched.

    False if another is built, of which PostgreSQL would end one, or if this process may change no tables.
    """
    with held(*ONE_AT_A_TIME, wait=wait) as ours:
        if not ours or not may_change_tables():
            return False
        log.info("building the index of %s for %s", collection, model)
        settings = {"maintenance_work_mem": _memory(collection, model, dimensions)}
        try:
            _create(collection, model, dimensions, settings)
        except OperationalError as error:
            if not isinstance(error.__cause__, DiskFull | OutOfMemory):
                raise
            # Several processes share that memory in a place of which containers have little (docs/embeddings.md).
            log.info("building it again in one process: %s", error)
            _create(collection, model, dimensions, settings | {"max_parallel_maintenance_workers": "0"})
        # PostgreSQL would take the collection for a small one, and compare all of it all the same.
        _execute(sql.SQL("ANALYZE rag_embedding (collection, model, target_type, dimensions)"))
        EmbeddedCollection.objects.filter(collection=collection, model=model).update(indexed=True)
    return True


def _create(collection: str, model: str, dimensions: int, settings: Mapping[str, str]) -> None:
    name = index_name(collection, model)
    if _is_whole(name) is False:
        _execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))
    # Written out, not given as parameters: the planner compares this condition with that of a search.
    condition = sql.SQL("collection = {} AND model = {} AND dimensions = {}").format(
        sql.Literal(collection), sql.Literal(model), sql.Literal(dimensions)
    )
    statement = sql.SQL(
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS {} ON rag_embedding "
        "USING hnsw ((vector::halfvec({})) halfvec_cosine_ops) WITH (m = {}, ef_construction = {}) WHERE {}"
    ).format(sql.Identifier(name), *map(sql.Literal, (dimensions, LINKS, CHOSEN_FROM)), condition)
    _execute(statement, settings)


def _memory(collection: str, model: str, dimensions: int) -> str:
    """What the index takes while it is built, within bounds; where several build they reserve all of it at once."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), pg_size_bytes(current_setting('maintenance_work_mem')) FROM rag_embedding "
            "WHERE collection = %s AND model = %s",
            [collection, model],
        )
        vectors, usual = cursor.fetchone()
    wanted = vectors * (2 * dimensions + LINKS * BYTES_A_LINK + BYTES_AN_ELEMENT)
    return f"{max(usual, LEAST_MEMORY, min(wanted, MOST_MEMORY)) // 1024}kB"


def drop(collection: str, model: str, *, wait: bool = True) -> bool:
    """Drops the index, outside a transaction; False if another one is being built, or this process may not."""
    with held(*ONE_AT_A_TIME, wait=wait) as ours:
        name = index_name(collection, model)
        there = ours and _is_whole(name) is not None
        if there and not may_change_tables():
            return False
        if ours:
            EmbeddedCollection.objects.filter(collection=collection, model=model).update(indexed=False, fitted=False)
        if there:
            _execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))
    return ours


def drop_forgotten() -> None:
    """Drops the indexes of collections that are gone, unless another one is built."""
    with held(*ONE_AT_A_TIME, wait=False) as ours:
        if not ours:
            return
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'rag_embedding' "
                "AND starts_with(indexname, %s)",
                [PREFIX],
            )
            found = {name for (name,) in cursor.fetchall()}
        if found and may_change_tables():
            known = {index_name(*state) for state in EmbeddedCollection.objects.values_list("collection", "model")}
            for name in found - known:
                _execute(sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(name)))


def _more_than(count: int, collection: str, model: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) > %(count)s FROM (SELECT FROM rag_embedding "
            "WHERE collection = %(collection)s AND model = %(model)s LIMIT %(count)s + 1) AS counted",
            {"count": count, "collection": collection, "model": model},
        )
        (more,) = cursor.fetchone()
    return bool(more)


def _is_whole(name: str) -> bool | None:
    """False for one whose building was interrupted, None for one that is not there."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        found = cursor.fetchone()
    return None if found is None else bool(found[0])


def _execute(statement: sql.Composed | sql.SQL, settings: Mapping[str, str] | None = None) -> None:
    """Executes a statement of the owner of the tables, with PostgreSQL's settings for it."""
    with owners_cursor() as cursor:
        for setting, value in (settings or {}).items():
            set_ = sql.SQL("SET {} = {}").format(sql.Identifier(setting), sql.Literal(value))
            cursor.execute(set_.as_string(cursor.connection))
        try:
            cursor.execute(statement.as_string(cursor.connection))
        finally:
            for setting in settings or {}:
                cursor.execute(sql.SQL("RESET {}").format(sql.Identifier(setting)).as_string(cursor.connection))
