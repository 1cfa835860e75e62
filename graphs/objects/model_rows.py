"""Rows of registered models as records: read, validated and saved through the model itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.kinds import KINDS, Field, Kind
from graphs.objects.operations import Record
from graphs.objects.refusals import ChangeRefused

_PLAIN = (str, int, float, bool, dict, list, type(None))
_writing: ContextVar[bool] = ContextVar("writing an object", default=False)


def writing() -> bool:
    """Whether this thread saves a row for a change that the history records: nobody else has changed it then."""
    return _writing.get()


@contextmanager
def as_writer() -> Iterator[None]:
    """What is saved within it is recorded by who saves it."""
    token = _writing.set(True)
    try:
        yield
    finally:
        _writing.reset(token)


def row_of(of: Object) -> Any:
    """The row of an object; None if it is gone."""
    kind = KINDS[of.type]
    rows = kind.model._default_manager
    if issubclass(kind.model, Object):
        return rows.filter(pk=of.pk).first() if of.pk is not None else None
    try:
        return rows.filter(pk=kind.model._meta.pk.to_python(of.key)).first()
    except ValidationError:
        return None


def record_of(kind: Kind, row: Model) -> Record:
    """The fields of a row by their names on the wire, as JSON."""
    return {field.name: _value(field, row) for field in kind.fields}


def full_record(kind: Kind, of: Object, new: Record, row: Model | None = None) -> Record:
    """The record of a row with these new values, as the model itself would store them.

    Raises `ChangeRefused` with what the model's own validation says. Nothing is saved.
    """
    row = row or new_row(kind, of, {})
    _assign(kind, row, new)
    _validate(kind, row)
    return record_of(kind, row)


def _value(field: Field, row: Model) -> Any:
    value = getattr(row, field.attribute)
    for step in field.inside:
        value = value.get(step) if isinstance(value, dict) else None
    if field.form == "key" and value is not None:
        return str(value)
    return value if isinstance(value, _PLAIN) else DjangoJSONEncoder().default(value)


def _assign(kind: Kind, row: Model, new: Record) -> None:
    for field in kind.fields:
        if field.name in new:
            _set(field, row, new[field.name])


def _set(field: Field, row: Model, value: Any) -> None:
    """Sets the value; within a JSON column a null is nothing."""
    if not field.inside:
        column: Any = row._meta.get_field(field.column)
        try:
            setattr(row, field.attribute, column.to_python(value))
        except ValidationError as error:
            raise ChangeRefused(*(f"{field.name}: {message}" for message in error.messages)) from error
        except TypeError as error:
            # Dates and times parse texts only.
            raise ChangeRefused(_("{field}: this is no value of it.").format(field=field.name)) from error
        return
    whole = dict(getattr(row, field.column) or {})
    inner = whole
    for step in field.inside[:-1]:
        inner[step] = dict(inner.get(step) or {})
        inner = inner[step]
    if value is None:
        inner.pop(field.inside[-1], None)
    else:
        inner[field.inside[-1]] = value
    setattr(row, field.column, whole)


def new_row(kind: Kind, of: Object, record: Record) -> Model:
    """A row that is not saved yet; one that is brought back gets its old primary key, and is newer than it was."""
    if issubclass(kind.model, Object):
        version = record.get("version", 0) + 1
        return kind.model(pk=record.get("id"), workspace_id=of.workspace_id, key=of.key, version=version)
    row = kind.model(pk=kind.model._meta.pk.to_python(of.key))
    if kind.workspace and "__" not in kind.workspace:
        setattr(row, f"{kind.workspace}_id", of.workspace_id)
    return row


def save(kind: Kind, row: Model, new_values: Record, *, new: bool = False) -> None:
    _assign(kind, row, new_values)
    _validate(kind, row)
    row.save(force_insert=new)


def _validate(kind: Kind, row: Model) -> None:
    """Raises `ChangeRefused`, which names fields as the wire does."""
    names = {field.column: f"{field.name}: " for field in kind.fields if not field.inside} | {"__all__": "", "": ""}
    try:
        row.full_clean()
    except ValidationError as error:
        problems = getattr(error, "message_dict", None) or {"": error.messages}
        texts = [names.get(name, f"{name}: ") + text for name, some in problems.items() for text in some]
        raise ChangeRefused(*texts) from error
    except ObjectDoesNotExist as error:
        raise ChangeRefused(str(error)) from error
