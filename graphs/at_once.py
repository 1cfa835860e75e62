"""The change that is made most often, in one statement: some fields of items that are still what was expected.

It holds the graph, compares, writes and records. Where an item is not as expected it only holds the graph, and
`graphs.writing` goes the long way, which names the conflicts.
"""

import uuid
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeGuard

from graphs.holding import HOLD
from graphs.models import Edge, Graph, Node
from graphs.objects import EDGE, KINDS, NODE
from graphs.operations import Operation, Update
from graphs.prepared import prepared
from graphs.recording import STORED, Applied, Because, Part, Revised, modification_rows, parameters, to_json
from graphs.storing import taken

_TABLES = {NODE.name: Node._meta.db_table, EDGE.name: Edge._meta.db_table}


def fits(operations: Sequence[Operation]) -> TypeGuard[Sequence[Update]]:
    """Whether all of them change the same fields of nodes or of edges, none of which names another item."""
    if not operations or not isinstance(operations[0], Update) or operations[0].item.kind not in _TABLES:
        return False
    kind, names = KINDS[operations[0].item.kind], operations[0].new.keys()
    return all(kind.field(name).form != "key" for name in names) and all(
        isinstance(each, Update) and each.item.kind == kind.name and each.new.keys() == each.old.keys() == names
        for each in operations
    )


def apply(graph: Graph, operations: Sequence[Update], because: Because) -> tuple[int, Applied | None]:
    """Holds the graph until the commit and gives its new version; and what was done, None where nothing was.

    The operations fit. Raises `Graph.DoesNotExist`.
    """
    change_set_id = uuid.uuid4()
    kind = operations[0].item.kind
    names = tuple(field.name for field in KINDS[kind].fields if field.name in operations[0].new)
    items = [(o.item.key, *(o.new[name] for name in names), *(o.old[name] for name in names)) for o in operations]
    modifications = list(modification_rows(operations, 0, {}))
    given = parameters(change_set_id, graph.workspace_id, because, modifications) | {
        "graph": graph.pk,
        "label": graph.title,
        "count": len(items),
        "keys": [operation.item.key for operation in operations],
        "items": to_json(items),
    }
    with prepared() as cursor:
        cursor.execute(_statement(kind, names), given)
        found = cursor.fetchone()
    if found is None:
        raise Graph.DoesNotExist
    version, done = found
    if not done:
        return version, None
    revised = Revised("graph", graph.pk, graph.key, graph.title, version)
    return version, Applied(change_set_id, graph.workspace_id, (Part((revised,), tuple(operations)),), because)


@lru_cache
def _statement(kind: str, names: tuple[str, ...]) -> str:
    """An item is a JSON array of its key, the new values and the expected ones.

    One that another transaction changed while this one waited for the graph is compared as it is by then: PostgreSQL
    looks again at rows that it locks. Nothing is written unless all of them are as expected.
    """
    fields = [KINDS[kind].field(name) for name in names]
    columns = ", ".join(field.attribute for field in fields)
    new = ", ".join(taken(field, place) for place, field in enumerate(fields, start=1))
    expected = " AND ".join(
        f"to_jsonb(t.{field.attribute}) IS NOT DISTINCT FROM nullif(r->{place}, 'null')"
        for place, field in enumerate(fields, start=len(fields) + 1)
    )
    return f"""
WITH held AS (
    {HOLD} RETURNING version, key
), found AS (
    SELECT t.id, r FROM held, {_TABLES[kind]} AS t, jsonb_array_elements(%(items)s::jsonb) AS r
    WHERE t.graph_id = %(graph)s AND t.key = ANY(%(keys)s::varchar[]) AND t.key = r->>0 AND {expected}
    FOR NO KEY UPDATE OF t
), revisions AS (
    SELECT 0 AS place, 'graph' AS type, %(graph)s::bigint AS object, key, %(label)s AS label, version FROM held
    WHERE (SELECT count(*) FROM found) = %(count)s
), changed AS (
    UPDATE {_TABLES[kind]} AS t SET ({columns}, version) = ROW({new}, t.version + 1)
    FROM revisions, found WHERE t.id = found.id
), {STORED}
SELECT version, EXISTS (SELECT FROM revisions) FROM held
"""  # noqa: S608 - names of tables and columns are the registry's
