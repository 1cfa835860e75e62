"""Writes the rows that operations change: edges go before their ends, nodes come before the edges between them.

Called by `graphs.history.changes`, which has made sure that everything is what the operations expect.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.db.models import Model

from graphs.models import Edge, Graph, Node, NodeType
from graphs.objects.kinds import EDGE, NODE, NODE_TYPE, Field, Form, Kind
from graphs.objects.operations import Create, Delete, Item, Operation, Update
from graphs.objects.preconditions import Before

#: Rows of one INSERT.
BATCH = 1_000
_TAKEN: dict[Form, str] = {
    "text": "r->>{}",
    "code": "r->>{}",
    "json": "r->{}",
    "number": "(r->>{})::double precision",
    "key": "(r->>{})::bigint",
}


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
    """Ten thousand items are one statement, whichever of their fields change; those with another sheet are one more."""
    keys = {field.name for field in kind.fields if field.form == "key"}
    together: dict[frozenset[str], list[Update]] = {}
    for operation in operations:
        if isinstance(operation, Update):
            together.setdefault(frozenset(keys & operation.new.keys()), []).append(operation)
    for updates in together.values():
        _update_together(model, kind, updates, before)


def _update_together(model: type[Model], kind: Kind, updates: Sequence[Update], before: Before) -> None:
    changed = {name for update in updates for name in update.new}
    fields = [field for field in kind.fields if field.name in changed]
    rows = []
    for update in updates:
        stored = before.found[update.item]
        record = stored.record | update.new
        rows.append([stored.id, *(before.references.value(field, record[field.name]) for field in fields)])
    columns = ", ".join(field.attribute for field in fields)
    values_taken = ", ".join(taken(field, place) for place, field in enumerate(fields, start=1))
    table = model._meta.db_table
    with connection.cursor() as cursor:
        # Names of tables and columns, and places, are the registry's.
        cursor.execute(
            f"UPDATE {table} AS t SET ({columns}, version) = ROW({values_taken}, t.version + 1) "  # noqa: S608
            "FROM jsonb_array_elements(%s::jsonb) AS r WHERE t.id = (r->>0)::bigint",
            [json.dumps(rows, cls=DjangoJSONEncoder, allow_nan=False)],
        )


def taken(field: Field, place: int | str) -> str:
    """Its value out of a row `r`: the place in a JSON array, or the quoted name in an object."""
    return _TAKEN[field.form].format(place)


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
