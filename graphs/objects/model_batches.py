"""Rows of a registered model that are read together, and that come, change or go together."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ForeignKey, Manager, Model
from django.db.models.signals import post_save, pre_save
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import parent_of, ref_of, rows_with
from graphs.objects.holding import remember
from graphs.objects.kinds import Kind, is_secret
from graphs.objects.marks import mark_in, mark_of
from graphs.objects.model_deletion import OURS, delete_all
from graphs.objects.model_refusals import refusals_of
from graphs.objects.model_rows import changed_columns, kept_values, new_row, validate, writes_together
from graphs.objects.model_values import assign, other_columns, record_of
from graphs.objects.operations import OTHER_COLUMNS, Create, Delete, Operation, Record, Update, showable
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import Coming, ObjectChange
from graphs.site.counted_keys import counts_keys, new_ids
from graphs.site.json_values import same


def stored_rows(kind: Kind, objects: Sequence[Object]) -> dict[Ref, Stored]:
    """Objects of a kind as they stand; absent ones are left out. One that other code saved has no header yet."""
    rows = rows_with(kind, objects[0].workspace_id, [of.key for of in objects])
    records = {ref_of(kind, row): record_of(kind, row) for row in rows}
    versions = _versions(objects)
    return {
        ref: Stored(ref, records[ref], versions.get(of.pk, 1), None if of._state.adding else of.pk)
        for ref, of in ((Ref(of.type, of.key), of) for of in objects)
        if ref in records
    }


def held_rows(kind: Kind, objects: Sequence[Object]) -> dict[Ref, Stored]:
    """Held objects of a kind as they stand, and their rows, which are held as well; absent ones are left out."""
    rows, of = _held_rows(kind, objects), {Ref(each.type, each.key): each for each in objects}
    return {
        ref: Stored(ref, record_of(kind, row), of[ref].version, None if of[ref]._state.adding else of[ref].pk, row)
        for ref, row in rows.items()
    }


def write_rows(
    kind: Kind, changes: Sequence[tuple[ObjectChange, Before]], coming: Coming
) -> list[tuple[Operation, ...]]:
    """What was done where all rows come, change or go; nothing where they have to be written one by one."""
    operations = [operation for change, _before in changes for operation in change.operations]
    objects = [change.object for change, _before in changes]
    stored = {ref: each for _change, before in changes for ref, each in before.found.items()}
    deleted = [each for each in operations if isinstance(each, Delete)]
    created = [each for each in operations if isinstance(each, Create)]
    updated = [each for each in operations if isinstance(each, Update)]
    brought_back = all("id" in each.record for each in created) and not counts_keys(kind.model)
    if len(created) == len(operations) and brought_back and _saves_as_any(kind.model):
        return [(operation,) for operation in _created(kind, objects, created, coming)]
    if len(deleted) == len(operations) and kind.model.delete is Model.delete:
        return [(operation,) for operation in _deleted(kind, objects, deleted, stored, coming)]
    if len(operations) == 1:
        return []
    if len(created) == len(operations) and come_together(kind, created):
        try:
            return [(operation,) for operation in _created(kind, objects, created, coming)]
        except ChangeRefused as refused:
            if isinstance(refused.__cause__, IntegrityError):
                return []  # Saved one by one, the model says which of them has what another has.
            raise
    if len(updated) == len(operations) and writes_together(kind):
        return [(operation,) for operation in _updated(kind, objects, updated, stored)]
    return []


def _saves_as_any(model: type[Model]) -> bool:
    """Whether what saves a row of the model is Django alone."""
    return model.save is Model.save and model.save_base is Model.save_base


def come_together(kind: Kind, operations: Sequence[Create]) -> bool:
    """Whether rows that are new can be saved at once: their keys are known, and none of them leads to another."""
    model = kind.model
    if not writes_together(kind) or kind.place_new is not None or counts_keys(model) or model._meta.parents:
        return False
    alone = all(column.related_model is not model for column in model._meta.concrete_fields)
    return alone and not any("id" in each.record for each in operations)


def _held(
    kind: Kind, objects: Sequence[Object], operations: Sequence[Operation], stored: Mapping[Ref, Stored]
) -> tuple[dict[Ref, Any], dict[Ref, Record]]:
    """The rows and their records; where they were not held yet, what others saved until now is a conflict."""
    found = dict(stored)
    if any(each.row is None for each in found.values()):
        found = held_rows(kind, objects)
        Before(found).refuse_conflicts(operations)
    return {ref: each.row for ref, each in found.items()}, {ref: each.record for ref, each in found.items()}


def _updated(
    kind: Kind, objects: Sequence[Object], operations: Sequence[Update], stored: Mapping[Ref, Stored]
) -> list[Operation]:
    """What changed, with all that the model, and who listens to its signals, made of it."""
    rows, before = _held(kind, objects, operations, stored)
    kept = {ref: kept_values(row) for ref, row in rows.items()}
    for of, operation in zip(objects, operations, strict=True):
        assign(kind, of, rows[operation.item], operation.new)
    with refusals_of(kind), transaction.atomic():
        for ref, row in rows.items():
            validate(row, kept[ref])
        _save_changes(kind.model, rows, kept)
    after = _records_here(kind, objects, {each.item for each in operations if "parent" in each.new})
    done: list[Operation] = []
    recorded: list[tuple[int, Record, Record]] = []
    for of, (item, _old, new) in zip(objects, ((o.item, o.old, o.new) for o in operations), strict=True):
        was = before[item]
        now = {name: value for name, value in after[item].items() if name in new or not same(value, was[name])}
        done.append(Update(item, {name: was[name] for name in now}, now))
        recorded.append((of.pk, was if of.as_recorded is None else {}, now))
    remember(recorded)
    return done


def _save_changes(model: type[Model], rows: Mapping[Ref, Any], kept: Mapping[Ref, Mapping[str, Any]]) -> None:
    """Saves rows at once as far as they are not as they were, with the signals that each one's `save` would send."""
    told: Any = {"raw": False, "using": "default", "update_fields": None}
    columns = [each for each in model._meta.concrete_fields if not each.primary_key and not each.generated]
    for row in rows.values():
        pre_save.send(sender=model, instance=row, **told)
        for column in columns:
            setattr(row, column.attname, column.pre_save(row, add=False))
    changed = {name for ref, row in rows.items() for name in changed_columns(row, kept[ref])}
    names = [column.name for column in columns if column.name in changed]
    if names:
        model._base_manager.bulk_update(rows.values(), names)
    for row in rows.values():
        post_save.send(sender=model, instance=row, created=False, **told)


def _deleted(
    kind: Kind, objects: Sequence[Object], operations: Sequence[Delete], stored: Mapping[Ref, Stored], coming: Coming
) -> list[Operation]:
    """What was deleted, with all that brings it back."""
    rows, records = _held(kind, objects, operations, stored)
    done: list[Operation] = []
    for of, operation in zip(objects, operations, strict=True):
        row = rows[operation.item]
        require_would_come_back(row, operation.item)
        columns = other_columns(kind, row) | mark_of(of).get(OTHER_COLUMNS, {})
        others = {"id": of.pk, "version": coming.versions[of.pk], OTHER_COLUMNS: columns}
        done.append(Delete(operation.item, records[operation.item] | others))
    with refusals_of(kind), transaction.atomic():
        is_gone = delete_all(list(rows.values()))
    if (
        not is_gone
        and (left := rows_with(kind, objects[0].workspace_id, [of.key for of in objects]).first()) is not None
    ):
        raise only_hidden(ref_of(kind, left))
    coming.gone.extend(objects)
    return done


def require_would_come_back(row: Model, item: Ref) -> None:
    """Raises `ChangeRefused` for a row with a column that no history keeps and that needs a value."""
    for each in row._meta.concrete_fields:
        if is_secret(each.name) and not (each.null or each.blank or each.has_default()):
            message = _("{object} stays: it would not come back without {column}, a secret, which no history keeps.")
            raise ChangeRefused(message.format(object=item, column=each.name))


def only_hidden(item: Ref) -> ChangeRefused:
    """Says that a row is still there once it was deleted."""
    return ChangeRefused(_("{object} stays: its model only hides what is deleted.").format(object=item))


def _held_rows(kind: Kind, objects: Sequence[Object]) -> dict[Ref, Any]:
    """The rows of objects, held until the transaction ends."""
    here = rows_with(kind, objects[0].workspace_id, [of.key for of in objects]).order_by().values("pk")
    held = kind.model._base_manager.select_for_update(no_key=True, of=("self",)).filter(pk__in=here).order_by("pk")
    held = held.select_related(kind.parent) if kind.parent else held
    return {ref_of(kind, row): row for row in held}


def _created(kind: Kind, objects: Sequence[Object], operations: Sequence[Create], coming: Coming) -> list[Operation]:
    """Makes rows, those that come back as they were in every column. Gives the records as they are stored."""
    come_back = "id" in operations[0].record
    with refusals_of(kind):
        rows = [new_row(kind, of, operation.record) for of, operation in zip(objects, operations, strict=True)]
    for of, row, operation in zip(objects, rows, operations, strict=True):
        assign(kind, of, row, operation.record)
    unchecked = _lead_to_what_is_there(kind.model, rows, coming)
    with refusals_of(kind):
        for row in rows:
            row.full_clean(exclude=unchecked)
        try:
            with transaction.atomic():
                is_read = _save(kind.model, rows, as_they_were=come_back)
        except IntegrityError:
            for row in rows:
                row.full_clean()  # says which one is there already
            raise
    coming.rows.update(((kind.model, row.pk), row) for row in rows)
    known = is_read and all(_is_here(kind, of, row) for of, row in zip(objects, rows, strict=True))
    placed = {operation.item for operation in operations}
    made = {ref_of(kind, row): record_of(kind, row) for row in rows} if known else _records_here(kind, objects, placed)
    ids = [each.record["id"] for each in operations] if come_back else new_ids(Object, len(operations))
    for id_, of, operation in zip(ids, objects, operations, strict=True):
        coming.headers[operation.item] = Object(
            pk=id_, workspace_id=of.workspace_id, type=of.type, key=of.key,
            version=operation.record.get("version", 0) + 1, as_recorded=made[operation.item],
            **mark_in(operation.record),
        )  # fmt: skip
    return [
        Create(each.item, showable(each.record) | made[each.item] | {"id": id_})
        for id_, each in zip(ids, operations, strict=True)
    ]


def _is_here(kind: Kind, of: Object, row: Model) -> bool:
    """Whether columns tell that a row is in the workspace of its object, and its parent; else it has to be asked."""
    holder, parent = parent_of(kind), getattr(row, kind.parent, None) if kind.parent else None
    if parent is not None and holder is None:
        return False
    both = [(kind, row)] + ([(holder, parent)] if parent is not None and holder is not None else [])
    return all(
        type(each.model._default_manager) is Manager
        and each.workspace
        and "__" not in each.workspace
        and getattr(its, f"{each.workspace}_id") == of.workspace_id
        for each, its in both
    )


def _lead_to_what_is_there(model: type[Model], rows: Sequence[Any], coming: Coming) -> set[str]:
    """Sets what foreign keys of all rows lead to, read together; gives the columns that need no further look."""
    found = {model._meta.pk.name}
    for column in model._meta.concrete_fields:
        if not isinstance(column, ForeignKey) or not column.target_field.primary_key:
            continue
        if column.remote_field.limit_choices_to:
            continue
        related = column.related_model
        keys = {key for row in rows if (key := getattr(row, column.attname)) is not None}
        if unknown := [key for key in keys if (related, key) not in coming.rows]:
            read = related._base_manager.in_bulk(unknown)
            coming.rows.update(((related, key), each) for key, each in read.items())
        if all((related, key) in coming.rows for key in keys):
            found.add(column.name)
            for row in rows:
                setattr(row, column.name, coming.rows.get((related, getattr(row, column.attname))))
    return found


def _save(model: type[Model], rows: Sequence[Model], *, as_they_were: bool) -> bool:
    """Saves new rows at once, with the signals that each one's `save` would send, and all that they say.

    With `as_they_were`, what a column would take from the moment of saving is what it was. Gives whether the rows are
    now as they are stored: who listens may have changed them once more.
    """
    told: Any = {"raw": False, "using": "default", "update_fields": None}
    for row in rows:
        pre_save.send(sender=model, instance=row, **told)
    columns: Any = model._meta.concrete_fields
    given: Any = [each for each in columns if not each.generated]
    manager: Any = model._base_manager.all()
    stored = manager._insert(rows, given, returning_fields=columns, using="default", raw=as_they_were)
    for row, values in zip(rows, stored, strict=True):
        for column, value in zip(columns, values, strict=True):
            setattr(row, column.attname, value)
        row._state.adding, row._state.db = False, "default"
    heard = [post_save.send(sender=model, instance=row, created=True, **told) for row in rows]
    return max(map(len, heard)) <= OURS


def _records_here(kind: Kind, objects: Sequence[Object], placed: Collection[Ref]) -> dict[Ref, Record]:
    """The records of rows as they are stored. Those that were `placed` have a parent by now that they had not.

    Raises `ChangeRefused` for one that is not where its objects are.
    """
    workspace_id = objects[0].workspace_id
    made = {ref_of(kind, row): record_of(kind, row) for row in rows_with(kind, workspace_id, [o.key for o in objects])}
    holder, there = parent_of(kind), set()
    if holder is not None and placed:
        keys = {str(made[ref]["parent"]) for ref in placed if ref in made and made[ref]["parent"] is not None}
        there = {ref_of(holder, row).key for row in rows_with(holder, workspace_id, keys)}
    for of in objects:
        ref = Ref(of.type, of.key)
        record = made.get(ref)
        foreign = record and ref in placed and record.get("parent") is not None and str(record["parent"]) not in there
        if record is None or foreign:
            raise ChangeRefused(_("{object} would leave its workspace, or the one of its parent.").format(object=of))
    return made


def _versions(objects: Sequence[Object]) -> dict[int, int]:
    """The versions of headers now, which the caller may have raised since it read them."""
    keys = [of.pk for of in objects if of.pk is not None]
    return dict(Object.objects.filter(pk__in=keys).values_list("pk", "version"))
