"""The fields of a registered model, by its columns. What cannot be one is refused with what to write instead."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db import models
from django.db.models import Model

from graphs.models import Modification
from graphs.objects.kinds import REST, Field, Form, is_secret
from graphs.objects.operations import OF_THE_ROW

_MOST_CHARS = Modification._meta.get_field("field").max_length or 0
_FORMS: tuple[tuple[type[models.Field], Form], ...] = (
    (models.JSONField, "json"),
    (ArrayField, "json"),
    (models.BooleanField, "boolean"),
    (models.IntegerField, "number"),
    (models.FloatField, "number"),
    (models.DecimalField, "number"),
)
#: Columns whose values are JSON, or are marked by a text that they read again.
_JSON_COLUMNS = (
    *(models.CharField, models.TextField, models.JSONField, models.BooleanField, models.UUIDField),
    *(models.IntegerField, models.FloatField, models.DecimalField),
    *(models.DateField, models.TimeField, models.DurationField, models.GenericIPAddressField, models.FilePathField),
)


def fields_of(
    model: type[Model],
    name: str,
    title: str,
    fields: Sequence[str | Field],
    exclude: Collection[str],
    minor: Collection[str],
    parent: str,
) -> tuple[Field, ...]:
    """The fields of the kind `name`, by the arguments of `register`. Raises `ImproperlyConfigured`."""
    for argument, given in (("fields", fields), ("exclude", exclude), ("minor", minor)):
        if isinstance(given, str):
            raise ImproperlyConfigured(f"{name}: {argument}={given!r} is one text. Write {argument}=({given!r},).")
    _require_one_of(name, "exclude", exclude, [column.name for column in model._meta.concrete_fields])
    if not fields:
        _require_exclusions(model, name, exclude)
    found = [_field(model, each) for each in fields or _editable(model, exclude)]
    names = [field.name for field in found]
    _require_free(name, names)
    _require_one_of(name, "title", [title], names)
    _require_one_of(name, "minor", minor, names)
    _require_apart(name, found)
    marked = [replace(field, minor=True) if field.name in minor else field for field in _with_rests(found)]
    return (*marked, _parent(model, name, parent)) if parent else tuple(marked)


def _require_one_of(name: str, argument: str, given: Iterable[str], known: Collection[str]) -> None:
    for each in given:
        if each not in known:
            some = ", ".join(known)
            raise ImproperlyConfigured(f"{name}: {argument}={each!r} is none of its fields. Write one of {some}.")


def _require_free(name: str, fields: Iterable[str]) -> None:
    """The history has names of its own, and room for so many characters."""
    for each in fields:
        if each in OF_THE_ROW or each == "parent" or len(each) > _MOST_CHARS:
            raise ImproperlyConfigured(
                f"{name}: no field can be called {each!r} here. "
                f"Write fields=(..., Field('another_name', {each!r}, 'Its label')), or exclude=({each!r},)."
            )


def _require_apart(name: str, fields: Sequence[Field]) -> None:
    """Each has a name and a value of its own: of what two fields share, a change would be a change of both."""
    for place, field in enumerate(fields):
        for other in fields[:place]:
            if field.name == other.name:
                raise ImproperlyConfigured(f"{name}: two fields are called {field.name!r}. Name each field once.")
            inner, outer = sorted((field, other), key=lambda each: len(each.inside), reverse=True)
            if inner.column == outer.column and inner.inside[: len(outer.inside)] == outer.inside:
                raise ImproperlyConfigured(f"{name}: {inner.name!r} is a part of {outer.name!r}. Name one of them.")


def _with_rests(fields: Sequence[Field]) -> list[Field]:
    """The fields; what is left of a JSON column knows which keys of it are others."""
    named = {
        each: [field.inside[0] for field in fields if field.column == each.column and field is not each]
        for each in fields
        if each.is_rest
    }
    return [replace(each, beside=tuple(named[each])) if each in named else each for each in fields]


def _editable(model: type[Model], exclude: Collection[str]) -> Iterable[str]:
    for column in model._meta.concrete_fields:
        left_out = column.primary_key or not column.editable or column.is_relation
        if not left_out and column.name not in exclude and not isinstance(column, models.FileField):
            yield column.name


def _require_exclusions(model: type[Model], name: str, exclude: Collection[str]) -> None:
    for column in model._meta.concrete_fields:
        if (is_secret(column.name) or isinstance(column, models.FileField)) and column.name not in exclude:
            what = "a file" if isinstance(column, models.FileField) else "a secret, by its name"
            raise ImproperlyConfigured(
                f"{name}: {column.name!r} is {what}. Write exclude=({column.name!r},), or name the fields to be shown."
            )


def _field(model: type[Model], given: str | Field) -> Field:
    column_name, *inside = given.split(".") if isinstance(given, str) else (given.column, *given.inside)
    try:
        column = model._meta.get_field(column_name)
    except FieldDoesNotExist:
        known = ", ".join(field.name for field in model._meta.concrete_fields)
        raise ImproperlyConfigured(f"{model.__name__} has no field {column_name!r}. Its fields: {known}.") from None
    where = f"{model.__name__}.{column_name}"
    if isinstance(column, models.FileField) or column.is_relation or not isinstance(column, models.Field):
        holds = f", or write parent={column_name!r} if it leads to what holds the object" if column.many_to_one else ""
        raise ImproperlyConfigured(
            f"{where} is a file or a relation, which nobody can propose. Leave it out of fields{holds}."
        )
    if column.primary_key:
        raise ImproperlyConfigured(f"{where} is the key, which nobody can change. Leave it out.")
    path = ".".join((column_name, *inside))
    if inside and not isinstance(column, models.JSONField):
        raise ImproperlyConfigured(
            f"{path!r} is a path within {column_name}, which is no JSONField. Write {column_name!r}."
        )
    if not all(inside):
        raise ImproperlyConfigured(
            f"{path!r} is a path with an empty key. Write '{column_name}.<key>', or {column_name!r} for all of it."
        )
    if "*" in inside and tuple(inside) != REST:
        raise ImproperlyConfigured(
            f"{path!r} is no path: a star stands for what a whole JSONField holds beside other fields. "
            f"Write '{column_name}.*'."
        )
    if not _fits_json(column):
        what = f"{where} is a {type(column).__name__}, whose values JSON cannot tell."
        raise ImproperlyConfigured(f"{what} Name the other fields, or write exclude=({column_name!r},).")
    if isinstance(given, Field):
        _require_ordering(model, given)
        return given
    label = " · ".join(inside) if inside else column.verbose_name
    form: Form = "json" if inside else next((form for kind, form in _FORMS if isinstance(column, kind)), "text")
    return Field(given, column_name, label, form, inside=tuple(inside), limit=column.max_length)


def _require_ordering(model: type[Model], field: Field) -> None:
    """Pages are cut by values, which may not be null."""
    columns: Any = {column.name: column for column in model._meta.concrete_fields if not column.null}
    if field.ordering and field.ordering not in columns:
        raise ImproperlyConfigured(
            f"{field.name}: ordering={field.ordering!r} is no column of {model.__name__} that is never null. "
            f"Write one of {', '.join(columns)}, or leave it out."
        )


def _fits_json(column: Any) -> bool:
    return _fits_json(column.base_field) if isinstance(column, ArrayField) else isinstance(column, _JSON_COLUMNS)


def _parent(model: type[Model], name: str, parent: str) -> Field:
    """The field that holds the parent's key. Raises `ImproperlyConfigured`."""
    column: Any = next((field for field in model._meta.concrete_fields if field.name == parent), None)
    if column is None or not column.is_relation:
        raise ImproperlyConfigured(
            f"{name}: parent={parent!r} is no foreign key. Name the field that holds its parent."
        )
    if column.related_model is model:
        raise ImproperlyConfigured(f"{name}: parent={parent!r} leads to {model.__name__} itself. Leave it out.")
    if not column.target_field.primary_key:
        raise ImproperlyConfigured(f"{name}: parent={parent!r} does not lead to a primary key. Leave it out.")
    return Field("parent", parent, column.verbose_name, "key")
