"""The rollback that is made most often, in one statement: of one change set that changed fields of nodes or of edges.

It holds their graph, compares, takes back and records, without a row of it leaving the database. Where something is not
as the change set left it the statement only holds the graph, and `graphs.history.rollback` goes the long way, which
decides field by field and names the clashes.
"""

import uuid
from dataclasses import dataclass
from functools import lru_cache

from graphs.history import hooks
from graphs.history.fast_updates import TABLES, each_locked, outcome
from graphs.history.recording import STORED, Applied, Because, parameters
from graphs.models import Graph
from graphs.objects.holding import HOLD
from graphs.objects.item_writes import taken
from graphs.objects.kinds import KINDS
from graphs.site.prepared import prepared

#: The graph, kind and fields of a change set. Two rows, or a size that is not all of its modifications, do not fit.
_WHAT = """
SELECT g.id, g.key, g.name, g.version, m.kind, array_agg(DISTINCT m.field), c.size
FROM graphs_changeset AS c JOIN graphs_modification AS m ON m.change_set_id = c.id
JOIN graphs_graph AS g ON g.id = m.object AND g.workspace_id = c.workspace
WHERE c.id = %(undone)s::uuid AND c.workspace = %(workspace)s AND m.type = 'graph' AND m.action = 'update'
    AND m.old IS DISTINCT FROM m.new
GROUP BY g.id, m.kind, c.size
HAVING count(*) = c.size
"""


@dataclass(frozen=True, slots=True)
class Whole:
    """A change set that can be taken back at once, if all of it is as it was left."""

    id: uuid.UUID
    graph: Graph
    kind: str
    fields: tuple[str, ...]
    size: int


def whole(workspace_id: int, change_set_id: uuid.UUID) -> Whole | None:
    """None where it created or deleted something, changed what other items are named by, or is not there."""
    with prepared() as cursor:
        cursor.execute(_WHAT, {"undone": str(change_set_id), "workspace": workspace_id})
        row = cursor.fetchone()
    if row is None:
        return None
    graph_id, key, name, version, kind, names, size = row
    if kind not in TABLES or any(KINDS[kind].field(each).form == "key" for each in names):
        return None
    graph = Graph(pk=graph_id, workspace_id=workspace_id, key=key, name=name, version=version)
    return Whole(change_set_id, graph, kind, tuple(names), size)


def take_back(done: Whole, because: Because, only_in: int | None = None) -> tuple[int, Applied | None]:
    """Holds the graph until the commit and gives its new version; and what was done, None where nothing was.

    `only_in` is the version in which the graph has to be for anything to be done. Raises `Graph.DoesNotExist`.
    """
    change_set_id, graph = uuid.uuid4(), done.graph
    given = parameters(change_set_id, graph.workspace_id, because, done.size) | {
        "graph": graph.pk,
        "label": graph.title,
        "undone": str(done.id),
        "only_in": only_in,
    }
    with prepared() as cursor:
        cursor.execute(_statement(done.kind, done.fields), given)
        found = cursor.fetchone()
    return outcome(found, change_set_id, graph, done.kind, done.fields, because)


@lru_cache
def _statement(kind: str, names: tuple[str, ...]) -> str:
    """Of each item, `old` and `new` are the fields that the change set changed, and only those."""
    fields = [KINDS[kind].field(name) for name in names]
    columns = ", ".join(field.attribute for field in fields)
    values = ", ".join(
        f"CASE WHEN r ? '{field.name}' THEN {taken(field, repr(field.name))} ELSE t.{field.attribute} END"
        for field in fields
    )
    expected = " AND ".join(
        f"(NOT new ? '{field.name}' OR to_jsonb(t.{field.attribute}) IS NOT DISTINCT FROM "
        f"nullif(new->'{field.name}', 'null'))"
        for field in fields
    )
    return f"""
WITH held AS (
    {HOLD} RETURNING id AS graph, version, key
), done AS MATERIALIZED (
    SELECT key, jsonb_object_agg(field, old) AS r, jsonb_object_agg(field, new) AS new
    FROM graphs_modification WHERE change_set_id = %(undone)s::uuid GROUP BY key
), found AS (
    SELECT id, r FROM held, done, {each_locked(kind, "done.key", expected)}
), revisions AS (
    SELECT 0 AS place, graph, 'graph' AS type, graph AS object, key, %(label)s AS label, version FROM held
    WHERE (SELECT count(*) FROM found) = (SELECT count(*) FROM done)
        AND (%(only_in)s::int IS NULL OR version = %(only_in)s::int + 1)
), modifications AS (
    SELECT sequence AS number, 0 AS place, kind, key, action, field, new AS old, old AS new
    FROM graphs_modification WHERE change_set_id = %(undone)s::uuid
), changed AS (
    UPDATE {TABLES[kind]} AS t SET ({columns}, version) = ROW({values}, t.version + 1)
    FROM revisions, found WHERE t.id = found.id
), {STORED} {hooks.relations(undoing=True)}
SELECT version, EXISTS (SELECT FROM revisions) {hooks.results()} FROM held
"""  # noqa: S608 - names of tables and columns are the registry's
