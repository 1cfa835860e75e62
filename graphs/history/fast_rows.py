"""One change of one row of a registered model, in one statement: its model validates it as it was read, then it is
written and recorded if it is still so.

Only of models whose rows are stored as they are given (`graphs.objects.plain_rows`). All others go the long way of
`changes`, which reads again what became of a row.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Model
from django.db.models.signals import post_save

from graphs.history import hooks
from graphs.history.recording import (
    LABEL_CHARS,
    MODIFICATIONS,
    STORED,
    Applied,
    Because,
    Revised,
    holders_of,
    modified,
    parameters,
    to_json,
)
from graphs.models import Object
from graphs.objects import plain_rows
from graphs.objects.actions import ChangeRefused
from graphs.objects.holding import RAISE_AND_REMEMBER
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.model_refusals import refusals_of
from graphs.objects.model_rows import as_writer, changed_columns, kept_values, validate
from graphs.objects.model_values import assign, record_of
from graphs.objects.operations import Record, Update
from graphs.objects.plain_rows import STATE, ReadRow, stores_as_given, writable
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange
from graphs.site.json_values import same


def fits(change: ObjectChange) -> bool:
    """Whether it gives one row other values of its own fields, which are stored as they are given."""
    if len(change.operations) != 1:
        return False
    (operation,) = change.operations
    own = Ref(change.object.type, change.object.key)
    is_own = isinstance(operation, Update) and operation.item == own and "parent" not in operation.new
    return is_own and stores_as_given(KINDS[own.type])


def apply(change: ObjectChange, because: Because, read: ReadRow | None) -> Applied | None:
    """Changes the row, which may have been `read`. None where that has to be done step by step: nothing was written.

    What conflicts, and what its model refuses, is looked at once more in that way: the row may be another one by now.
    Raises `ChangeRefused` for what the database refuses.
    """
    of, kind, (operation,) = change.object, KINDS[change.object.type], change.operations
    assert isinstance(operation, Update)
    read = read or plain_rows.read(kind, of)
    if read is None or read.has_triggers:
        return None
    row = read.row()
    before = record_of(kind, row)
    if not all(name in before and same(before[name], expected) for name, expected in operation.old.items()):
        return None
    with refusals_of(kind), as_writer():
        try:
            columns = _changed(kind, of, operation, row)
        except (ChangeRefused, ValidationError):
            return None
        if not columns.keys() <= writable(kind):
            return None
        return _write(kind, change, read, before, row, columns, because)


def _changed(kind: Kind, of: Object, operation: Update, row: Any) -> dict[str, Any]:
    """The columns that become others, once the model has validated them."""
    kept = kept_values(row)
    assign(kind, of, row, operation.new)
    validate(row, kept)
    columns = {column.name: column for column in row._meta.concrete_fields}
    for column in columns.values():
        if not (column.primary_key or column.generated):
            setattr(row, column.attname, column.pre_save(row, add=False))
    return {name: columns[name] for name in sorted(changed_columns(row, kept))}


def _write(
    kind: Kind,
    change: ObjectChange,
    read: ReadRow,
    before: Record,
    row: Any,
    columns: Mapping[str, Any],
    because: Because,
) -> Applied | None:
    """Writes the row and its header, and records both; None if it is not as it was read, and then nothing."""
    of, (operation,), change_set_id = change.object, change.operations, uuid.uuid4()
    assert isinstance(operation, Update)
    after = record_of(kind, row)
    now = {name: value for name, value in after.items() if name in operation.new or not same(value, before[name])}
    done = Update(operation.item, {name: before[name] for name in now}, now)
    label = kind.name_of(after) or of.key
    rows = [(0, *each) for each in modified([done])]
    holders = holders_of(kind, before)
    given = parameters(change_set_id, of.workspace_id, because, len(rows), holders) | {
        "object": of.pk,
        "key": row._meta.pk.get_db_prep_value(row.pk, connection),
        "state": read.state,
        "label": label[:LABEL_CHARS],
        "before": "{}" if read.is_begun else json.dumps(before),
        "now": json.dumps(now),
        "modifications": to_json(rows),
        **{
            f"c_{name}": column.get_db_prep_save(getattr(row, column.attname), connection)
            for name, column in columns.items()
        },
    }
    with connection.cursor() as cursor:
        cursor.execute(_writing(kind.model, bool(holders), tuple(columns), bool(because.undoes)), given)
        found = cursor.fetchone()
    if found is None:
        return None
    version, result = found
    post_save.send(kind.model, instance=row, created=False, raw=False, using="default", update_fields=None)
    hooks.hook.stored(result)
    touched = frozenset((kind.name, name) for name in now)
    revised = Revised(of.type, of.pk, of.key, label, version)
    return Applied(change_set_id, of.workspace_id, (revised,), touched, because)


@lru_cache
def _writing(model: type[Model], held: bool, names: Sequence[str], undoing: bool) -> str:
    """The statement that gives a row and its header new values, and stores what that was.

    It holds the header, then the row if that is as it was read; PostgreSQL looks again at what another transaction
    changed while this one waited.
    """
    meta: Any = model._meta
    quoted = connection.ops.quote_name
    table, key = quoted(meta.db_table), quoted(meta.pk.column)
    as_read = f"t.{key} = %(key)s AND {STATE} = %(state)s"
    columns = ", ".join(f"{quoted(meta.get_field(name).column)} = %(c_{name})s" for name in names)
    saved = f"UPDATE {table} AS t SET {columns} FROM locked WHERE {as_read} RETURNING locked.id"  # noqa: S608
    unchanged = f"SELECT locked.id FROM locked, {table} AS t WHERE {as_read} FOR NO KEY UPDATE OF t"  # noqa: S608
    return f"""
WITH locked AS (
    SELECT id FROM graphs_object WHERE id = %(object)s AND unsaved_since IS NULL FOR NO KEY UPDATE
), saved AS (
    {saved if names else unchanged}
), held AS (
    {RAISE_AND_REMEMBER} AND EXISTS (SELECT FROM saved) RETURNING id AS object, type, version, key
), revisions AS (
    SELECT 0 AS place, type, object, key, %(label)s AS label, version FROM held
), {MODIFICATIONS}, {STORED} {hooks.hook.relations(undoing, held)}
SELECT version, {hooks.hook.result} FROM held
"""  # noqa: S608 - names of tables and columns are the model's
