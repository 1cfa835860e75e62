"""Walking along edges inside PostgreSQL, capped per node, so that a hub costs no more than a leaf."""

from collections.abc import Sequence
from typing import Any, Literal

from django.db import connection

Direction = Literal["inbound", "outbound", "any"]

#: Rows that a walk may produce for each node that is wanted: several ways lead to the same node.
ROWS_PER_NODE = 20

#: Edges that are read for each neighbour that is wanted: several may lead to the same one, or back to the node.
EDGES_PER_NEIGHBOUR = 8
#: Of rows that are found by ids of nodes, never by an index of graphs: where most graphs are small, a plan that is kept
#: for all of them would read all of a large one.
OF_GRAPH = "graph_id + 0 = %(graph)s"
#: How many there are PostgreSQL is not told before it plans (`SELECT` around the value): it would plan anew each time.
SEED_IDS = "(SELECT %(seeds)s::bigint[])::bigint[]"


def _ends(end: str, start: str) -> str:
    """The different nodes at the `end` of edges whose `start` is the node; of many edges the first few are read."""
    return f"""(
        SELECT DISTINCT id FROM (
            SELECT {end} AS id FROM graphs_edge WHERE {start} = around.id AND {OF_GRAPH}
            LIMIT %(per_node)s * {EDGES_PER_NEIGHBOUR}
        ) AS ends
        WHERE id <> around.id LIMIT %(per_node)s
    )"""  # noqa: S608 - only constants are put together


_AGAINST = _ends("source_id", "target_id")
_ALONG = _ends("target_id", "source_id")
_STEPS: dict[Direction, str] = {"inbound": _AGAINST, "outbound": _ALONG, "any": f"{_ALONG} UNION ALL {_AGAINST}"}


def around_cte(direction: Direction) -> str:
    """A recursive table `around(id, distance)`, nearest first, the seeds with distance 0.

    Parameters: `graph` (id), `seeds` (ids), `depth` and `per_node` (neighbours that one node adds in one direction).
    It is evaluated only as far as it is read: end its reader with LIMIT.
    """
    return f"""
        around(id, distance) AS (
            SELECT id, 0 FROM graphs_node WHERE id = ANY({SEED_IDS}) AND {OF_GRAPH}
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
