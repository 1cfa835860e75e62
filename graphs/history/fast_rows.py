"""One change of one row of a registered model, in two statements: held with its row, then written and recorded.

Only of models that Django alone saves, and of fields whose columns keep what they are given: what is stored is known
before it is. Everything else goes the long way of `changes`, which reads again what the model made of it.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from django.db import connection, models
from django.db.models import Manager, Model
from django.db.models.signals import post_save, pre_save

from graphs.history import hooks
from graphs.history.recording import (
    LABEL_CHARS,
    MODIFICATIONS,
    STORED,
    Applied,
    Because,
    Revised,
    modified,
    parameters,
    to_json,
)
from graphs.objects.holding import RAISE_AND_REMEMBER
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.model_deletion import OURS
from graphs.objects.model_rows import (
    as_writer,
    assign,
    changed_columns,
    kept_values,
    record_of,
    refusals_of,
    validate,
    writes_together,
)
from graphs.objects.operations import Record, Update
from graphs.objects.preconditions import Before, Stored
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange
from graphs.site import row_store
from graphs.site.json_values import same

#: Columns that keep a value as it is. Others may round it, or read it in a way of their own.
_KEEPING = (
    *(models.CharField, models.TextField, models.BooleanField, models.JSONField),
    *(models.SmallIntegerField, models.IntegerField, models.BigIntegerField),
    *(models.PositiveSmallIntegerField, models.PositiveIntegerField, models.PositiveBigIntegerField),
)


@dataclass(frozen=True, slots=True)
class _Held:
    """A row that is held with its header. `is_begun`: the header has the fields as the history left them."""

    row: Any
    record: Record
    is_begun: bool


def fits(change: ObjectChange) -> bool:
    """Whether it gives one row, which is there, other values of its own fields, and nobody else has a say in it."""
    of, operations = change.object, change.operations
    kind = KINDS[of.type]
    if len(operations) != 1 or kind.rows is None or kind.view_of or of.pk is None or not writes_together(kind):
        return False
    (operation,) = operations
    if not isinstance(operation, Update) or operation.item != Ref(of.type, of.key) or not operation.new:
        return False
    own = operation.new.keys() == operation.old.keys() and "parent" not in operation.new
    return own and operation.new.keys() <= kind.by_name.keys() and _is_plain(kind) and _is_saved_unheard(kind.model)


def apply(change: ObjectChange, because: Because) -> Applied | None:
    """Changes the row. None where that has to be done step by step: then nothing was written.

    Raises `Conflicting` and `ChangeRefused`.
    """
    kind, (operation,) = KINDS[change.object.type], change.operations
    assert isinstance(operation, Update)
    held = _held(kind, change)
    if held is None:
        return None
    before = {operation.item: Stored(operation.item, held.record, 0, change.object.pk, held.row)}
    Before(before).refuse_conflicts([operation])
    with refusals_of(kind), as_writer():
        columns = _changed(kind, change, held.row)
        if not columns.keys() <= _keeping(kind.model) | _unrecorded(kind):
            return None
        return _write(kind, change, held, columns, because)


def _is_saved_unheard(model: type[Model]) -> bool:
    """Whether nobody but the history listens to saves: others may change the row once more."""
    heard: Any = (pre_save, post_save)  # their lists for one model are nowhere else
    before, after = (sum(map(len, signal._live_receivers(model))) for signal in heard)
    return before == 0 and after <= OURS


def _is_plain(kind: Kind) -> bool:
    """Whether rows are of their workspace by a column of their own, and all fields are of columns that keep values."""
    model = kind.model
    managers = {type(model._default_manager), type(model._base_manager)}
    recorded = {field.column for field in kind.fields if field.form != "key"}
    own = kind.workspace and "__" not in kind.workspace and not model._meta.parents
    return bool(own) and managers == {Manager} and recorded <= _keeping(model)


@cache
def _keeping(model: type[Model]) -> frozenset[str]:
    """The names of columns that keep values as they are."""
    found = (column for column in model._meta.concrete_fields if type(column) in _KEEPING and not column.primary_key)
    return frozenset(
        column.name
        for column in found
        if not (isinstance(column, models.JSONField) and (column.encoder or column.decoder))
    )


def _unrecorded(kind: Kind) -> frozenset[str]:
    """The names of columns that no field tells, such as the moment of the last change."""
    recorded = {field.column for field in kind.fields}
    return frozenset(
        column.name
        for column in kind.model._meta.concrete_fields
        if column.name not in recorded and not column.is_relation and not column.generated
    )


def _held(kind: Kind, change: ObjectChange) -> _Held | None:
    """The row, held with its header as all changes hold them; None if either is gone, or is not as this needs it."""
    of, key = change.object, kind.model._meta.pk
    holder = _holder(kind)
    values = {
        "object": of.pk,
        "workspace": of.workspace_id,
        "key": key.get_db_prep_value(key.to_python(of.key), connection),
    }
    found = row_store.read(kind.model, _reading(kind.model, kind.workspace, kind.parent), values)
    if not found:
        return None
    row, (is_begun, has_triggers, *above) = found[0]
    if has_triggers:
        return None
    if holder is not None and above[0] is not None:
        setattr(row, kind.parent, row_store.row_of(holder, above[1:])[0])
    return _Held(row, record_of(kind, row), is_begun)


def _holder(kind: Kind) -> type[Model] | None:
    """The model of what holds rows, which their validation may look at."""
    column: Any = kind.model._meta.get_field(kind.parent) if kind.parent else None
    return None if column is None else column.related_model


@cache
def _reading(model: type[Model], workspace: str, parent: str) -> str:
    """The statement that holds a header and its row, in this order, and reads the row with what holds it.

    PostgreSQL looks again at what another transaction changed while this one waited. What triggers of the application
    would make of a row is known only afterwards.
    """
    meta: Any = model._meta
    quoted, above, joined = connection.ops.quote_name, "", ""
    table, key = quoted(meta.db_table), quoted(meta.pk.column)
    if parent:
        column: Any = meta.get_field(parent)
        holder, target = column.related_model, quoted(column.target_field.column)
        above = f", h.{target}, {row_store.columns(holder, of='h')}"
        joined = f"LEFT JOIN {quoted(holder._meta.db_table)} AS h ON h.{target} = t.{quoted(column.column)}"
    at: Any = meta.get_field(workspace)
    return f"""
SELECT {row_store.columns(model, of="t")}, o.as_recorded IS NOT NULL,
    EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND NOT tgisinternal){above}
FROM graphs_object AS o CROSS JOIN {table} AS t {joined}
WHERE o.id = %(object)s AND o.unsaved_since IS NULL AND t.{key} = %(key)s AND t.{quoted(at.column)} = %(workspace)s
FOR NO KEY UPDATE OF o, t
"""  # noqa: S608 - names of tables and columns are the model's


def _changed(kind: Kind, change: ObjectChange, row: Any) -> dict[str, Any]:
    """The columns that become others, with their values, once the model has validated them."""
    kept = kept_values(row)
    assign(kind, change.object, row, change.operations[0].new)  # type: ignore[union-attr]
    validate(row, kept)
    columns = {column.name: column for column in row._meta.concrete_fields}
    for column in columns.values():
        if not (column.primary_key or column.generated):
            setattr(row, column.attname, column.pre_save(row, add=False))
    return {name: columns[name] for name in sorted(changed_columns(row, kept))}


def _write(kind: Kind, change: ObjectChange, held: _Held, columns: Mapping[str, Any], because: Because) -> Applied:
    """Writes the row and its header, and records both, in one statement."""
    of, (operation,), row, change_set_id = change.object, change.operations, held.row, uuid.uuid4()
    assert isinstance(operation, Update)
    before, after = held.record, record_of(kind, row)
    now = {name: value for name, value in after.items() if name in operation.new or not same(value, before[name])}
    done = Update(operation.item, {name: before[name] for name in now}, now)
    label = kind.name_of(after) or of.key
    rows = [(0, *each) for each in modified([done])]
    given = parameters(change_set_id, of.workspace_id, because, len(rows)) | {
        "object": of.pk,
        "key": row._meta.pk.get_db_prep_value(row.pk, connection),
        "label": label[:LABEL_CHARS],
        "before": json.dumps({} if held.is_begun else before),
        "now": json.dumps(now),
        "modifications": to_json(rows),
        **{
            f"c_{name}": column.get_db_prep_save(getattr(row, column.attname), connection)
            for name, column in columns.items()
        },
    }
    with connection.cursor() as cursor:
        cursor.execute(_writing(kind.name, tuple(columns), bool(because.undoes)), given)
        version, result = cursor.fetchone()
    post_save.send(kind.model, instance=row, created=False, raw=False, using="default", update_fields=None)
    hooks.hook.stored(result)
    touched = frozenset((kind.name, name) for name in now)
    revised = Revised(of.type, of.pk, of.key, label, version)
    return Applied(change_set_id, of.workspace_id, (revised,), touched, because)


@lru_cache
def _writing(kind: str, names: tuple[str, ...], undoing: bool) -> str:
    """The statement that gives a held row and its header new values, and stores what that was."""
    meta: Any = KINDS[kind].model._meta
    quoted = connection.ops.quote_name
    columns = ", ".join(f"{quoted(meta.get_field(name).column)} = %(c_{name})s" for name in names)
    saved = f"UPDATE {quoted(meta.db_table)} SET {columns} WHERE {quoted(meta.pk.column)} = %(key)s"  # noqa: S608
    return f"""
WITH held AS (
    {RAISE_AND_REMEMBER} RETURNING id AS object, type, version, key
), {f"saved AS ({saved})," if names else ""} revisions AS (
    SELECT 0 AS place, type, object, key, %(label)s AS label, version FROM held
), {MODIFICATIONS}, {STORED} {hooks.hook.relations(undoing, frozenset((kind,)))}
SELECT version, {hooks.hook.result} FROM held
"""  # noqa: S608
