"""The one door for changes: operations, their history and the notice of them, in one transaction.

Proposals, edits by hand and rollbacks all come through `apply`. Whoever changes an object holds its row until the
commit, so that versions rise in the order of the commits.
"""

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from graphs import rows
from graphs.conflicts import Before
from graphs.models import Graph
from graphs.objects import NODE_TYPE
from graphs.operations import Delete, Operation, net
from graphs.recording import Applied, Because, Revised, record
from graphs.storing import store

#: Sent with `change` (`Applied`) inside the transaction, after everything else of it.
changed = Signal()


def apply(graph: Graph, operations: Sequence[Operation], because: Because) -> Applied:
    """Changes a graph (and types of its workspace) and records it. All or nothing.

    Raises `Conflicting` where an item is not what the operations expect or an edge would lose its end, and
    `Graph.DoesNotExist` for a graph that was deleted.
    """
    operations = net(operations)
    with transaction.atomic():
        version = _hold(graph)
        before = Before.read(graph, operations)
        before.refuse_conflicts(operations)
        stored = store(graph, operations, before)
        objects = (Revised("graph", graph.pk, graph.key, graph.title, version), *_types(graph, stored, before))
        applied = Applied(uuid.uuid4(), graph.workspace_id, objects, stored, because)
        record(applied)
        changed.send(sender=Graph, change=applied)
    return applied


def _hold(graph: Graph) -> int:
    """Holds the graph's row and raises its version, also when only types of its workspace change."""
    held = Graph.objects.select_for_update(no_key=True).filter(pk=graph.pk)
    version: int = held.values_list("version", flat=True).get() + 1
    Graph.objects.filter(pk=graph.pk).update(version=version, updated_at=timezone.now())
    return version


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
