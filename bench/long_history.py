"""Fills a database with a graph of a hundred nodes that was changed as often as wanted, one node after the other."""

from django.db import connection

from graphs.models import Graph, Node, Object, Sheet, Workspace

NODES = 100
_CHANGES = """
WITH ids AS MATERIALIZED (
    SELECT g AS version, gen_random_uuid() AS id, statement_timestamp() - make_interval(secs => %(last)s - g) AS at
    FROM generate_series(2, %(last)s) AS g
), made AS (
    INSERT INTO graphs_changeset
        (id, workspace, actor_label, origin, cause, causes, reason, prompt_version, model, undoes, size, created_at)
    SELECT id, %(workspace)s, 'demo', 'manual', '', '{}', '', '', '', '{}', 1, at FROM ids
), revised AS (
    INSERT INTO graphs_revision (change_set_id, type, object, key, label, version, created_at)
    SELECT id, 'graph', %(graph)s, %(key)s, %(key)s, version, at FROM ids ORDER BY version
)
INSERT INTO graphs_modification (change_set_id, sequence, type, object, version, kind, key, action, field, old, new)
SELECT id, 1, 'graph', %(graph)s, version, 'node', 'n' || version %% %(nodes)s, 'update', 'name',
    to_jsonb('Name ' || version - %(nodes)s), to_jsonb('Name ' || version)
FROM ids ORDER BY version
"""
_NAMES = """
UPDATE graphs_node SET name = 'Name ' || %(last)s - (%(last)s - substr(key, 2)::int) %% %(nodes)s
WHERE graph_id = %(graph)s
"""


def create(workspace: Workspace, key: str, nodes: int = NODES) -> Graph:
    """A graph of so many nodes on one sheet, as yet without a history."""
    graph = Graph.objects.create(workspace=workspace, key=key, name=key)
    sheet = Sheet.objects.create(graph=graph, key="main", name="Main")
    Node.objects.bulk_create(
        Node(graph=graph, sheet=sheet, key=f"n{n}", name=f"Name {n}", type="step", process=f"return step({n})")
        for n in range(nodes)
    )
    return graph


def fill(graph: Graph, versions: int) -> None:
    """As many versions as that, each of which renamed one node, the last ones as the nodes are called now."""
    last = versions + 1
    given = {
        "graph": graph.pk, "key": graph.key, "workspace": graph.workspace_id, "last": last, "nodes": NODES,
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_CHANGES, given)
        cursor.execute(_NAMES, given)
    Object.objects.filter(pk=graph.pk).update(version=last)
