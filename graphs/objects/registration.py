"""Registering a Django model as a kind of objects, as one registers it with the admin.

    from graphs import objects

    objects.register(Product, title="name", workspace="shop__workspace", exclude=("photo",), url="product")

Called in `AppConfig.ready`, or in a module `objects.py` of an installed app, which is found by itself. What cannot work
is refused when the program starts, with a sentence that says what to write.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import FieldDoesNotExist, ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, models, router
from django.db.models import Model, QuerySet
from django.dispatch import Signal

from graphs.models import Modification, Object, Workspace
from graphs.models.objects import MAX_KEY
from graphs.objects import kinds
from graphs.objects.kinds import KINDS, Field, Form, Kind, May, is_secret
from graphs.objects.model_store import ModelStore
from graphs.objects.operations import OF_THE_ROW

#: Sent with `kind` when a model was registered.
registered = Signal()
#: What streams are called after beside objects.
_OF_STREAMS = ("session", "workspace")
#: As it can stand in addresses, mentions and the column `type` of an object.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,29}")
_MOST_CHARS = Modification._meta.get_field("field").max_length or 0
_FORMS: tuple[tuple[type[models.Field], Form], ...] = (
    (models.JSONField, "json"),
    (ArrayField, "json"),
    (models.BooleanField, "boolean"),
    (models.IntegerField, "number"),
    (models.FloatField, "number"),
    (models.DecimalField, "number"),
)
#: Columns whose values are JSON, or are told by a text that they read again.
_JSON_COLUMNS = (
    *(models.CharField, models.TextField, models.JSONField, models.BooleanField, models.UUIDField),
    *(models.IntegerField, models.FloatField, models.DecimalField),
    *(models.DateField, models.TimeField, models.DurationField, models.GenericIPAddressField, models.FilePathField),
)


def register(
    model: type[Model],
    *,
    title: str,
    workspace: str | Callable[[Workspace], QuerySet[Any]],
    name: str = "",
    fields: Sequence[str | Field] = (),
    exclude: Collection[str] = (),
    minor: Collection[str] = (),
    parent: str = "",
    url: str | Callable[[Any], str] = "",
    may_see: May | None = None,
    may_edit: May | None = None,
) -> Kind:
    """Makes rows of a model objects that people and models may talk about. Gives the kind.

    `title` is the field that people know one by. `workspace` is the path to its workspace (`"shop__workspace"`), or a
    function that gives the rows of a workspace. `name` is what the kind is called in addresses, else the model's name.
    `fields` are the fields that may be read and changed, all that are editable if none are named; `"data.price"` is a
    value within a JSON field. `exclude` are fields that nobody is shown: files and secrets have to be named there.
    `minor` fields are left out first if there is no room. `parent` is a foreign key to another registered model.
    `url` is the name of the address of its page, or a function that gives the address. `may_see` and `may_edit` get the
    member and the row, and narrow what the member's role allows.

    Raises `ImproperlyConfigured` with a sentence that says what to write instead.
    """
    name = _name(model, name)
    _require_plain(model, name)
    _require_one_database(model, name)
    kind = Kind(
        name,
        model._meta.verbose_name or name,
        title,
        _fields(model, name, title, fields, exclude, minor, parent),
        model,
        ModelStore(),
        rows=_rows(model, name, workspace),
        workspace=workspace if isinstance(workspace, str) else "",
        parent=parent,
        url=url,
        may_see=may_see,
        may_edit=may_edit,
        plural=model._meta.verbose_name_plural or "",
    )
    try:
        kinds.register(kind)
    except ValueError as taken:
        raise ImproperlyConfigured(f"{taken} Write register({model.__name__}, name=...).") from None
    registered.send(sender=model, kind=kind)
    return kind


def _name(model: type[Model], given: str) -> str:
    """What the kind is called. Raises `ImproperlyConfigured`."""
    name = given or model._meta.model_name or ""
    if name in _OF_STREAMS:
        raise ImproperlyConfigured(f"{name}: other streams are called so. Write register({model.__name__}, name=...).")
    if not _NAME.fullmatch(name):
        raise ImproperlyConfigured(
            f"{name}: a kind is called by a letter and at most 29 letters, digits and underscores. "
            f"Write register({model.__name__}, name=...)."
        )
    return name


def _fields(
    model: type[Model],
    name: str,
    title: str,
    fields: Sequence[str | Field],
    exclude: Collection[str],
    minor: Collection[str],
    parent: str,
) -> tuple[Field, ...]:
    columns = [column.name for column in model._meta.concrete_fields]
    _require_one_of(name, "exclude", exclude, columns)
    if not fields:
        _require_exclusions(model, name, exclude)
    found = [_field(model, each, minor) for each in fields or _editable(model, exclude)]
    names = [field.name for field in found]
    _require_free(name, names)
    _require_one_of(name, "title", [title], names)
    _require_one_of(name, "minor", minor, names)
    _require_apart(name, names)
    return (*found, _require_parent(model, name, parent)) if parent else tuple(found)


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


def _require_apart(name: str, fields: Collection[str]) -> None:
    """No field is a part of another one: a change of one would be a change of both, and the history has it once."""
    for inner in fields:
        for outer in fields:
            if inner.startswith(f"{outer}."):
                raise ImproperlyConfigured(f"{name}: {inner!r} is a part of {outer!r}. Name one of them.")


def _require_plain(model: type[Model], name: str) -> None:
    meta = model._meta
    if meta.abstract or meta.proxy:
        what = "abstract" if meta.abstract else "a proxy"
        raise ImproperlyConfigured(f"{name}: {model.__name__} is {what}. Register the model that has the table.")
    if issubclass(model, Object):
        raise ImproperlyConfigured(f"{name}: {model.__name__} is an object already.")
    if any(kind.model is model for kind in KINDS.values()):
        raise ImproperlyConfigured(f"{name}: {model.__name__} is registered twice. Remove one of the two calls.")
    key = meta.pk
    if isinstance(key, models.CharField) and (key.max_length or MAX_KEY + 1) > MAX_KEY:
        raise ImproperlyConfigured(f"{name}: its key may be longer than {MAX_KEY} characters. Give it a shorter one.")
    if not isinstance(key, models.CharField | models.IntegerField | models.UUIDField):
        raise ImproperlyConfigured(f"{name}: its primary key is neither a number, a UUID nor a text.")


def _require_one_database(model: type[Model], name: str) -> None:
    """A change and its history commit together, in the database of our tables."""
    for each in (model, Object):
        routed = {router.db_for_read(each), router.db_for_write(each)} - {DEFAULT_DB_ALIAS}
        if routed:
            raise ImproperlyConfigured(
                f"{name}: {each.__name__} is routed to the database {routed.pop()!r}, and a change has to commit "
                f"together with its history. Let DATABASE_ROUTERS send it to {DEFAULT_DB_ALIAS!r}."
            )


def _rows(model: type[Model], name: str, workspace: Any) -> Callable[[int], QuerySet[Any]]:
    """What gives the rows of a workspace. Raises `ImproperlyConfigured`."""
    if callable(workspace):
        return lambda workspace_id: workspace(Workspace.objects.get(pk=workspace_id))
    at: type[Model] | None = model
    for step in workspace.split("__"):
        columns: Any = at._meta.concrete_fields if at else ()  # along others a row would be of several workspaces
        at = next((column.related_model for column in columns if column.name == step), None)
    if at is not Workspace:
        raise ImproperlyConfigured(
            f"{name}: workspace={workspace!r} does not lead to a Workspace. Write the path of foreign keys to it, "
            "or a function that gives the rows of a workspace: workspace=lambda workspace: ..."
        )
    return lambda workspace_id: model._default_manager.filter(**{workspace: workspace_id})


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


def _field(model: type[Model], given: str | Field, minor: Collection[str]) -> Field:
    column_name, *inside = given.split(".") if isinstance(given, str) else (given.column, *given.inside)
    try:
        column = model._meta.get_field(column_name)
    except FieldDoesNotExist:
        known = ", ".join(field.name for field in model._meta.concrete_fields)
        raise ImproperlyConfigured(f"{model.__name__} has no field {column_name!r}. Its fields: {known}.") from None
    if isinstance(column, models.FileField) or column.is_relation or not isinstance(column, models.Field):
        raise ImproperlyConfigured(f"{model.__name__}.{column_name} is a file or a relation, which nobody can propose.")
    if column.primary_key:
        raise ImproperlyConfigured(f"{model.__name__}.{column_name} is the key, which nobody can change. Leave it out.")
    if inside and not isinstance(column, models.JSONField):
        raise ImproperlyConfigured(f"{given!r} is a path within {column_name}, which is no JSONField.")
    if not _fits_json(column):
        what = f"{model.__name__}.{column_name} is a {type(column).__name__}, whose values JSON cannot tell."
        raise ImproperlyConfigured(f"{what} Name the other fields, or write exclude=({column_name!r},).")
    if isinstance(given, Field):
        return given
    label = " · ".join(inside) if inside else column.verbose_name
    form: Form = "json" if inside else next((form for kind, form in _FORMS if isinstance(column, kind)), "text")
    return Field(given, column_name, label, form, inside=tuple(inside), minor=given in minor, limit=column.max_length)


def _fits_json(column: Any) -> bool:
    return _fits_json(column.base_field) if isinstance(column, ArrayField) else isinstance(column, _JSON_COLUMNS)


def _require_parent(model: type[Model], name: str, parent: str) -> Field:
    """The field that holds the parent's key."""
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
