"""Writes the rows that operations change: edges go before their ends, nodes come before the edges between them.

Called by `graphs.writing`, which has made sure that everything is what the operations expect.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.models import F, Model

from graphs.conflicts import Before
from graphs.models import Edge, Graph, Node, NodeType
from graphs.objects import EDGE, NODE, NODE_TYPE, Kind
from graphs.operations import Create, Delete, Item, Operation, Update

#: Rows of one INSERT.
BATCH = 1_000


def store(graph: Graph, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
    """The operations as the history keeps them: what came or went knows its row."""
    types = _of(operations, NODE_TYPE)
    nodes = _of(operations, NODE)
    edges = _of(operations, EDGE)
    _delete(NodeType, types, before)
    _delete(Edge, edges, before)
    _delete(Node, nodes, before)
    _update(NodeType, NODE_TYPE, types, before)
    created_types = _create(NodeType, NODE_TYPE, types, before, workspace_id=graph.workspace_id)
    _update(Node, NODE, nodes, before)
    created = _create(Node, NODE, nodes, before, graph=graph)
    before.references.nodes.update({node.key: node.pk for node in created})
    _update(Edge, EDGE, edges, before)
    created_edges = _create(Edge, EDGE, edges, before, graph=graph)
    ids = {
        Item(kind.name, row.key): row.pk
        for kind, rows in ((NODE_TYPE, created_types), (NODE, created), (EDGE, created_edges))
        for row in rows
    }
    return tuple(_with_row(operation, ids, before) for operation in operations)


def _with_row(operation: Operation, ids: dict[Item, int], before: Before) -> Operation:
    match operation:
        case Create(item, record):
            return Create(item, record | {"id": ids[item]})
        case Delete(item, record):
            stored = before.found[item]
            return Delete(item, record | {"id": stored.id, "version": stored.version + 1})
        case _:
            return operation


def _of(operations: Iterable[Operation], kind: Kind) -> list[Operation]:
    return [operation for operation in operations if operation.item.kind == kind.name]


def _delete(model: type[Model], operations: Iterable[Operation], before: Before) -> None:
    ids = [before.found[operation.item].id for operation in operations if isinstance(operation, Delete)]
    if ids:
        rows = model._default_manager.filter(pk__in=ids)
        # Nothing cascades here: edges of deleted nodes are operations of their own.
        rows._raw_delete(using=connection.alias)


def _update(model: type[Model], kind: Kind, operations: Iterable[Operation], before: Before) -> None:
    """Items that change in the same way are one statement; ten thousand that move are one, too."""
    updates = [operation for operation in operations if isinstance(operation, Update)]
    if not updates:
        return
    changed = [(before.found[update.item], before.references.attributes(kind, update.new)) for update in updates]
    if len(changed) == 1:
        stored, attributes = changed[0]
        model._default_manager.filter(pk=stored.id).update(**attributes, version=F("version") + 1)
        return
    rows = []
    columns: set[str] = set()
    for stored, attributes in changed:
        every = before.references.attributes(kind, stored.record) | attributes
        rows.append(model(pk=stored.id, version=stored.version + 1, **every))
        columns |= attributes.keys()
    model._default_manager.bulk_update(rows, [*sorted(columns), "version"], batch_size=BATCH)


def _create(
    model: type[Model], kind: Kind, operations: Iterable[Operation], before: Before, **owner: Any
) -> Sequence[Any]:
    """New rows; one that is brought back gets its old id and so its old place in the order."""
    creates = [operation for operation in operations if isinstance(operation, Create)]
    rows = [
        model(
            pk=create.record.get("id"),
            version=create.record.get("version", 0) + 1,
            key=create.item.key,
            **owner,
            **before.references.attributes(kind, create.record),
        )
        for create in creates
    ]
    return model._default_manager.bulk_create(rows, batch_size=BATCH)
