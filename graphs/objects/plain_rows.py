"""Models of which a row is stored as it is given: it is known before it is saved, and nobody has to read it again.

Django alone saves them, nobody but the history listens, and all that is recorded is in columns that keep values.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models import Manager, Model
from django.db.models.signals import post_save, pre_save

from graphs.models import Object
from graphs.objects.kinds import Kind
from graphs.objects.model_deletion import OURS
from graphs.objects.model_rows import writes_together
from graphs.site import row_store

#: Columns that keep a value as it is. Others may round it, or read it in a way of their own.
_KEEPING = (
    *(models.CharField, models.TextField, models.BooleanField, models.JSONField),
    *(models.SmallIntegerField, models.IntegerField, models.BigIntegerField),
    *(models.PositiveSmallIntegerField, models.PositiveIntegerField, models.PositiveBigIntegerField),
)


def stores_as_given(kind: Kind) -> bool:
    """Whether rows of the kind are, but for what triggers make of them."""
    if kind.rows is None or kind.view_of or not writes_together(kind):
        return False
    recorded = {field.column for field in kind.fields if field.form != "key"}
    return _is_of_its_workspace(kind) and recorded <= keeping(kind.model) and _is_saved_unheard(kind.model)


def writable(kind: Kind) -> frozenset[str]:
    """The columns of such a kind that may change: those that keep values, and those that no field tells.

    What a row leads to is none of them: where it leads is looked at step by step.
    """
    recorded = {field.column for field in kind.fields}
    return keeping(kind.model) | {
        column.name
        for column in kind.model._meta.concrete_fields
        if column.name not in recorded and not column.is_relation and not column.generated
    }


@cache
def keeping(model: type[Model]) -> frozenset[str]:
    """The names of columns that keep values as they are."""
    found = (column for column in model._meta.concrete_fields if type(column) in _KEEPING and not column.primary_key)
    return frozenset(
        column.name
        for column in found
        if not (isinstance(column, models.JSONField) and (column.encoder or column.decoder))
    )


def _is_of_its_workspace(kind: Kind) -> bool:
    """Whether a column of the row's own says of which workspace it is, and no manager hides it."""
    model = kind.model
    managers = {type(model._default_manager), type(model._base_manager)}
    return bool(kind.workspace) and "__" not in kind.workspace and not model._meta.parents and managers == {Manager}


def _is_saved_unheard(model: type[Model]) -> bool:
    """Whether nobody but the history listens to saves: others may change the row once more."""
    heard: Any = post_save  # its list for one model is nowhere else
    return not pre_save.has_listeners(model) and sum(map(len, heard._live_receivers(model))) <= OURS


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A row as it was read with what holds it. `state` names this state of it among all that it ever has.

    `is_begun`: its header has the fields as the history left them. `has_triggers`: what one of the application would
    make of it is known only once it is saved.
    """

    kind: Kind
    state: str
    is_begun: bool
    has_triggers: bool
    is_held: bool
    columns: Sequence[Any]

    def row(self) -> Any:
        """The row, which shares nothing with another one."""
        own = [deepcopy(value) if isinstance(value, dict | list) else value for value in self.columns]
        row, above = row_store.row_of(self.kind.model, own)
        if self.is_held:
            setattr(row, self.kind.parent, row_store.row_of(_holder(self.kind), above)[0])
        return row


def read(kind: Kind, of: Object) -> ReadRow | None:
    """The row of an object of such a kind; None if it is gone, or of another workspace."""
    key: Any = kind.model._meta.pk
    values = [of.pk, key.get_db_prep_value(key.to_python(of.key), connection), of.workspace_id]
    with connection.cursor() as cursor:
        cursor.execute(_reading(kind.model, kind.workspace, kind.parent), values)
        found = cursor.fetchone()
    if found is None:
        return None
    *columns, state, is_begun, has_triggers, is_held = found
    return ReadRow(kind, state, bool(is_begun), has_triggers, is_held, columns)


def _holder(kind: Kind) -> Any:
    """The model of what holds rows, which their validation may look at."""
    column: Any = kind.model._meta.get_field(kind.parent)
    return column.related_model


#: Names the state of a row `t`: where it is stored, and the transaction that put it there.
STATE = "t.ctid::text || t.xmin::text"


@cache
def _reading(model: type[Model], workspace: str, parent: str) -> str:
    """The statement that reads a row, with what holds it."""
    meta: Any = model._meta
    quoted, above, joined, is_held = connection.ops.quote_name, "", "", "false"
    table = quoted(meta.db_table)
    if parent:
        column: Any = meta.get_field(parent)
        holder, target = column.related_model, quoted(column.target_field.column)
        above, is_held = f", {row_store.columns(holder, of='h')}", f"h.{target} IS NOT NULL"
        joined = f"LEFT JOIN {quoted(holder._meta.db_table)} AS h ON h.{target} = t.{quoted(column.column)}"
    return f"""
SELECT {row_store.columns(model, of="t")}{above}, {STATE},
    (SELECT as_recorded IS NOT NULL FROM graphs_object WHERE id = %s),
    EXISTS (SELECT FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND NOT tgisinternal), {is_held}
FROM {table} AS t {joined}
WHERE t.{quoted(meta.pk.column)} = %s AND t.{quoted(meta.get_field(workspace).column)} = %s
"""  # noqa: S608 - names of tables and columns are the model's
