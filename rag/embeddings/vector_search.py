"""Finds targets by the vector of a question, in one query at any size. Called by sources.

Up to `EXACT` vectors of a collection all are compared. Above, those are that are likely by their signs, which this
process keeps (`rag/embeddings/kept_signs.py`); until it does, the collection's own index
(`rag/embeddings/vector_indexes.py`) is looked at once. The targets that were met by their words are compared as well.
Comparing comes before ordering: PostgreSQL would otherwise use an index of another collection, and find almost nothing.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import connection

from graphs.site.planning import execute_anew
from rag.embeddings import kept_signs
from rag.embeddings.embedder import Vectors
from rag.embeddings.kept_signs import CollectionOfModel, Kept

#: What the name of an index begins with.
PREFIX = "rag_hnsw_"
#: Comparing so many takes a few milliseconds.
EXACT = 20_000
#: Cosine; what is less alike is not alike.
THRESHOLD = 0.3
#: How many candidates an index looks at: the more, the surer are the first ten. A larger collection needs more of them:
#: its vectors to this power, a fifth of it, between these (measured: decision 25). The most is pgvector's.
GROWTH = 0.6
FEWEST_CANDIDATES = 200
MOST_CANDIDATES = 1_000
#: Of no more rows that were stored since the signs were read the vectors are compared.
MOST_NEWER = 20_000

#: The vectors of nodes that were met otherwise.
_MET = """
SELECT target_type, target_id, vector <=> %(vector)s::halfvec AS distance FROM rag_embedding
WHERE target_type = ANY(%(types)s) AND target_id = ANY(%(also)s) AND collection = %(collection)s
    AND model = %(model)s AND dimensions = {dimensions}"""

#: `way` is computed before anything is read: it chooses the arm and sets up the index's search for this statement.
_SQL = """
WITH size AS (
    SELECT EXISTS (
        SELECT FROM rag_embeddedcollection WHERE collection = %(collection)s AND model = %(model)s AND indexed
    ) AS indexed, coalesce((SELECT reltuples FROM pg_class WHERE oid = to_regclass(%(index)s)), 0) AS vectors
), way AS MATERIALIZED (
    SELECT indexed, set_config(
        'hnsw.ef_search', greatest({fewest}, least({most}, power(greatest(vectors, 0), {growth}) / 5))::int::text, true
    ) FROM size
)
SELECT target_type, target_id, 1 - distance, (SELECT indexed FROM way) FROM (
    (
        SELECT target_type, target_id, vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
        FROM rag_embedding
        WHERE collection = %(collection)s AND model = %(model)s AND target_type = ANY(%(types)s)
            AND dimensions = {dimensions} AND (SELECT indexed FROM way)
        ORDER BY vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT %(limit)s
    ) UNION (
        {met} AND (SELECT indexed FROM way)
    ) UNION ALL (
        WITH of_collection AS MATERIALIZED (
            SELECT target_type, target_id, vector <=> %(vector)s::halfvec AS distance FROM rag_embedding
            WHERE collection = %(collection)s AND model = %(model)s AND target_type = ANY(%(types)s)
                AND dimensions = {dimensions} AND NOT (SELECT indexed FROM way)
        )
        SELECT target_type, target_id, distance FROM of_collection ORDER BY distance LIMIT %(limit)s
    )
) AS found WHERE distance <= 1 - %(threshold)s ORDER BY distance, target_id LIMIT %(limit)s"""

#: Of the likely rows, of those that were stored since the signs were read, and of what was met. The last row says how
#: many of the likely ones are there still, and how far the numbers of rows have come.
_BY_SIGNS = """
WITH newest AS MATERIALIZED (SELECT last_value AS row FROM rag_embedding_id_seq),
likely AS MATERIALIZED (
    SELECT target_type, target_id, vector <=> %(vector)s::halfvec AS distance FROM rag_embedding
    WHERE id = ANY(%(likely)s) AND collection = %(collection)s AND model = %(model)s AND dimensions = {dimensions}
)
(
    SELECT target_type, target_id, 1 - distance FROM (
        SELECT * FROM likely WHERE target_type = ANY(%(types)s)
        UNION (
            SELECT target_type, target_id, vector <=> %(vector)s::halfvec FROM rag_embedding
            WHERE id > %(until)s AND collection = %(collection)s AND model = %(model)s AND dimensions = {dimensions}
                AND target_type = ANY(%(types)s) AND (SELECT row FROM newest) <= %(until)s + {newer}
        )
        UNION ({met})
    ) AS found WHERE distance <= 1 - %(threshold)s ORDER BY distance, target_id LIMIT %(limit)s
) UNION ALL SELECT NULL, (SELECT count(*) FROM likely), (SELECT row FROM newest)"""


#: Collections that had an index when they were searched last: they are large.
_indexed: set[CollectionOfModel] = set()


@dataclass(frozen=True, slots=True)
class Near:
    """A target whose vector is like the question's; `cosine` says how much."""

    type: str
    id: int
    cosine: float


def index_name(collection: str, model: str) -> str:
    """What the index of a collection and model is called."""
    return f"{PREFIX}{collection.replace(':', '_')}_{hashlib.blake2b(model.encode(), digest_size=5).hexdigest()}"


def nearest(
    collection: str,
    types: Sequence[str],
    model: str,
    vector: Vectors,
    limit: int,
    threshold: float = THRESHOLD,
    also: Sequence[int] = (),
    *,
    few: bool | None = None,
) -> list[Near]:
    """The `limit` targets nearest to a vector of `model`, best first; `also` are compared even if no index has them.

    `few`: whether the collection is small, and searched by the plan of any small one; None where nobody knows.
    """
    of = CollectionOfModel(collection, model, len(vector))
    values: dict[str, Any] = {
        "collection": collection,
        "types": list(types),
        "model": model,
        "vector": f"[{','.join(map(str, vector.tolist()))}]",
        "limit": limit,
        "threshold": threshold,
        "also": list(also),
    }
    known = kept_signs.kept(of)
    return _by_signs(of, known, vector, values) if known else _by_index(of, values, few)


def _by_signs(of: CollectionOfModel, known: Kept, vector: Vectors, values: Mapping[str, Any]) -> list[Near]:
    likely = known.signs.likely(vector, values["types"])
    sql = _BY_SIGNS.format(dimensions=of.dimensions, newer=MOST_NEWER, met=_MET.format(dimensions=of.dimensions))
    with connection.cursor() as cursor:
        execute_anew(cursor, sql, {**values, "likely": likely, "until": known.until})
        *rows, (_, there, newest) = cursor.fetchall()
    if there < kept_signs.TRUE_ENOUGH * len(likely) or newest < known.until:
        kept_signs.load_soon(of, anew=True)
    elif newest > known.until + kept_signs.NEWER:
        kept_signs.load_soon(of)
    return [Near(type_, target, float(cosine)) for type_, target, cosine in rows]


def _by_index(of: CollectionOfModel, values: Mapping[str, Any], few: bool | None) -> list[Near]:
    """The nearest vectors by the index, or by comparing all where there is none."""
    sql = _SQL.format(
        dimensions=of.dimensions,
        fewest=max(FEWEST_CANDIDATES, values["limit"]),
        most=MOST_CANDIDATES,
        growth=GROWTH,
        met=_MET.format(dimensions=of.dimensions),
    )
    with connection.cursor() as cursor:
        is_small = of not in _indexed if few is None else few
        execute = cursor.execute if is_small else partial(execute_anew, cursor)
        execute(sql, {**values, "index": index_name(of.collection, of.model)})
        rows = cursor.fetchall()
    if any(indexed for *_, indexed in rows):
        _indexed.add(of)
        kept_signs.load_soon(of)
    return [Near(type_, target, float(cosine)) for type_, target, cosine, _ in rows]
