"""Rows of registered models as records: read, validated and saved through the model itself."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from math import isfinite
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist, ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import DataError, IntegrityError, transaction
from django.db.models import (
    CharField,
    DecimalField,
    Model,
    ProtectedError,
    RestrictedError,
    TextField,
    UniqueConstraint,
)
from django.utils.timezone import is_aware
from django.utils.translation import gettext as _

from graphs.models import Object, Workspace
from graphs.models.visible_text import is_blank, one_line
from graphs.objects.actions import ChangeRefused, some
from graphs.objects.kinds import KINDS, Field, Kind, is_secret
from graphs.objects.operations import OTHER_COLUMNS, Record
from graphs.site.json_values import same, with_whole_numbers

_WRITE_JSON = json.JSONEncoder(default=str).encode
_READ_JSON = json.JSONDecoder(parse_constant=str).decode
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


def record_of(kind: Kind, row: Model) -> Record:
    """The fields of a row by their names on the wire, as JSON."""
    return {field.name: _value(field, row) for field in kind.fields}


def name_of(kind: Kind, row: Model) -> str:
    """What people call a row, "" if its fields do not tell. No more of it is said as JSON than that takes."""
    title = kind.by_name.get(kind.title)
    if kind.called or title is None:
        return kind.name_of(record_of(kind, row))
    return kind.name_of({kind.title: _value(title, row)})


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


def unsaved_row(kind: Kind, of: Object, new: Record) -> Model:
    """A new row with these values. Nothing is saved."""
    row = new_row(kind, of, {})
    assign(kind, of, row, new)
    return row


def _value(field: Field, row: Model) -> Any:
    if _holds_header(field, row):
        holder = getattr(row, field.column, None)
        return holder and holder.key
    value = getattr(row, field.attribute)
    if field.is_rest:
        value = _left_of(field, value) or None
        return None if value is None else _as_json(row._meta.get_field(field.column), value)
    for step in field.inside:
        value = value.get(step) if isinstance(value, dict) else None
    if field.form == "key" and value is not None:
        return str(value)
    return _as_json(row._meta.get_field(field.column), value)


def _as_json(column: Any, value: Any) -> Any:
    """Says a value in one way, whether it was read from the database or given for it."""
    match value:
        case Decimal() if isinstance(column, DecimalField):
            return f"{value:.{column.decimal_places}f}"
        case datetime() if is_aware(value):
            return value.astimezone(UTC).isoformat()
        case float() if not isfinite(value):
            return str(value)
        case None | bool() | int() | float() | str():
            return value
        case dict() | list():
            # A column may have a decoder of its own, and JSON has no infinite numbers.
            return _READ_JSON(_WRITE_JSON(value))
    try:
        return DjangoJSONEncoder().default(value)
    except (TypeError, ValueError):  # of a class of the application
        return str(value)


def _holds_header(field: Field, row: Model) -> bool:
    """Whether the row points to an `Object`, which is named by its key and not by its primary key."""
    related = row._meta.get_field(field.column).related_model if field.form == "key" else None
    return isinstance(related, type) and issubclass(related, Object)


def assign(kind: Kind, of: Object, row: Model, new: Record) -> None:
    """Gives a row these values of its fields. Raises `ChangeRefused` for what is none of them."""
    for field in kind.fields:
        if field.name in new and not same(new[field.name], _value(field, row)):
            value = new[field.name]
            _set(field, row, _header(field, of, row, value) if value and _holds_header(field, row) else value)


def _header(field: Field, of: Object, row: Model, key: str) -> int:
    """The primary key of the object with this key that the row points to."""
    related: Any = row._meta.get_field(field.column).related_model
    found = related.objects.filter(workspace=of.workspace_id, key=key).values_list("pk", flat=True).first()
    if found is None:
        raise ChangeRefused(_('There is no "{object}".').format(object=key))
    return int(found)


def _set(field: Field, row: Model, value: Any) -> None:
    if field.inside:
        _set_inside(field, row, value)
        return
    column: Any = row._meta.get_field(field.column)
    if value is None and not column.null:
        raise ChangeRefused(f"{field.name}: {column.error_messages['null']}")
    try:
        setattr(row, field.attribute, _read(column, value))
    except ValidationError as error:
        raise ChangeRefused(*(f"{field.name}: {message}" for message in error.messages)) from error
    except (TypeError, ValueError) as error:
        # Dates and times parse texts only.
        raise ChangeRefused(_("{field}: this is no value of it.").format(field=field.name)) from error


def _read(column: Any, value: Any) -> Any:
    """The value as the column has it. Raises `ValidationError`, `TypeError` and `ValueError` for what is none of it."""
    if isinstance(column, ArrayField) and value is not None:
        if not isinstance(value, list):
            raise TypeError("no list")
        return [_read(column.base_field, each) for each in value]
    if isinstance(column, CharField | TextField) and not isinstance(value, str | None):
        raise TypeError("no text")
    # A decimal column would take a float for all that it is in binary.
    read = column.to_python(str(value) if isinstance(value, float) and isinstance(column, DecimalField) else value)
    if isinstance(read, float) and not isfinite(read):
        raise TypeError("JSON has no such number")
    return read


def _set_inside(field: Field, row: Model, value: Any) -> None:
    """Sets the value within a JSON column; a null is nothing."""
    if field.is_rest:
        _set_rest(field, row, value)
        return
    whole = inner = _copied(field, getattr(row, field.column))
    for step in field.inside[:-1]:
        inner[step] = _copied(field, inner.get(step))
        inner = inner[step]
    if value is None:
        inner.pop(field.inside[-1], None)
    else:
        inner[field.inside[-1]] = value
    setattr(row, field.column, whole)


def _left_of(field: Field, whole: Any) -> dict[str, Any]:
    """What a JSON column holds that no other field is."""
    return {key: value for key, value in whole.items() if key not in field.beside} if isinstance(whole, dict) else {}


def _set_rest(field: Field, row: Model, value: Any) -> None:
    """Replaces what no other field is; a null is nothing."""
    rest = {} if value is None else value
    if not isinstance(rest, dict):
        raise ChangeRefused(_("{field}: this is no JSON object.").format(field=field.name))
    if named := [key for key in rest if key in field.beside]:
        raise ChangeRefused(
            _("{field}: {key} is a field of its own.").format(field=field.name, key=f"{field.column}.{named[0]}")
        )
    whole = _copied(field, getattr(row, field.column))
    kept = {key: each for key, each in whole.items() if key in field.beside}
    setattr(row, field.column, kept | rest)


def _copied(field: Field, value: Any) -> dict[str, Any]:
    """A copy of the JSON object that a field is within; an empty one if there is none."""
    if value is not None and not isinstance(value, dict):
        raise ChangeRefused(_("{field}: what it is within is no JSON object.").format(field=field.name))
    return dict(value or {})


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


def other_columns(kind: Kind, row: Model) -> Record:
    """The columns of a row that no field tells, but its key and secrets, as JSON that the columns read."""
    described = {field.column for field in kind.fields if not field.inside} | {row._meta.pk.name}
    columns: Any = [
        each
        for each in row._meta.concrete_fields
        if each.name not in described and not each.generated and not is_secret(each.name)
    ]
    return {
        each.name: None if each.value_from_object(row) is None else _as_json(each, each.value_to_string(row))
        for each in columns
    }


def save(kind: Kind, of: Object, row: Model, new_values: Record, *, new: bool = False) -> None:
    """Saves the row with these values, and reads it again."""
    kept = {} if row._state.adding else kept_values(row)
    assign(kind, of, row, new_values)
    with refusals_of(kind), transaction.atomic():
        validate(row, kept)
        options: Any = {"force_insert": True} if new else {}  # not every model's own `save` takes any
        row.save(**options)
        row.refresh_from_db()


def _choices(kind: Kind, name: str, error: ValidationError) -> str:
    """What may be chosen of a column, where a value was none of it; else ""."""
    column: Any = next((each for each in kind.model._meta.concrete_fields if each.name == name), None)
    if getattr(error, "code", "") != "invalid_choice" or column is None or not column.choices:
        return ""
    reserved = {value for field in kind.fields if field.column == name for value in field.reserved}
    values = [str(value) for value, _label in column.flatchoices if value not in reserved]
    return " " + _("Choose one of these: {choices}.").format(choices=some(values))


@contextmanager
def refusals_of(kind: Kind) -> Iterator[None]:
    """Makes of what the model refuses a `ChangeRefused`, which names fields as the wire does."""
    names = {field.column: f"{field.name}: " for field in kind.fields if not field.inside} | {"__all__": "", "": ""}
    try:
        yield
    except ValidationError as error:
        problems = getattr(error, "error_dict", None) or {"": [error]}
        texts = [
            names.get(name, f"{name}: ") + text + _choices(kind, name, each)
            for name, some in problems.items()
            for each in some
            for text in each.messages
        ]
        raise ChangeRefused(*texts) from error
    except (ProtectedError, RestrictedError) as error:
        raise ChangeRefused(str(error.args[0])) from error
    except ObjectDoesNotExist as error:
        raise ChangeRefused(str(error)) from error
    except (IntegrityError, DataError) as error:
        # Its details have values of rows, and of columns that nobody is shown.
        reason = getattr(getattr(error.__cause__, "diag", None), "message_primary", None) or type(error).__name__
        raise ChangeRefused(_("The database refuses this: {reason}").format(reason=reason)) from error
