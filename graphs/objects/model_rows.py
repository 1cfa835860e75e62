"""Rows of registered models: found, made, validated and saved through the model itself."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from functools import cache
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import transaction
from django.db.models import (
    Model,
    UniqueConstraint,
)
from django.utils.translation import gettext as _

from graphs.models import Object, Workspace
from graphs.models.visible_text import is_blank, one_line
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, Kind
from graphs.objects.model_refusals import refusals_of
from graphs.objects.model_values import assign, record_of
from graphs.objects.operations import OTHER_COLUMNS, Record
from graphs.site.json_values import same, with_whole_numbers

_writing: ContextVar[bool] = ContextVar("writing an object", default=False)


def writing() -> bool:
    """Whether this thread saves a row for a change that the history records: nobody else has changed it then."""
    return _writing.get()


@contextmanager
def as_writer() -> Iterator[None]:
    """Marks what this thread saves meanwhile as recorded by the caller."""
    token = _writing.set(True)
    try:
        yield
    finally:
        _writing.reset(token)


def row_of(of: Object, *, held: bool = False) -> Any:
    """The row of an object, None if it is gone or of another workspace; `held` locks it until the commit."""
    kind = KINDS[of.type]
    if kind.rows is None:
        own = kind.model._default_manager.filter(pk=of.pk)
        return (own.select_for_update(no_key=True) if held else own).first()
    try:
        here = kind.rows(of.workspace_id).filter(pk=kind.model._meta.pk.to_python(of.key))
    except ValidationError:
        return None
    if not held:
        return here.first()
    # Joins and groups, which a manager of the application may bring along, cannot be held.
    tables = ("self", *(column.name for column in kind.model._meta.parents.values() if column))
    rows = kind.model._base_manager.select_for_update(no_key=True, of=tables)
    return rows.filter(pk__in=here.values("pk")).first()


def writes_together(kind: Kind) -> bool:
    """Whether rows of the kind can be saved at once: Django alone saves them, and they are of one workspace."""
    return kind.chosen is None and kind.model.save is Model.save and kind.model.save_base is Model.save_base


def full_record(kind: Kind, of: Object, new: Record, row: Model, unchecked: Collection[str]) -> Record:
    """The record with these new values as the model would store them; saves nothing. Raises `ChangeRefused`."""
    kept = {} if row._state.adding else kept_values(row)
    assign(kind, of, row, new | _written_alike(kind, new))
    with refusals_of(kind):
        validate(row, kept, unchecked)
    record = record_of(kind, row)
    _require_a_title(kind, new, record)
    return record


def _written_alike(kind: Kind, new: Record) -> Record:
    """Those of the new values that doors write differently: texts of one line without breaks, JSON with 3 for 3.0."""
    values: Record = {}
    for field in kind.fields:
        value = new.get(field.name)
        if field.line and isinstance(value, str):
            values[field.name] = one_line(value)
        elif field.form == "json" and isinstance(value, dict | list | float):
            values[field.name] = with_whole_numbers(value)
    return values


def _require_a_title(kind: Kind, new: Record, record: Record) -> None:
    """Raises `ChangeRefused` for a new title of which nothing can be seen. Whether it may be empty, the model says."""
    title = record.get(kind.title)
    if kind.title in new and isinstance(title, str) and title and is_blank(title):
        raise ChangeRefused(f"{kind.title}: {_('a name is more than spaces')}")


def kept_values(row: Model) -> dict[str, Any]:
    """The values of the columns of a row, to compare it with later."""
    columns = (column for column in row._meta.concrete_fields if not column.generated)
    values = ((column.name, getattr(row, column.attname)) for column in columns)
    return {name: deepcopy(value) if isinstance(value, dict | list) else value for name, value in values}


def changed_columns(row: Model, kept: Mapping[str, Any]) -> set[str]:
    """The names of columns whose values are not those that were kept."""
    return {column.name for column in row._meta.concrete_fields if column.name in kept and _is_other(row, column, kept)}


def _is_other(row: Model, column: Any, kept: Mapping[str, Any]) -> bool:
    value = getattr(row, column.attname)
    was = kept[column.name]
    return not same(value, was) if isinstance(value, dict | list) else value is not was


def validate(row: Any, kept: Mapping[str, Any], unchecked: Collection[str] = ()) -> None:
    """Has the model validate a row whose values were the kept ones; of a new row there are none.

    What foreign keys lead to, and what is unique, is looked up only where it changed: the database has checked it.
    """
    model: type[Model] = type(row)
    unique, leading = _unique_and_leading(model)
    if not kept or unique is None:
        row.full_clean(exclude=unchecked)
        return
    changed = changed_columns(row, kept)
    touched = [names for names in unique if names & changed]
    known = leading.difference(changed, *touched)
    row.full_clean(exclude={*unchecked, *known}, validate_unique=bool(touched), validate_constraints=bool(touched))


@cache
def _unique_and_leading(model: type[Model]) -> tuple[list[frozenset[str]] | None, frozenset[str]]:
    """The columns that are unique together, and the foreign keys that the database checks, of a model.

    None where more than columns tells what is unique.
    """
    meta: Any = model._meta
    columns: Any = meta.concrete_fields
    unique = [frozenset([each.name]) for each in columns if each.unique and not each.primary_key]
    unique += map(frozenset, meta.unique_together)
    plain = [each for each in meta.constraints if isinstance(each, UniqueConstraint) and each.fields]
    plain = [each for each in plain if each.condition is None and not each.contains_expressions]
    unique += [frozenset(each.fields) for each in plain]
    by_date = any(each.unique_for_date or each.unique_for_month or each.unique_for_year for each in columns)
    leading = frozenset(
        each.name
        for each in columns
        if each.many_to_one and each.db_constraint and not each.remote_field.limit_choices_to
    )
    return (None if by_date or len(plain) < len(meta.constraints) else unique), leading


def without_a_look(kind: Kind, *, free: bool) -> set[str]:
    """The columns of a new row that lead to what was read, or hold a `free` key; none where uniqueness needs them."""
    meta: Any = kind.model._meta
    if kind.rows is None or meta.constraints or meta.unique_together:
        return set()
    given = {kind.workspace, *([meta.pk.name] if free else [])} - {field.column for field in kind.fields}
    columns = [each for each in meta.concrete_fields if each.name in given | {kind.parent}]
    return {
        each.name for each in columns if each.primary_key or not (each.unique or each.remote_field.limit_choices_to)
    }


def unsaved_row(kind: Kind, of: Object, new: Record) -> Model:
    """A new row with these values. Nothing is saved."""
    row = new_row(kind, of, {})
    assign(kind, of, row, new)
    return row


def new_row(kind: Kind, of: Object, record: Record) -> Model:
    """A row that is not saved yet; one that is brought back gets its old primary key, and is newer than it was."""
    if issubclass(kind.model, Object):
        version = record.get("version", 0) + 1
        mark = record.get(OTHER_COLUMNS, {})
        return kind.model(pk=record.get("id"), workspace_id=of.workspace_id, key=of.key, version=version, **mark)
    others = record.get(OTHER_COLUMNS, {})
    columns: Any = [column for column in kind.model._meta.concrete_fields if column.name in others]
    values = {column.attname: column.to_python(others[column.name]) for column in columns}
    row = kind.model(**values, pk=kind.model._meta.pk.to_python(of.key))
    for column, value in placing(kind, of).items():
        if column.name not in others:
            setattr(row, column.name, value)
    if kind.workspace and "__" not in kind.workspace:
        setattr(row, f"{kind.workspace}_id", of.workspace_id)
    return row


def placing(kind: Kind, of: Object) -> dict[Any, Any]:
    """The columns that put a new row into the workspace of an object, with their values, as its registration says.

    Raises `ChangeRefused` where the application finds no place, `ImproperlyConfigured` for what are no columns.
    """
    if kind.place_new is None:
        return {}
    with refusals_of(kind):
        given = kind.place_new(Workspace.objects.get(pk=of.workspace_id))
    known: Any = {column.name: column for column in kind.model._meta.concrete_fields if not column.primary_key}
    if not isinstance(given, Mapping) or not known.keys() >= given.keys():
        raise ImproperlyConfigured(
            f"{kind.name}: place_new gives {given!r}. Let it give values of columns: {', '.join(known)}."
        )
    return {known[name]: value for name, value in given.items()}


def save(kind: Kind, of: Object, row: Model, new_values: Record, *, new: bool = False) -> None:
    """Saves the row with these values, and reads it again."""
    kept = {} if row._state.adding else kept_values(row)
    assign(kind, of, row, new_values)
    with refusals_of(kind), transaction.atomic():
        validate(row, kept)
        options: Any = {"force_insert": True} if new else {}  # not every model's own `save` takes any
        row.save(**options)
        row.refresh_from_db()
