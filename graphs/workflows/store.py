"""How graphs are stored: edges go before their ends, nodes come before the edges between them, sheets before both."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, connection, transaction
from django.db.models import Model
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from graphs.models import Edge, Graph, Node, Object, Sheet
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import Field, Kind, register, taken
from graphs.objects.marks import mark_of
from graphs.objects.model_users import rows_led_to
from graphs.objects.object_plan import ObjectPlan
from graphs.objects.operations import OTHER_COLUMNS, Create, Delete, Operation, Record, Update, showable
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange, Store
from graphs.site.any_of import any_of
from graphs.site.copying import copy_rows
from graphs.site.counted_keys import new_ids
from graphs.workflows import fitting, rows, size
from graphs.workflows.bounds import require_texts
from graphs.workflows.interchange.keys import slug
from graphs.workflows.keys import KeyInvalid, check_key, free_key
from graphs.workflows.kinds import EDGE, NODE, NODE_TYPE, OWN_FIELDS, SHEET
from graphs.workflows.planning import CONVERSIONS
from graphs.workflows.planning.graph_plan import GraphPlan
from graphs.workflows.planning.state import ToRead, load
from graphs.workflows.preconditions import GraphBefore

#: Rows of one INSERT; more are copied.
BATCH = 1_000
#: The sheet of a graph that is made without any.
FIRST_SHEET = Ref(SHEET.name, "main")
FIRST_SHEET_NAME = "Main"


class GraphStore(Store):
    """Reads and writes a graph's own fields, its sheets, its nodes and its edges."""

    is_limited = True

    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        keys: dict[str, set[str]] = {}
        for ref in refs:
            keys.setdefault(ref.type, set()).add(ref.key)
        found: list[Stored] = []
        if SHEET.name in keys:
            found += (stored for key, stored in rows.sheets(of).items() if key in keys[SHEET.name])
        if NODE.name in keys:
            found += rows.nodes(of, keys[NODE.name], fields).values()
        if EDGE.name in keys:
            found += rows.edges(of, keys[EDGE.name], fields=fields).values()
        if of.type in keys:
            found += rows.own(of)
        return {stored.item: stored for stored in found}

    before = staticmethod(GraphBefore.read)

    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        """Changes the rows. A graph that goes takes all of its parts along; a new one without sheets gets its first."""
        assert isinstance(before, GraphBefore)
        own = next((operation for operation in operations if operation.item == before.own), None)
        match own:
            case Create(_, record):
                graph = _new_graph(of, record)
                if not any(operation.item.type == SHEET.name for operation in operations):
                    operations = (Create(FIRST_SHEET, {"name": FIRST_SHEET_NAME, "position": 0}), *operations)
                written = _write_parts(graph, operations, before)
                created = {own.item: Create(own.item, showable(record) | {"id": graph.pk})}
                return tuple(created.get(operation.item, operation) for operation in written)
            case Delete(item, record):
                everything = {stored.item: stored for stored in _parts_of(of)}
                deleted = [Delete(stored.item, stored.record) for stored in everything.values()]
                written = _write_parts(of, deleted, replace(before, found=everything))
                graph = Graph.objects.get(pk=of.pk)  # newer than it was before, as the change has raised its version
                last = {"id": graph.pk, "version": graph.version, **mark_of(graph)}
                graph.delete()
                return (*written, Delete(item, record | last))
            case Update(_, _, new):
                Graph.objects.filter(pk=of.pk).update(**new)
                for name, value in new.items():
                    setattr(of, name, value)
        return _write_parts(of, operations, before)

    def planner(
        self, plan: ObjectPlan, asked: Sequence[Any], reserved: Callable[[], Collection[str]]
    ) -> Callable[[Any], None]:
        wanted = ToRead()
        for step in asked:
            CONVERSIONS[type(step)].want(wanted, step)
        graph_plan = GraphPlan(load(_graph(plan.around), wanted, reserved), plan)
        return lambda step: CONVERSIONS[type(step)].convert(graph_plan, step)

    def checked(self, item: Ref, new: Record) -> Record:
        require_key(item.key)
        if not isinstance(new.get("metadata", {}), dict):
            raise ChangeRefused(gettext("metadata: this has to be an object."))
        require_texts("name", new)
        return new

    def new_key(self, workspace_id: int, title: str, reserved: Callable[[], Collection[str]]) -> str:
        """A key that is made of the title."""
        return free_key(workspace_id, slug(title, fallback=GRAPH.name), reserved())

    def copied_parts(self, of: Object) -> Sequence[Create]:
        source = _graph(of)
        every = (rows.sheets(source), rows.nodes(source), rows.all_edges(source))
        return [Create(stored.item, stored.record) for parts in every for stored in parts.values()]

    def users(self, deleted: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> Iterable[tuple[Ref, Ref]]:
        """Rows of other applications that would go with each graph."""
        return rows_led_to(deleted, others)

    unfit = staticmethod(fitting.unfit)

    def refuse_growth(self, of: Object, by: int, *, back: bool) -> None:
        size.refuse_growth(of.pk, by, back=back)

    def title(self, of: Object) -> str:
        return _graph(of).title

    def keys_named(self, objects: Collection[int], search: str) -> Collection[str]:
        named = Node.objects.filter(graph__in=objects, name__icontains=search)
        return set(named.values_list("key", flat=True))


def _graph(of: Object) -> Graph:
    return of if isinstance(of, Graph) else Graph.objects.get(pk=of.pk)


def require_key(key: str) -> None:
    """Raises `ChangeRefused` for what cannot stand in the address of a graph."""
    try:
        check_key(key)
    except KeyInvalid as invalid:
        raise ChangeRefused(str(invalid)) from invalid


def _new_graph(of: Object, record: Record) -> Graph:
    """Makes the row of a graph; one that is brought back is the row that it was."""
    graph = Graph(
        pk=record.get("id"),
        version=record.get("version", 0) + 1,
        key=of.key,
        workspace_id=of.workspace_id,
        **{field.column: record[field.name] for field in OWN_FIELDS if field.name in record},
        **record.get(OTHER_COLUMNS, {}),
    )
    try:
        with transaction.atomic():
            graph.save(force_insert=True)
    except IntegrityError as taken:
        raise ChangeRefused(gettext("There is {object} already.").format(object=of)) from taken
    return graph


def _parts_of(graph: Object) -> Iterator[Stored]:
    """All of a graph but itself, in the order in which it can go."""
    yield from rows.all_edges(graph).values()
    yield from rows.nodes(graph).values()
    yield from rows.sheets(graph).values()


def _write_parts(graph: Object, operations: Sequence[Operation], before: GraphBefore) -> tuple[Operation, ...]:
    """Changes the rows of sheets, nodes and edges; a sheet goes last, as what stood on it may have moved."""
    sheets, nodes, edges = ([o for o in operations if o.item.type == kind.name] for kind in (SHEET, NODE, EDGE))
    _delete(Edge, edges, before)
    _delete(Node, nodes, before)
    _update(SHEET, sheets, before)
    new_sheets = _create(SHEET, sheets, before, graph)
    before.references.sheets.update(new_sheets)
    _update(NODE, nodes, before)
    new_nodes = _create(NODE, nodes, before, graph)
    before.references.nodes.update(new_nodes)
    _update(EDGE, edges, before)
    new_edges = _create(EDGE, edges, before, graph)
    _delete(Sheet, sheets, before)
    created = ((SHEET, new_sheets), (NODE, new_nodes), (EDGE, new_edges))
    ids = {Ref(kind.name, key): id_ for kind, new in created for key, id_ in new.items()}
    return tuple(_with_row(operation, ids, before) for operation in operations)


def _with_row(operation: Operation, ids: Mapping[Ref, int], before: Before) -> Operation:
    match operation:
        case Create(item, record) if item in ids:
            return Create(item, record | {"id": ids[item]})
        case Delete(item, record) if item in before.found:
            stored = before.found[item]
            return Delete(item, record | {"id": stored.id, "version": stored.version + 1})
        case _:
            return operation


def _delete(model: type[Model], operations: Iterable[Operation], before: Before) -> None:
    ids = [before.found[operation.item].id for operation in operations if isinstance(operation, Delete)]
    if ids:
        gone = model._default_manager.filter(any_of("id", ids))
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


def _create(kind: Kind, operations: Sequence[Operation], before: GraphBefore, graph: Object) -> dict[str, int]:
    """Makes rows and gives their ids by key. One that is brought back has its old id, and so its old place."""
    creations = [operation for operation in operations if isinstance(operation, Create)]
    if len(creations) > BATCH:
        return _copied(kind, creations, before, graph)
    value = before.references.value
    new: list[Any] = [
        kind.model(
            pk=each.record.get("id"),
            version=each.record.get("version", 0) + 1,
            key=each.item.key,
            graph_id=graph.pk,
            **{f.attribute: value(f, each.record[f.name]) for f in kind.fields if f.name in each.record},
        )
        for each in creations
    ]
    kind.model._default_manager.bulk_create(new)
    return {row.key: row.pk for row in new}


def _copied(kind: Kind, creations: Sequence[Create], before: GraphBefore, graph: Object) -> dict[str, int]:
    """The rows of a whole graph, written in a fifth of the time that INSERTs take."""
    known = {each.item.key: each.record.get("id") for each in creations}
    fresh = iter(new_ids(kind.model, sum(id_ is None for id_ in known.values())))
    ids = {key: next(fresh) if id_ is None else id_ for key, id_ in known.items()}
    columns = ("id", "version", kind.owner, "key", *(field.attribute for field in kind.fields))
    made: Any = kind.model()
    # Of a field that was not registered yet when the record was made.
    default = {field.name: getattr(made, field.attribute) for field in kind.fields if field.form != "key"}
    converted = [(field.name, _converter(field, before)) for field in kind.fields]

    def values(each: Create) -> list[Any]:
        record = default | each.record
        own = [convert(record[name]) if convert else record[name] for name, convert in converted]
        return [ids[each.item.key], each.record.get("version", 0) + 1, graph.pk, each.item.key, *own]

    copy_rows(kind.model, columns, map(values, creations))
    return ids


def _converter(field: Field, before: GraphBefore) -> Callable[[Any], Any] | None:
    """What makes of the value in a record what COPY takes, None where it is that."""
    match field.form:
        case "json":
            return partial(json.dumps, allow_nan=False)
        case "key":
            return partial(before.references.value, field)
        case _:
            return None


#: The kinds of objects that this room brings.
GRAPH = register(
    Kind("graph", _("graph"), "name", OWN_FIELDS, Graph, GraphStore(), parts=(SHEET, NODE, EDGE), url="graph")
)
register(NODE_TYPE)
