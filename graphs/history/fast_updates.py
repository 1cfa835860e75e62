"""The change that is made most often, in one statement: some fields of items that are still what was expected.

It holds the graph, compares, writes and records. Where an item is not as expected it only holds the graph, and
`graphs.history.changes` goes the long way, which names the conflicts.
"""

import uuid
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeGuard

from graphs.history import hooks
from graphs.history.recording import STORED, Applied, Because, Revised, parameters, to_json
from graphs.models import Edge, Graph, Node
from graphs.objects.holding import HOLD
from graphs.objects.item_writes import taken
from graphs.objects.kinds import EDGE, KINDS, NODE, Field
from graphs.objects.operations import Operation, Update
from graphs.site.prepared import prepared

#: The kinds of which fields are changed in one statement.
TABLES = {NODE.name: Node._meta.db_table, EDGE.name: Edge._meta.db_table}


def fits(operations: Sequence[Operation]) -> TypeGuard[Sequence[Update]]:
    """Whether all of them change the same fields of nodes or of edges, none of which names another item."""
    if not operations or not isinstance(operations[0], Update) or operations[0].item.kind not in TABLES:
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
    given = parameters(change_set_id, graph.workspace_id, because, len(items) * len(names)) | {
        "graph": graph.pk,
        "label": graph.title,
        "items": to_json(items),
    }
    with prepared() as cursor:
        cursor.execute(_statement(kind, names, len(items) == 1, bool(because.undoes)), given)
        found = cursor.fetchone()
    return outcome(found, change_set_id, graph, kind, names, because)


def outcome(
    found: Sequence[Any] | None,
    change_set_id: uuid.UUID,
    graph: Graph,
    kind: str,
    names: Sequence[str],
    because: Because,
) -> tuple[int, Applied | None]:
    """What one statement did to the fields of these names, from its row: version, whether it did, answers of hooks."""
    if found is None:
        raise Graph.DoesNotExist
    version, done, *results = found
    if not done:
        return version, None
    hooks.stored(results)
    revised = Revised.of(graph, version)
    touched = frozenset((kind, name) for name in names)
    return version, Applied(change_set_id, graph.workspace_id, (revised,), touched, because)


@lru_cache
def _statement(kind: str, names: tuple[str, ...], one: bool, undoing: bool) -> str:
    """An item is a JSON array of its key, the new values and the expected ones.

    One that another transaction changed while this one waited for the graph is compared as it is by then: PostgreSQL
    looks again at rows that it locks. Nothing is written unless all of them are as expected.
    """
    fields = [KINDS[kind].field(name) for name in names]
    named = ", ".join(f"({place}, '{name}')" for place, name in enumerate(names, start=1))
    changing = _changing_one(kind, fields) if one else _changing_many(kind, fields)
    return f"""
WITH held AS (
    {HOLD} RETURNING id AS graph, version, key
), items AS MATERIALIZED (
    SELECT i.row->>0 AS key, i.row AS r, i.number
    FROM jsonb_array_elements(%(items)s::jsonb) WITH ORDINALITY AS i(row, number)
), {changing}, revisions AS (
    SELECT 0 AS place, graph, 'graph' AS type, graph AS object, key, %(label)s AS label, version FROM held, fit
), modifications AS (
    SELECT (i.number - 1) * {len(names)} + f.place AS number, 0 AS place, '{kind}' AS kind, i.key, 'update' AS action,
        f.name AS field, nullif(i.r->(f.place + {len(names)}), 'null') AS old, nullif(i.r->f.place, 'null') AS new
    FROM items AS i CROSS JOIN (VALUES {named}) AS f(place, name)
), {STORED} {hooks.relations(undoing)}
SELECT version, EXISTS (SELECT FROM revisions) {hooks.results()} FROM held
"""  # noqa: S608 - names of tables and columns are the registry's


def _changing_one(kind: str, fields: Sequence[Field]) -> str:
    """The same for one item: what is compared is written at once."""
    return f"""
changed AS (
    UPDATE {TABLES[kind]} AS t SET {_set(fields)} FROM held, items
    WHERE t.graph_id = %(graph)s AND t.key = (SELECT key FROM items) AND {_as_expected(fields)}
    RETURNING t.id
), fit AS (
    SELECT FROM changed
)"""  # noqa: S608


def _changing_many(kind: str, fields: Sequence[Field]) -> str:
    """There is a row in `fit` if all of the items are as expected, and then they are changed."""
    return f"""
found AS (
    SELECT id, r FROM held, items, {each_locked(kind, "items.key", _as_expected(fields))}
), fit AS (
    SELECT WHERE (SELECT count(*) FROM found) = (SELECT count(*) FROM items)
), changed AS (
    UPDATE {TABLES[kind]} AS t SET {_set(fields)} FROM fit, found WHERE t.id = found.id
)"""  # noqa: S608


def each_locked(kind: str, key: str, where: str) -> str:
    """A relation with the `id` of the row with this key where `where` holds of it (`t`), locked after `held`.

    Looked up one by one: no estimate of how many there are makes PostgreSQL compare each with each.
    """
    return f"""LATERAL (
        SELECT t.id FROM {TABLES[kind]} AS t WHERE t.graph_id = held.graph AND t.key = {key} AND {where}
        FOR NO KEY UPDATE
    ) AS each"""  # noqa: S608


def _set(fields: Sequence[Field]) -> str:
    columns = ", ".join(field.attribute for field in fields)
    values = ", ".join(taken(field, place) for place, field in enumerate(fields, start=1))
    return f"({columns}, version) = ROW({values}, t.version + 1)"


def _as_expected(fields: Sequence[Field]) -> str:
    return " AND ".join(
        f"to_jsonb(t.{field.attribute}) IS NOT DISTINCT FROM nullif(r->{place}, 'null')"
        for place, field in enumerate(fields, start=len(fields) + 1)
    )
