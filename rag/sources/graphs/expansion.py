"""Reads what is around found nodes: neighbours, the edges between all of them, and their types, in one query."""

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import Any

from django.db import connection

from graphs.models import Graph
from graphs.workflows.neighbours import OF_GRAPH, SEED_IDS, around_cte
from graphs.workflows.node_types import BUILT_IN
from rag.retrieval.ranking import SEEDS
from rag.sources.graphs.context import Options, RelevantEdge, RelevantNode, RelevantType
from rag.texts.shortening import cut, handles_summary

#: Neighbours that join: of one node in one direction, in all, and those that were found too.
PER_NODE = 5
WALKED = 80
MET = 20
#: Edges that one node shows.
EDGES_PER_NODE = 40
#: Characters of a summary of handles.
HANDLES_CHARS = 1_000
#: Handles that take more in JSON are not kept.
KEPT_CHARS = 2_000
#: Where the columns of the type begin in a row.
TYPE_COLUMNS = 8
#: PostgreSQL is not told them before it plans: it would plan anew each time.
_GRAPH = "(SELECT %(graph)s::bigint)"
_FOUND = "(SELECT %(found)s::bigint[])::bigint[]"
#: Rows are looked up one by one (`OFFSET 0` keeps it so), never by reading all: how many there will be no plan knows.
_READ = f"""
    SELECT
        node.id, out.edges, node.key, node.name, node.type, sheet.key, sheet.name,
        left(node.process, %(process_chars)s + 1), left(node.data::text, %(data_chars)s + 1), node.handles::text,
        type.display_name, type.description, type.category, type.icon, type.handles::text
    FROM chosen
    CROSS JOIN LATERAL (SELECT * FROM graphs_node WHERE id = chosen.id AND {OF_GRAPH} OFFSET 0) AS node
    JOIN graphs_sheet AS sheet ON sheet.id = node.sheet_id
    LEFT JOIN graphs_object AS own
        ON own.workspace_id = %(workspace)s AND own.type = 'nodeType' AND own.key = node.type
    LEFT JOIN graphs_nodetype AS type ON type.object_id = own.id
    CROSS JOIN LATERAL (
        SELECT json_agg(json_build_array(id, target_id, source_handle, target_handle, label)) AS edges
        FROM (
            SELECT * FROM graphs_edge
            WHERE source_id = node.id AND target_id = ANY(ARRAY(SELECT id FROM chosen)) AND {OF_GRAPH}
            LIMIT {EDGES_PER_NODE}
        ) AS inside
    ) AS out"""  # noqa: S608 - only constants are put together


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Nodes by id, in order, and edges (source, id, target, source handle, target handle, label), oldest first."""

    rows: dict[int, Sequence[Any]]
    edges: tuple[Sequence[Any], ...]

    def neighbours(self) -> dict[int, tuple[int, ...]]:
        """The nodes at the other ends of its edges, for each node that has edges here."""
        linked: dict[int, dict[int, None]] = {}
        for source, _, target, *_ in self.edges:
            if source != target:
                linked.setdefault(source, {})[target] = None
                linked.setdefault(target, {})[source] = None
        return {node_id: tuple(others) for node_id, others in linked.items()}

    def nodes(self, ids: Iterable[int], options: Options) -> tuple[RelevantNode, ...]:
        return tuple(_node(self.rows[node_id], options) for node_id in ids)

    def edges_between(self, ids: Container[int]) -> Iterator[RelevantEdge]:
        """The edges with both ends among the nodes."""
        for source, _, target, source_handle, target_handle, label in self.edges:
            if source in ids and target in ids:
                yield RelevantEdge(self._key(source), source_handle, self._key(target), target_handle, label)

    def types(self, ids: Iterable[int]) -> tuple[RelevantType, ...]:
        """The types of the nodes, in the order of their first nodes."""
        found: dict[str, Sequence[Any]] = {}
        for row in (self.rows[node_id] for node_id in ids):
            found.setdefault(row[2], row)
        return tuple(_type(key, row[TYPE_COLUMNS:]) for key, row in found.items())

    def _key(self, node_id: int) -> str:
        key: str = self.rows[node_id][0]
        return key


def surroundings(graph: Graph, found: Sequence[int], options: Options) -> Surroundings:
    """The best found nodes, the neighbours of the first few, and what links to these, by the index and capped.

    What links to these is looked up from node to node: one of them may be a hub.
    """
    sql = f"""
        WITH RECURSIVE {around_cte("any")},
        met AS (
            SELECT target_id AS id FROM unnest({SEED_IDS}) AS seed(id) CROSS JOIN LATERAL (
                SELECT target_id FROM graphs_edge
                WHERE source_id = seed.id AND target_id = ANY({_FOUND}) AND {OF_GRAPH} OFFSET 0
            ) AS along
            UNION
            SELECT source_id FROM unnest({_FOUND}) AS found(id) CROSS JOIN LATERAL (
                SELECT source_id FROM graphs_edge
                WHERE source_id = found.id AND target_id = ANY({SEED_IDS}) AND {OF_GRAPH} OFFSET 0
            ) AS against
        ),
        chosen AS MATERIALIZED (
            SELECT id FROM unnest(%(best)s::bigint[]) AS best(id)
            UNION (SELECT id FROM met LIMIT {MET})
            UNION (SELECT id FROM around LIMIT {WALKED})
        )
        {_READ}
        ORDER BY node.id"""  # noqa: S608 - only constants are put together
    best, seeds = list(found[: options.nodes]), list(found[:SEEDS])
    return _read(sql, graph, options, found=list(found), best=best, seeds=seeds, per_node=PER_NODE)


def beginning(graph: Graph, options: Options) -> Surroundings:
    """The beginning of a graph, for a question that finds nothing: starters, then the first keys.

    Bounds stand in the text, and both are asked for as ranges in an order that one index has: so a plan that is kept
    reads few nodes, however large or small graphs are.
    """
    sql = f"""
        WITH firsts AS (
            (SELECT id, 0 AS rank, key FROM graphs_node
                WHERE graph_id = {_GRAPH} AND type BETWEEN (SELECT 'starter') AND (SELECT 'starter')
                ORDER BY type, id LIMIT {options.nodes})
            UNION ALL
            (SELECT id, 1, key FROM graphs_node
                WHERE graph_id BETWEEN {_GRAPH} AND {_GRAPH} ORDER BY graph_id, key LIMIT {options.nodes})
        ),
        chosen AS MATERIALIZED (
            SELECT id, min(rank) AS rank FROM firsts GROUP BY id, key ORDER BY rank, key LIMIT {options.nodes}
        )
        {_READ}
        ORDER BY chosen.rank, node.key"""  # noqa: S608 - only constants are put together
    return _read(sql, graph, options)


def _read(sql: str, graph: Graph, options: Options, **values: Any) -> Surroundings:
    rows: dict[int, Sequence[Any]] = {}
    edges: list[Sequence[Any]] = []
    with connection.cursor() as cursor:
        cursor.execute(sql, values | asdict(options) | {"graph": graph.pk, "workspace": graph.workspace_id})
        for node_id, out, *row in cursor.fetchall():
            rows[node_id] = row
            edges.extend((node_id, *edge) for edge in out or ())
    return Surroundings(rows, tuple(sorted(edges, key=lambda edge: edge[1])))


def _node(row: Sequence[Any], options: Options) -> RelevantNode:
    key, name, type_key, sheet, sheet_name, process, data, handles = row[:TYPE_COLUMNS]
    return RelevantNode(
        key=key,
        name=name,
        type=type_key,
        type_name=_name_of_type(type_key, row[TYPE_COLUMNS]),
        sheet=sheet,
        sheet_name=sheet_name,
        process=cut(process, options.process_chars),
        data="" if data == "{}" else cut(data, options.data_chars),
        handles=_summary(handles),
    )


def _summary(handles: str) -> str:
    """The summary of handles in JSON."""
    return _of_short(handles) if len(handles) <= KEPT_CHARS else _made(handles)


def _made(handles: str) -> str:
    return cut(handles_summary(json.loads(handles)), HANDLES_CHARS)


@lru_cache(maxsize=256)
def _of_short(handles: str) -> str:
    """Kept, as most nodes have the handles of their type."""
    return _made(handles)


def _name_of_type(key: str, custom: str | None) -> str:
    if key in BUILT_IN:
        return BUILT_IN[key].display_name
    return key if custom is None else custom


@cache
def _built_in(key: str) -> RelevantType:
    record = BUILT_IN[key]
    summary = handles_summary(record.handles)
    return RelevantType(key, record.display_name, record.description, record.category, record.icon, summary)


def _type(key: str, custom: Sequence[str | None]) -> RelevantType:
    """A built-in type, a custom one from its columns, or one that nobody defined."""
    if key in BUILT_IN:
        return _built_in(key)
    name, description, category, icon, handles = custom
    if name is None:
        return RelevantType(key, key, "", "", "", "")
    return RelevantType(key, name, description or "", category or "", icon or "", _summary(handles or "{}"))
