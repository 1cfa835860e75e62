"""The fields of a row of a registered model as JSON: read as a record, and given to it from one."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import CharField, DecimalField, Model, TextField
from django.utils.timezone import is_aware
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import Field, Kind, is_secret
from graphs.objects.operations import Record
from graphs.site.json_values import same

_WRITE_JSON = json.JSONEncoder(default=str).encode
_READ_JSON = json.JSONDecoder(parse_constant=str).decode


def record_of(kind: Kind, row: Model) -> Record:
    """The fields of a row by their names on the wire, as JSON."""
    return {field.name: _value(field, row) for field in kind.fields}


def name_of(kind: Kind, row: Model) -> str:
    """What people call a row, "" if its fields do not tell. No more of it is said as JSON than that takes."""
    title = kind.by_name.get(kind.title)
    if kind.called or title is None:
        return kind.name_of(record_of(kind, row))
    return kind.name_of({kind.title: _value(title, row)})


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


def assign(kind: Kind, of: Object, row: Model, new: Record) -> None:
    """Gives a row these values of its fields. Raises `ChangeRefused` for what is none of them."""
    for field in kind.fields:
        if field.name in new and not same(new[field.name], _value(field, row)):
            value = new[field.name]
            _set(field, row, _header(field, of, row, value) if value and _holds_header(field, row) else value)


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


def _left_of(field: Field, whole: Any) -> dict[str, Any]:
    """What a JSON column holds that no other field is."""
    return {key: value for key, value in whole.items() if key not in field.beside} if isinstance(whole, dict) else {}


def _copied(field: Field, value: Any) -> dict[str, Any]:
    """A copy of the JSON object that a field is within; an empty one if there is none."""
    if value is not None and not isinstance(value, dict):
        raise ChangeRefused(_("{field}: what it is within is no JSON object.").format(field=field.name))
    return dict(value or {})
