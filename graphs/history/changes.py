"""The one door for changes: operations, their history and the notice of them, in one transaction.

Proposals and edits by hand come through `apply`; rollbacks, which look at what they hold before they know what to do,
through `finish`.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from graphs.history import fast_updates, live_edits
from graphs.history.recording import Applied, Because, Part, Revised, record
from graphs.history.signals import tell
from graphs.models import Graph
from graphs.objects import item_rows
from graphs.objects.holding import hold, hold_types
from graphs.objects.item_writes import store
from graphs.objects.kinds import NODE_TYPE
from graphs.objects.operations import Delete, Operation, net
from graphs.objects.preconditions import Before


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done to a graph that is held in `version`, and what it touches as it stood `before`."""

    graph: Graph
    version: int
    operations: Sequence[Operation]
    before: Before


def apply(graph: Graph, operations: Sequence[Operation], because: Because) -> Applied:
    """Changes a graph (and types of its workspace) and records it. All or nothing. What people did live is saved first.

    Raises `Conflicting` where an item is not what the operations expect or an edge would lose its end, and
    `Graph.DoesNotExist` for a graph that was deleted.
    """
    operations = net(operations)
    with transaction.atomic():
        try:
            return _apply(graph, operations, because)
        except Graph.DoesNotExist:
            # It is gone, or has unsaved edits. Held from here on, it gets no more of them.
            live_edits.save_edits(graph.pk)
        return _apply(graph, operations, because)


def _apply(graph: Graph, operations: Sequence[Operation], because: Because) -> Applied:
    if fast_updates.fits(operations):
        version, applied = fast_updates.apply(graph, operations, because)
        if applied is not None:
            return tell(applied)
    else:
        version = hold(graph)
    if any(operation.item.kind == NODE_TYPE.name for operation in operations):
        hold_types(graph.workspace_id)
    return finish([Change(graph, version, operations, Before.read(graph, operations))], because)


def finish(changes: Sequence[Change], because: Because) -> Applied:
    """Writes and records changes of graphs of one workspace, all of them held, as one change set.

    The operations of each are `net`. Raises `Conflicting`.
    """
    for change in changes:
        change.before.refuse_conflicts(change.operations)
    parts = [_write(change) for change in changes]
    return tell(record(uuid.uuid4(), changes[0].graph.workspace_id, because, parts))


def _write(change: Change) -> Part:
    graph = change.graph
    stored = store(graph, change.operations, change.before)
    revised = Revised.of(graph, change.version)
    return Part((revised, *_types(graph, stored, change.before)), stored)


def _types(graph: Graph, operations: Sequence[Operation], before: Before) -> list[Revised]:
    """The types that changed, as they are now. One that was deleted gets a last version."""
    touched = [operation for operation in operations if operation.item.kind == NODE_TYPE.name]
    if not touched:
        return []
    now = item_rows.node_types(graph.workspace_id, [operation.item.key for operation in touched])
    found = []
    for operation in touched:
        key = operation.item.key
        stored = now.get(key) or before.found[operation.item]
        version = stored.version + isinstance(operation, Delete)
        found.append(Revised(NODE_TYPE.name, stored.id, key, stored.record["displayName"], version))
    return found
