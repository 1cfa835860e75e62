"""Finding nodes by the vector of a question. Called by retrieval; one query at any size.

Up to `EXACT` vectors of a graph all are compared; above, the graph has an index of its own for its model
(`rag/embeddings/vector_indexes.py`), which is looked at once, and what it misses is looked for among the nodes that
were met by their words. All are compared before they are put in order, because PostgreSQL would otherwise like to use
some index that knows nothing of the graph, and find almost nothing.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from rag.embeddings.base import Vectors
from rag.embeddings.index_names import index_name

#: Comparing so many takes a few milliseconds.
EXACT = 20_000
#: Cosine; what is less alike is not alike.
THRESHOLD = 0.3
#: How many candidates an index looks at: the more, the surer are the first ten. A larger graph needs more of them: its
#: vectors to this power, a fifth of it, between these (measured: decision 25). The most is pgvector's.
GROWTH = 0.6
FEWEST_CANDIDATES = 200
MOST_CANDIDATES = 1_000

#: `way` is computed before anything is read: it chooses the arm and sets up the index's search for this statement.
_SQL = """
WITH size AS (
    SELECT EXISTS (
        SELECT FROM rag_embeddedgraph WHERE graph_id = %(graph)s AND model = %(model)s AND indexed
    ) AS indexed, coalesce((SELECT reltuples FROM pg_class WHERE oid = to_regclass(%(index)s)), 0) AS vectors
), way AS MATERIALIZED (
    SELECT indexed, set_config(
        'hnsw.ef_search', greatest({fewest}, least({most}, power(greatest(vectors, 0), {growth}) / 5))::int::text, true
    ) FROM size
)
SELECT target_id, 1 - distance FROM (
    (
        SELECT target_id, vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
        FROM rag_embedding
        WHERE graph_id = %(graph)s AND model = %(model)s AND target_type = 'node' AND dimensions = {dimensions}
            AND (SELECT indexed FROM way)
        ORDER BY vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) LIMIT %(limit)s
    ) UNION (
        SELECT target_id, vector <=> %(vector)s::halfvec FROM rag_embedding
        WHERE target_type = 'node' AND target_id = ANY(%(also)s) AND graph_id = %(graph)s AND model = %(model)s
            AND dimensions = {dimensions} AND (SELECT indexed FROM way)
    ) UNION ALL (
        WITH of_graph AS MATERIALIZED (
            SELECT target_id, vector <=> %(vector)s::halfvec AS distance FROM rag_embedding
            WHERE graph_id = %(graph)s AND model = %(model)s AND target_type = 'node' AND dimensions = {dimensions}
                AND NOT (SELECT indexed FROM way)
        )
        SELECT target_id, distance FROM of_graph ORDER BY distance LIMIT %(limit)s
    )
) AS found WHERE distance <= 1 - %(threshold)s ORDER BY distance, target_id LIMIT %(limit)s"""


def nearest(
    graph_id: int, model: str, vector: Vectors, limit: int, threshold: float = THRESHOLD, also: Sequence[int] = ()
) -> list[tuple[int, float]]:
    """At most `limit` nodes of a graph with the cosine of each, best first.

    `model` is the name of who made the vector: vectors of different models are never compared. The nodes `also`, met by
    their words, are compared whether an index meets them or not.
    """
    sql = _SQL.format(
        dimensions=len(vector),
        fewest=max(FEWEST_CANDIDATES, limit),
        most=MOST_CANDIDATES,
        growth=GROWTH,
    )
    values: dict[str, Any] = {
        "graph": graph_id,
        "model": model,
        "index": index_name(graph_id, model),
        "vector": f"[{','.join(map(str, vector.tolist()))}]",
        "limit": limit,
        "threshold": threshold,
        "also": list(also),
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [(target, float(cosine)) for target, cosine in cursor.fetchall()]
