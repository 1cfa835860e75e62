"""The one door for changes: operations, their history and the notice of them, in one transaction.

Proposals and edits by hand come through `apply`; rollbacks, which look at what they hold before they know what to do,
through `hold` and `finish`. Whoever changes an object holds its row until the commit, so that versions rise in the
order of the commits.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.dispatch import Signal

from graphs import rows
from graphs.conflicts import Before
from graphs.models import Graph, Workspace
from graphs.objects import NODE_TYPE
from graphs.operations import Delete, Operation, net
from graphs.recording import Applied, Because, Part, Revised, record
from graphs.storing import store

#: Sent with `change` (`Applied`) inside the transaction, after everything else of it.
changed = Signal()

_HOLD = """
UPDATE graphs_graph SET version = version + 1, updated_at = statement_timestamp() WHERE id = %s RETURNING version
"""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done to a graph that is held in `version`, and what it touches as it stood `before`."""

    graph: Graph
    version: int
    operations: Sequence[Operation]
    before: Before


def apply(graph: Graph, operations: Sequence[Operation], because: Because) -> Applied:
    """Changes a graph (and types of its workspace) and records it. All or nothing.

    Raises `Conflicting` where an item is not what the operations expect or an edge would lose its end, and
    `Graph.DoesNotExist` for a graph that was deleted.
    """
    operations = net(operations)
    with transaction.atomic():
        version = hold(graph)
        if any(operation.item.kind == NODE_TYPE.name for operation in operations):
            hold_types(graph.workspace_id)
        return finish([Change(graph, version, operations, Before.read(graph, operations))], because)


def hold(graph: Graph) -> int:
    """Holds the graph's row until the commit and gives its new version, also when only types of its workspace change.

    Several graphs are held in the order of their primary keys, then their types.
    """
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [graph.pk])
        found = cursor.fetchone()
    if found is None:
        raise Graph.DoesNotExist
    return int(found[0])


def hold_types(workspace_id: int) -> None:
    """Types belong to no graph: who changes some holds their workspace against others who do."""
    Workspace.objects.select_for_update(no_key=True).only("pk").get(pk=workspace_id)


def finish(changes: Sequence[Change], because: Because) -> Applied:
    """Writes and records changes of graphs of one workspace, all of them held, as one change set.

    The operations of each are `net`. Raises `Conflicting`.
    """
    for change in changes:
        change.before.refuse_conflicts(change.operations)
    applied = Applied(uuid.uuid4(), changes[0].graph.workspace_id, tuple(map(_write, changes)), because)
    record(applied)
    changed.send(sender=Graph, change=applied)
    return applied


def _write(change: Change) -> Part:
    graph = change.graph
    stored = store(graph, change.operations, change.before)
    revised = Revised("graph", graph.pk, graph.key, graph.title, change.version)
    return Part((revised, *_types(graph, stored, change.before)), stored)


def _types(graph: Graph, operations: Sequence[Operation], before: Before) -> list[Revised]:
    """The types that changed, as they are now. One that was deleted gets a last version."""
    touched = [operation for operation in operations if operation.item.kind == NODE_TYPE.name]
    if not touched:
        return []
    now = rows.node_types(graph.workspace_id, [operation.item.key for operation in touched])
    found = []
    for operation in touched:
        key = operation.item.key
        stored = now.get(key) or before.found[operation.item]
        version = stored.version + isinstance(operation, Delete)
        found.append(Revised(NODE_TYPE.name, stored.id, key, stored.record["displayName"], version))
    return found
