"""Whoever changes an object holds its row until the commit, so that versions rise in the order of the commits."""

from collections.abc import Collection

from graphs.models import Graph, Workspace
from graphs.site.prepared import prepared

#: Does not touch a graph with unsaved edits: what they did has to be in the history before anything that follows.
HOLD = """
UPDATE graphs_graph SET version = version + 1, updated_at = statement_timestamp()
WHERE id = %(graph)s AND unsaved_since IS NULL
"""
_HOLD = f"{HOLD} RETURNING version"
_RAISE = """
UPDATE graphs_graph SET version = version + 1, updated_at = statement_timestamp() WHERE id = ANY(%(graphs)s::bigint[])
RETURNING id, version
"""


def hold(graph: Graph) -> int:
    """Holds the graph's row until the commit and gives its new version, also when only types of its workspace change.

    Raises `Graph.DoesNotExist`, also where it has unsaved edits. Several graphs are held in the order of their primary
    keys, then their types.
    """
    with prepared() as cursor:
        cursor.execute(_HOLD, {"graph": graph.pk})
        found = cursor.fetchone()
    if found is None:
        raise Graph.DoesNotExist
    return int(found[0])


def raise_versions(graphs: Collection[int]) -> dict[int, int]:
    """The new versions of graphs that are held already, by primary key."""
    if not graphs:
        return {}
    with prepared() as cursor:
        cursor.execute(_RAISE, {"graphs": list(graphs)})
        return dict(cursor.fetchall())


def hold_types(workspace_id: int) -> None:
    """Types belong to no graph: who changes some holds their workspace against others who do."""
    Workspace.objects.select_for_update(no_key=True).only("pk").get(pk=workspace_id)
