"""Walking along edges inside PostgreSQL: capped per node, so that a hub costs no more than a leaf.

`around` serves `graphs.sources`; retrieval puts `around_cte` into a larger statement.
"""

from collections.abc import Sequence
from typing import Any, Literal

from django.db import connection

Direction = Literal["inbound", "outbound", "any"]

#: Rows that a walk may produce for each node that is wanted: several ways lead to the same node.
ROWS_PER_NODE = 20

_AGAINST = (
    "(SELECT source_id AS id FROM graphs_edge WHERE target_id = around.id AND graph_id = %(graph)s LIMIT %(per_node)s)"
)
_ALONG = (
    "(SELECT target_id AS id FROM graphs_edge WHERE source_id = around.id AND graph_id = %(graph)s LIMIT %(per_node)s)"
)
_STEPS: dict[Direction, str] = {"inbound": _AGAINST, "outbound": _ALONG, "any": f"{_ALONG} UNION ALL {_AGAINST}"}


def around_cte(direction: Direction) -> str:
    """A recursive table `around(id, distance)`, nearest first, the seeds with distance 0.

    Parameters: `graph` (id), `seeds` (ids), `depth` and `per_node` (neighbours that one node adds in one direction).
    It is evaluated only as far as it is read: end its reader with LIMIT.
    """
    return f"""
        around(id, distance) AS (
            SELECT id, 0 FROM graphs_node WHERE id = ANY(%(seeds)s) AND graph_id = %(graph)s
            UNION
            SELECT next.id, around.distance + 1
            FROM around CROSS JOIN LATERAL ({_STEPS[direction]}) AS next
            WHERE around.distance < %(depth)s
        )"""  # noqa: S608 - only constants are put together


def around(
    graph_id: int, node_ids: Sequence[int], *, depth: int, direction: Direction, per_node: int, limit: int
) -> dict[int, int]:
    """Ids of the nodes up to `depth` edges away with their distance, nearest first, at most `limit`, in one query."""
    sql = f"WITH RECURSIVE {around_cte(direction)} SELECT id, distance FROM around LIMIT %(rows)s"  # noqa: S608
    values: dict[str, Any] = {
        "graph": graph_id,
        "seeds": list(node_ids),
        "depth": depth,
        "per_node": per_node,
        "rows": limit * ROWS_PER_NODE,
    }
    distances: dict[int, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        for node_id, distance in cursor.fetchall():
            if len(distances) == limit:
                break
            distances.setdefault(node_id, distance)
    return distances
