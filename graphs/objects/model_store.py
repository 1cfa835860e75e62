"""How objects of an ordinary Django model are stored: by the model itself, so that its validation and signals run."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Model

from graphs.models import Object
from graphs.objects.headers import whole
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.marks import mark_in, mark_of
from graphs.objects.model_batches import held_rows, only_hidden, require_would_come_back, stored_rows, write_rows
from graphs.objects.model_places import elsewhere, require_here, require_nowhere_else
from graphs.objects.model_refusals import refusals_of
from graphs.objects.model_rows import as_writer, new_row, row_of, save
from graphs.objects.model_users import rows_led_to, rows_taken_along
from graphs.objects.model_values import other_columns, record_of
from graphs.objects.operations import OTHER_COLUMNS, Create, Delete, Operation, Record, Update, showable
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import Coming, ObjectChange, Store
from graphs.site.counted_keys import count_on_from, counts_keys
from graphs.site.json_values import same


class ModelStore(Store):
    """Reads and writes rows of the kind's model; a model that is no `Object` has its header beside its row."""

    def stored(self, of: Object, refs: Collection[Ref], fields: Collection[str] | None = None) -> dict[Ref, Stored]:
        kind, ref = KINDS[of.type], Ref(of.type, of.key)
        row = row_of(of) if ref in refs else None
        if row is None:
            return {}
        header = None if of._state.adding else of.pk  # a row that other code saved has none yet
        return {ref: Stored(ref, record_of(kind, row), _version(row, of), header)}

    def before(self, of: Object, operations: Sequence[Operation]) -> Before:
        return Before(self.stored(of, {operation.item for operation in operations}))

    def write(self, of: Object, operations: Sequence[Operation], before: Before) -> tuple[Operation, ...]:
        (operation,) = operations
        kind = KINDS[of.type]
        with as_writer():
            match operation:
                case Create(item, record):
                    return (Create(item, _created(kind, of, record)),)
                case Update():
                    return (_updated(kind, of, operation),)
                case Delete():
                    return (_deleted(kind, of, operation),)

    def users(self, deleted: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> Iterable[tuple[Ref, Ref]]:
        """The first rows that would go with each, those aside that go, or move, in the other changes."""
        return (*rows_led_to(deleted, others), *rows_taken_along(deleted))

    def stored_objects(self, objects: Sequence[Object], *, held: bool = False) -> dict[Ref, Stored]:
        """Read together. One that other code saved has no header yet."""
        kind = KINDS[objects[0].type]
        if kind.rows is None or kind.view_of or (len(objects) == 1 and not held):
            return super().stored_objects(objects)
        return held_rows(kind, objects) if held else stored_rows(kind, objects)

    def write_all(self, changes: Sequence[tuple[ObjectChange, Before]], coming: Coming) -> list[tuple[Operation, ...]]:
        """Rows are written together where the model has no way of its own to save or delete one."""
        kind = KINDS[changes[0][0].object.type]
        if kind.rows is None:
            return super().write_all(changes, coming)
        with as_writer():
            return write_rows(kind, changes, coming) or super().write_all(changes, coming)

    def title(self, of: Object) -> str:
        kind = KINDS[of.type]
        row = row_of(of)
        return of.key if row is None else kind.name_of(record_of(kind, row)) or of.key


def _version(row: Model, of: Object) -> int:
    """The version of its header now, which the caller may have raised since it read it; 1 while it has none."""
    if isinstance(row, Object):
        return row.version
    if KINDS[of.type].view_of:
        return whole(of).version
    return Object.objects.filter(pk=of.pk).values_list("version", flat=True).first() or 1


def _created(kind: Kind, of: Object, record: Record) -> Record:
    """Makes a row and its header. Gives the record as the model's own `save` left it, with its primary key."""
    with refusals_of(kind):
        row = new_row(kind, of, record)
    save(kind, of, row, record, new=True)
    made = record_of(kind, row)
    if isinstance(row, Object):
        return showable(record) | made | {"id": row.pk}
    if counts_keys(kind.model):
        count_on_from(row)
    require_here(kind, of, made)
    # One that is brought back is where it was, and without `place_new` a parent is in this workspace.
    if "id" not in record and kind.place_new is not None:
        require_nowhere_else(kind, of)
    header = Object.objects.create(
        pk=record.get("id"), workspace_id=of.workspace_id, type=of.type, key=of.key,
        version=record.get("version", 0) + 1, as_recorded=made, **mark_in(record),
    )  # fmt: skip
    shown: Record = showable(record)
    return shown | made | {"id": header.pk}


def _updated(kind: Kind, of: Object, operation: Update) -> Update:
    """What changed, with all that the model's own `save` made of it. What others changed is left to be noticed."""
    row, before = _held_row(kind, of, operation)
    item, new, others = operation.item, operation.new, elsewhere(kind, of)
    save(kind, of, row, new)
    now = {name: value for name, value in record_of(kind, row).items() if name in new or not same(value, before[name])}
    if not isinstance(row, Object):
        require_here(kind, of, now)
        require_nowhere_else(kind, of, others)
        header = Object.objects.only("as_recorded").get(pk=of.pk)
        Object.objects.filter(pk=of.pk).update(as_recorded=(header.as_recorded or before) | now)
    return Update(item, {name: before[name] for name in now}, now)


def _deleted(kind: Kind, of: Object, operation: Delete) -> Delete:
    """What was deleted, with all that brings it back."""
    row, record = _held_row(kind, of, operation)
    record |= {"id": of.pk, "version": _version(row, of)}
    if isinstance(row, Object):
        record |= mark_of(row)
    else:
        record[OTHER_COLUMNS] = other_columns(kind, row) | mark_of(of).get(OTHER_COLUMNS, {})
        require_would_come_back(row, operation.item)
    with refusals_of(kind), transaction.atomic():
        row.delete()
    if row_of(of) is not None:
        raise only_hidden(operation.item)
    Object.objects.filter(pk=of.pk).delete()
    return Delete(operation.item, record)


def _held_row(kind: Kind, of: Object, operation: Update | Delete) -> tuple[Any, Record]:
    """The row, held until the transaction ends, and its record; what others saved until then is a conflict."""
    row, item = row_of(of, held=True), operation.item
    found = {} if row is None else {item: Stored(item, record_of(kind, row), 0, of.pk)}
    Before(found).refuse_conflicts([operation])
    return row, found[item].record
