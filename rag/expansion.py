"""From the nodes that were found to the nodes that a question is about: neighbours join, all with their types.

Each function is one query. Called by retrieval.
"""

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

from graphs.models import Graph
from graphs.neighbours import around_cte
from graphs.node_types import BUILT_IN
from rag.condensing import cut, handles_summary
from rag.context import RelevantEdge, RelevantNode, RelevantType
from rag.search import Hit

#: Nodes in a context.
MAX_NODES = 20
#: Edges in a context.
MAX_EDGES = 100
#: The best hits whose neighbours join, how far, how many a node and direction, and how many in all.
SEEDS = 5
DEPTH = 2
PER_NODE = 5
WALKED = 120
#: Hits that come before any neighbour.
FIRST_HITS = 10
#: Characters of code and of data.
PROCESS_CHARS = 500
DATA_CHARS = 200

_COLUMNS = f"""
    node.id, node.key, node.name, node.type, sheet.key, sheet.name,
    left(node.process, {PROCESS_CHARS + 1}), left(node.data::text, {DATA_CHARS + 1}), node.handles::text,
    type.display_name, type.description, type.category, type.icon, type.handles::text"""
_JOINS = """
    JOIN graphs_sheet AS sheet ON sheet.id = node.sheet_id
    LEFT JOIN graphs_nodetype AS type ON type.workspace_id = %(workspace)s AND type.key = node.type"""

Nodes = list[tuple[int, RelevantNode]]


def with_neighbours(graph: Graph, hits: Sequence[Hit]) -> tuple[Nodes, tuple[RelevantType, ...]]:
    """The best hits, their neighbours, the other hits, and neighbours' neighbours: at most `MAX_NODES`, with ids."""
    sql = f"""
        WITH RECURSIVE {around_cte("any")},
        ranked(id, rank, place) AS (
            SELECT id, CASE WHEN place <= {FIRST_HITS} THEN 0 ELSE 2 END, place
                FROM unnest(%(hits)s::bigint[]) WITH ORDINALITY AS hit(id, place)
            UNION ALL
            SELECT id, 2 * distance - 1, row_number() OVER ()
                FROM (SELECT id, distance FROM around LIMIT {WALKED}) AS walked WHERE distance > 0
        ),
        chosen(id, rank, place) AS (
            SELECT DISTINCT ON (id) id, rank, place FROM ranked ORDER BY id, rank, place
        )
        SELECT {_COLUMNS}
        FROM (SELECT * FROM chosen ORDER BY rank, place LIMIT {MAX_NODES}) AS best
        JOIN graphs_node AS node ON node.id = best.id AND node.graph_id = %(graph)s
        {_JOINS}
        ORDER BY best.rank, best.place"""  # noqa: S608 - only constants are put together
    ids = [hit.node_id for hit in hits]
    return _rows(sql, graph, hits=ids, seeds=ids[:SEEDS], depth=DEPTH, per_node=PER_NODE)


def first_nodes(graph: Graph) -> tuple[Nodes, tuple[RelevantType, ...]]:
    """Where a graph begins, for a question that finds nothing: starters, then the first keys, at most `MAX_NODES`."""
    sql = f"""
        WITH firsts AS (
            (SELECT id, 0 AS rank FROM graphs_node
                WHERE graph_id = %(graph)s AND search @@ 'starter'::tsquery AND type = 'starter' LIMIT {MAX_NODES})
            UNION ALL
            (SELECT id, 1 FROM graphs_node WHERE graph_id = %(graph)s ORDER BY key LIMIT {MAX_NODES})
        ),
        chosen AS (SELECT id, min(rank) AS rank FROM firsts GROUP BY id)
        SELECT {_COLUMNS}
        FROM chosen JOIN graphs_node AS node ON node.id = chosen.id
        {_JOINS}
        ORDER BY chosen.rank, node.key LIMIT {MAX_NODES}"""  # noqa: S608 - only constants are put together
    return _rows(sql, graph)


def edges_between(graph: Graph, nodes: Nodes) -> tuple[RelevantEdge, ...]:
    """The edges whose two ends are both among the nodes."""
    keys = {node_id: node.key for node_id, node in nodes}
    sql = f"""
        SELECT source_id, source_handle, target_id, target_handle, label FROM graphs_edge
        WHERE graph_id = %(graph)s AND source_id = ANY(%(ids)s) AND target_id = ANY(%(ids)s)
        ORDER BY id LIMIT {MAX_EDGES}"""  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, {"graph": graph.pk, "ids": list(keys)})
        return tuple(
            RelevantEdge(keys[source], source_handle, keys[target], target_handle, label)
            for source, source_handle, target, target_handle, label in cursor.fetchall()
        )


def _rows(sql: str, graph: Graph, **values: Any) -> tuple[Nodes, tuple[RelevantType, ...]]:
    nodes: Nodes = []
    types: dict[str, RelevantType] = {}
    with connection.cursor() as cursor:
        cursor.execute(sql, values | {"graph": graph.pk, "workspace": graph.workspace_id})
        for node_id, key, name, type_key, sheet, sheet_name, process, data, handles, *custom in cursor.fetchall():
            types.setdefault(type_key, _type(type_key, custom))
            node = RelevantNode(
                key=key,
                name=name,
                type=type_key,
                type_name=types[type_key].display_name,
                sheet=sheet,
                sheet_name=sheet_name,
                process=cut(process, PROCESS_CHARS),
                data="" if data == "{}" else cut(data, DATA_CHARS),
                handles=handles_summary(json.loads(handles)),
            )
            nodes.append((node_id, node))
    return nodes, tuple(types.values())


def _type(key: str, custom: Sequence[str | None]) -> RelevantType:
    """A built-in type, a custom one from its columns, or one that nobody defined."""
    if key in BUILT_IN:
        record = BUILT_IN[key]
        summary = handles_summary(record.handles)
        return RelevantType(key, record.display_name, record.description, record.category, record.icon, summary)
    name, description, category, icon, handles = custom
    if name is None:
        return RelevantType(key, key, "", "", "", "")
    return RelevantType(
        key, name, description or "", category or "", icon or "", handles_summary(json.loads(handles or "{}"))
    )
