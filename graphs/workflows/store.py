"""How graphs are stored: edges go before their ends, nodes come before the edges between them."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.db.models import Model
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from graphs.models import Edge, Graph, Node, Object
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import Kind, register, taken
from graphs.objects.operations import Create, Delete, Operation, Record, Update
from graphs.objects.planning import ObjectPlan
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import Store
from graphs.workflows import rows
from graphs.workflows.kinds import EDGE, NODE, NODE_TYPE, OWN_FIELDS
from graphs.workflows.planning import CONVERSIONS
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead, load
from graphs.workflows.preconditions import GraphBefore

#: Rows of one INSERT.
BATCH = 1_000


class GraphStore(Store):
    """Reads and writes a graph's own fields, its nodes and its edges."""

    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        keys: dict[str, set[str]] = {}
        for ref in refs:
            keys.setdefault(ref.type, set()).add(ref.key)
        found: list[Stored] = []
        if NODE.name in keys:
            found += rows.nodes(of, keys[NODE.name], fields).values()
        if EDGE.name in keys:
            found += rows.edges(of, keys[EDGE.name], fields=fields).values()
        if of.type in keys:
            found += rows.own(of)
        return {stored.item: stored for stored in found}

    before = staticmethod(GraphBefore.read)

    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        assert isinstance(before, GraphBefore)
        nodes, edges = ([o for o in operations if o.item.type == kind.name] for kind in (NODE, EDGE))
        _delete(Edge, edges, before)
        _delete(Node, nodes, before)
        _update(NODE, nodes, before)
        created = _create(NODE, nodes, before, of)
        before.references.nodes.update({node.key: node.pk for node in created})
        _update(EDGE, edges, before)
        created_edges = _create(EDGE, edges, before, of)
        for operation in operations:
            if isinstance(operation, Update) and operation.item.type == of.type:
                Graph.objects.filter(pk=of.pk).update(**operation.new)
                for name, value in operation.new.items():
                    setattr(of, name, value)
        ids = {Ref(kind.name, row.key): row.pk for kind, new in ((NODE, created), (EDGE, created_edges)) for row in new}
        return tuple(_with_row(operation, ids, before) for operation in operations)

    def planner(
        self, plan: ObjectPlan, asked: Sequence[Any], reserved: Callable[[], Collection[str]]
    ) -> Callable[[Any], None]:
        wanted = ToRead()
        for step in asked:
            CONVERSIONS[type(step)].want(wanted, step)
        graph_plan = GraphPlan(load(_graph(plan.around), wanted, reserved), plan)
        return lambda step: CONVERSIONS[type(step)].convert(graph_plan, step)

    def checked(self, item: Ref, new: Record) -> Record:
        if not isinstance(new.get("metadata", {}), dict):
            raise ChangeRefused(gettext("metadata: this has to be an object."))
        return new

    def title(self, of: Object) -> str:
        return _graph(of).title

    def keys_named(self, objects: Collection[int], search: str) -> Collection[str]:
        named = Node.objects.filter(graph__in=objects, name__icontains=search)
        return set(named.values_list("key", flat=True))


def _graph(of: Object) -> Graph:
    return of if isinstance(of, Graph) else Graph.objects.get(pk=of.pk)


def _with_row(operation: Operation, ids: Mapping[Ref, int], before: Before) -> Operation:
    match operation:
        case Create(item, record):
            return Create(item, record | {"id": ids[item]})
        case Delete(item, record):
            stored = before.found[item]
            return Delete(item, record | {"id": stored.id, "version": stored.version + 1})
        case _:
            return operation


def _delete(model: type[Model], operations: Iterable[Operation], before: Before) -> None:
    ids = [before.found[operation.item].id for operation in operations if isinstance(operation, Delete)]
    if ids:
        gone = model._default_manager.filter(pk__in=ids)
        # Nothing cascades here: edges of deleted nodes are operations of their own.
        gone._raw_delete(using=connection.alias)


def _update(kind: Kind, operations: Iterable[Operation], before: GraphBefore) -> None:
    """Changes rows: ten thousand by one statement, whatever changes of them, by another those with another sheet."""
    keys = {field.name for field in kind.fields if field.form == "key"}
    together: dict[frozenset[str], list[Update]] = {}
    for operation in operations:
        if isinstance(operation, Update):
            together.setdefault(frozenset(keys & operation.new.keys()), []).append(operation)
    for updates in together.values():
        changed = {name for update in updates for name in update.new}
        fields = [field for field in kind.fields if field.name in changed]
        values = []
        for update in updates:
            stored = before.found[update.item]
            record = stored.record | update.new
            values.append([stored.id, *(before.references.value(field, record[field.name]) for field in fields)])
        columns = ", ".join(field.attribute for field in fields)
        values_taken = ", ".join(taken(field, place) for place, field in enumerate(fields, start=1))
        with connection.cursor() as cursor:
            # Names of tables and columns, and places, are the registry's.
            cursor.execute(
                f"UPDATE {kind.table} AS t SET ({columns}, version) = ROW({values_taken}, t.version + 1) "  # noqa: S608
                "FROM jsonb_array_elements(%s::jsonb) AS r WHERE t.id = (r->>0)::bigint",
                [json.dumps(values, cls=DjangoJSONEncoder, allow_nan=False)],
            )


def _create(kind: Kind, operations: Iterable[Operation], before: GraphBefore, graph: Object) -> Sequence[Any]:
    """New rows; one that is brought back gets its old id and so its old place in the order."""
    value = before.references.value
    new = [
        kind.model(
            pk=operation.record.get("id"),
            version=operation.record.get("version", 0) + 1,
            key=operation.item.key,
            graph_id=graph.pk,
            **{f.attribute: value(f, operation.record[f.name]) for f in kind.fields if f.name in operation.record},
        )
        for operation in operations
        if isinstance(operation, Create)
    ]
    return kind.model._default_manager.bulk_create(new, batch_size=BATCH)


#: The kinds of objects that this room brings.
GRAPH = register(Kind("graph", _("graph"), "name", OWN_FIELDS, Graph, GraphStore(), parts=(NODE, EDGE), url="graph"))
register(NODE_TYPE)
