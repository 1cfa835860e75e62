"""The two statements that retrieval cannot do without, bare: the nearest vectors and the capped expansion."""

from collections.abc import Sequence

from django.db import connection

from graphs.models import Graph
from rag.embeddings.embedder import Vectors
from rag.embeddings.vector_search import EXACT, FEWEST_CANDIDATES, GROWTH, MOST_CANDIDATES
from rag.retrieval.ranking import SEEDS
from rag.sources.graphs.expansion import PER_NODE
from rag.sources.graphs.nodes import collection_of
from rag.sources.graphs.retrieve import FOUND

_NEAREST = """
SELECT target_id FROM rag_embedding
WHERE collection = '{collection}' AND model = '{model}' AND dimensions = {dimensions}
ORDER BY vector::halfvec({dimensions}) <=> %s::halfvec({dimensions}) LIMIT {limit}"""
#: `OFFSET 0` keeps PostgreSQL from an order by some index.
_EXACTLY = """
SELECT target_id FROM (
    SELECT target_id, vector <=> %s::halfvec AS distance FROM rag_embedding
    WHERE collection = '{collection}' AND model = '{model}' OFFSET 0
) AS every ORDER BY distance LIMIT {limit}"""
_BESIDE = f"""
CROSS JOIN LATERAL (
    (SELECT target_id AS id FROM graphs_edge WHERE source_id = near.id LIMIT {PER_NODE})
    UNION ALL (SELECT source_id FROM graphs_edge WHERE target_id = near.id LIMIT {PER_NODE})
) AS next"""
_EXPANSION = f"""
WITH near AS (SELECT unnest(%s::bigint[]) AS id),
one AS (SELECT DISTINCT next.id FROM near {_BESIDE}),
two AS (SELECT DISTINCT next.id FROM one AS near {_BESIDE})
SELECT id FROM near UNION SELECT id FROM one UNION SELECT id FROM two"""


class Floors:
    """Those of one graph and the model that embedded it."""

    def __init__(self, graph: Graph, model: str, dimensions: int, nodes: int) -> None:
        values = {"collection": collection_of(graph.pk), "model": model, "dimensions": dimensions}
        self._exactly, self._indexed = (text.format(**values, limit="{limit}") for text in (_EXACTLY, _NEAREST))
        self._is_large = nodes > EXACT
        self._candidates = max(FEWEST_CANDIDATES, min(MOST_CANDIDATES, round(nodes**GROWTH / 5)))

    def take(self, vector: Vectors) -> None:
        """Both statements, the second from the first five of the first; reads at most what retrieval does."""
        self.expand(self.nearest(vector, FOUND)[:SEEDS])

    def look_at_as_many_candidates(self) -> None:
        """As retrieval does; for this connection, until those of another graph do."""
        with connection.cursor() as cursor:
            cursor.execute(f"SET hnsw.ef_search = {self._candidates}")

    def nearest(self, vector: Vectors, limit: int) -> list[int]:
        """With the graph's own index where it has one, which looks at as many candidates as retrieval has it do."""
        if not self._is_large:
            return self.exactly(vector, limit)
        return _ids(self._indexed.format(limit=limit), _written(vector))

    def exactly(self, vector: Vectors, limit: int) -> list[int]:
        """All vectors compared."""
        return _ids(self._exactly.format(limit=limit), _written(vector))

    def expand(self, seeds: Sequence[int]) -> list[int]:
        return _ids(_EXPANSION, list(seeds))


def _written(vector: Vectors) -> str:
    return f"[{','.join(map(str, vector.tolist()))}]"


def _ids(sql: str, value: object) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [value])
        return [number for (number,) in cursor.fetchall()]
