"""Finding nodes by the vector of a question. Called by retrieval; one query at any size.

Up to `EXACT` vectors of a graph all are compared; above, the graph has an index of its own for its model
(`rag/vector_indexes.py`), which is looked at once, or on and on where it is very large. All are compared before they
are put in order, because PostgreSQL would otherwise like to use some index that knows nothing of the graph, and find
almost nothing.
"""

from typing import Any

from django.db import connection

from rag.embeddings.base import Vectors
from rag.index_names import index_name

#: Comparing so many takes a few milliseconds.
EXACT = 20_000
#: Cosine; what is less alike is not alike.
THRESHOLD = 0.3
#: How many candidates an index looks at: the more, the surer are the first ten. A large graph needs more of them: one
#: of so many of its vectors, between these. The most at one look is pgvector's.
FEWEST_CANDIDATES = 500
MOST_CANDIDATES = 1_000
VECTORS_OF_ONE = 200
#: Above so many vectors one look is not enough: the index looks on until it has returned so many.
ONE_LOOK = 300_000
MORE_CANDIDATES = 3_000
#: Of `work_mem`, for what was seen meanwhile: some 100 bytes for each of 100,000.
MEMORY_OF_MORE = 20

#: `way` is computed before anything is read: it chooses the arm and sets up the index's search for this statement.
#: `distance + 0` is not the index's order, which is a guess between two looks: all that was returned is put in order.
_SQL = """
WITH size AS (
    SELECT EXISTS (
        SELECT FROM rag_embeddedgraph WHERE graph_id = %(graph)s AND model = %(model)s AND indexed
    ) AS indexed, coalesce((SELECT reltuples FROM pg_class WHERE oid = to_regclass(%(index)s)), 0) AS vectors
), way AS MATERIALIZED (
    SELECT indexed, indexed AND vectors > {one_look} AS more,
        set_config('hnsw.ef_search', greatest({fewest}, least({most}, vectors / {vectors_of_one}))::int::text, true),
        set_config('hnsw.iterative_scan', CASE WHEN vectors > {one_look} THEN 'relaxed_order' ELSE 'off' END, true),
        set_config('hnsw.max_scan_tuples', '2147483647', true),
        set_config('hnsw.scan_mem_multiplier', '{memory}', true)
    FROM size
), looked_on AS MATERIALIZED (
    SELECT target_id, vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
    FROM rag_embedding
    WHERE graph_id = %(graph)s AND model = %(model)s AND target_type = 'node' AND dimensions = {dimensions}
        AND (SELECT more FROM way)
    ORDER BY vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT {more}
)
SELECT target_id, 1 - distance FROM (
    (
        SELECT target_id, vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
        FROM rag_embedding
        WHERE graph_id = %(graph)s AND model = %(model)s AND target_type = 'node' AND dimensions = {dimensions}
            AND (SELECT indexed AND NOT more FROM way)
        ORDER BY vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT %(limit)s
    ) UNION ALL (
        SELECT target_id, distance FROM looked_on ORDER BY distance + 0 LIMIT %(limit)s
    ) UNION ALL (
        WITH of_graph AS MATERIALIZED (
            SELECT target_id, vector <=> %(vector)s::halfvec AS distance FROM rag_embedding
            WHERE graph_id = %(graph)s AND model = %(model)s AND target_type = 'node' AND dimensions = {dimensions}
                AND NOT (SELECT indexed FROM way)
        )
        SELECT target_id, distance FROM of_graph ORDER BY distance LIMIT %(limit)s
    )
) AS found WHERE distance <= 1 - %(threshold)s ORDER BY distance, target_id"""


def nearest(
    graph_id: int, model: str, vector: Vectors, limit: int, threshold: float = THRESHOLD
) -> list[tuple[int, float]]:
    """At most `limit` nodes of a graph with the cosine of each, best first.

    `model` is the name of who made the vector: vectors of different models are never compared.
    """
    sql = _SQL.format(
        dimensions=len(vector),
        fewest=max(FEWEST_CANDIDATES, limit),
        most=MOST_CANDIDATES,
        vectors_of_one=VECTORS_OF_ONE,
        one_look=ONE_LOOK,
        more=max(MORE_CANDIDATES, limit),
        memory=MEMORY_OF_MORE,
    )
    values: dict[str, Any] = {
        "graph": graph_id,
        "model": model,
        "index": index_name(graph_id, model),
        "vector": f"[{','.join(map(str, vector.tolist()))}]",
        "limit": limit,
        "threshold": threshold,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [(target, float(cosine)) for target, cosine in cursor.fetchall()]
