"""Registering a Django model as a kind of objects, as one registers it with the admin.

    from graphs import objects

    objects.register(Product, title="name", workspace="shop__workspace", exclude=("photo",), url="product")

Called in `AppConfig.ready`, or in a module `objects.py` of an installed app, which is found by itself. What cannot work
is refused when the program starts, with a sentence that says what to write.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, models, router
from django.db.models import Model, QuerySet
from django.dispatch import Signal
from django.utils.functional import Promise

from graphs.models import Object, Workspace
from graphs.models.objects import MAX_KEY
from graphs.objects import kinds
from graphs.objects.kinds import KINDS, Field, Kind, May
from graphs.objects.model_fields import fields_of
from graphs.objects.model_store import ModelStore

#: Sent with `kind` when a model was registered.
registered = Signal()
#: What streams are called after beside objects.
_OF_STREAMS = ("session", "workspace")
#: As it can stand in addresses, mentions and the column `type` of an object.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,29}")


def register(
    model: type[Model],
    *,
    title: str,
    workspace: str | Callable[[Workspace], QuerySet[Any]] = "",
    place_new: Callable[[Workspace], Mapping[str, Any]] | None = None,
    name: str = "",
    fields: Sequence[str | Field] = (),
    exclude: Collection[str] = (),
    minor: Collection[str] = (),
    parent: str = "",
    url: str | Callable[[Any], str] = "",
    may_see: May | None = None,
    may_edit: May | None = None,
    cascade: bool = False,
) -> Kind:
    """Makes rows of a model objects that people and models may talk about. Gives the kind.

    `title` is the field that people know one by. `workspace` is the path to its workspace (`"shop__workspace"`), or a
    function that gives the rows of a workspace. `place_new` gives the columns that put a new row into a workspace,
    `{"shop": workspace.slug}`. `name` is what the kind is called in addresses, else the model's name.
    `fields` are the fields that may be read and changed, all that are editable if none are named; `"data.price"` is a
    value within a JSON field, `"data.*"` all that no other of its fields names. `exclude` are fields that nobody is
    shown: files and secrets have to be named there. `minor` fields are left out first if there is no room. `parent` is
    a foreign key to another registered model. With `cascade` an object is deleted together with all that it holds, else
    it stays while it holds some. `url` is the name of the address of its page, or a function that gives the address.
    `may_see` and `may_edit` get the member and the row, and narrow what the member's role allows.

    Raises `ImproperlyConfigured` with a sentence that says what to write instead.
    """
    name = _name(model, name)
    _require_objects(model, name)
    _require_of_a_row(name, url, may_see, may_edit)
    _require_of_a_workspace(name, place_new)
    chosen = _chosen(name, workspace) if callable(workspace) else None
    kind = Kind(
        name, model._meta.verbose_name or name, title,
        fields_of(model, name, title, fields, exclude, minor, parent), model, ModelStore(),
        rows=_rows(model, name, chosen or workspace), workspace=workspace if isinstance(workspace, str) else "",
        chosen=chosen, place_new=place_new, parent=parent, url=url, may_see=may_see, may_edit=may_edit,
        plural=model._meta.verbose_name_plural or "", cascade=cascade,
    )  # fmt: skip
    try:
        kinds.register(kind)
    except ValueError as taken:
        raise ImproperlyConfigured(f"{taken} Write register({model.__name__}, name=...).") from None
    registered.send(sender=model, kind=kind)
    return kind


def register_view(
    of: Kind, *, name: str, label: str | Promise, plural: str | Promise, fields: Sequence[str], url: str = ""
) -> Kind:
    """Makes some fields of the objects of a kind objects of their own, to talk about. Gives the kind.

    A view has the id and the title of its whole, and no versions of its own: changes of it are changes of the whole.
    Nothing is made, moved or deleted as a view. Raises `ImproperlyConfigured`.
    """
    if unknown := [each for each in fields if each not in of.by_name or each == "parent"]:
        raise ImproperlyConfigured(f"{name}: {unknown[0]!r} is no field of {of.name}. Name some of {[*of.by_name]}.")
    title = replace(of.field(of.title), fixed=True)
    kind = replace(
        of, name=_name(of.model, name), label=label, plural=plural, url=url, view_of=of.name, parent="", cascade=False,
        place_new=None, fields=(title, *(of.field(each) for each in fields if each != of.title)),
    )  # fmt: skip
    try:
        return kinds.register(kind)
    except ValueError as taken:
        raise ImproperlyConfigured(str(taken)) from None


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


def _require_objects(model: type[Model], name: str) -> None:
    """Raises `ImproperlyConfigured` for a model whose rows can be no objects."""
    _require_plain(model, name)
    _require_one_database(model, name)


def _require_plain(model: type[Model], name: str) -> None:
    meta = model._meta
    if meta.abstract or meta.proxy:
        what = "abstract" if meta.abstract else "a proxy"
        raise ImproperlyConfigured(f"{name}: {model.__name__} is {what}. Register the model that has the table.")
    if model is Object or any(kind.model is model and kind.rows is None for kind in KINDS.values()):
        raise ImproperlyConfigured(
            f"{name}: {model.__name__} is an object already, or a part of one. Remove this call."
        )
    if meta.parents:
        first = next(iter(meta.parents)).__name__
        raise ImproperlyConfigured(
            f"{name}: {model.__name__} extends {first}, and its fields are in two tables. Write "
            f"class {model.__name__}(models.Model) with a OneToOneField to {first}."
        )
    if any(kind.model is model for kind in KINDS.values()):
        raise ImproperlyConfigured(f"{name}: {model.__name__} is registered twice. Remove one of the two calls.")
    key = meta.pk
    if isinstance(key, models.CharField) and (key.max_length or MAX_KEY + 1) > MAX_KEY:
        raise ImproperlyConfigured(f"{name}: its key may be longer than {MAX_KEY} characters. Give it a shorter one.")
    if not isinstance(key, models.CharField | models.IntegerField | models.UUIDField):
        raise ImproperlyConfigured(
            f"{name}: its primary key is neither a number, a UUID nor a text. Give {model.__name__} one that is: "
            "id = models.UUIDField(primary_key=True, default=uuid.uuid4)"
        )


def _require_one_database(model: type[Model], name: str) -> None:
    """A change and its history commit together, in the database of our tables."""
    for each in (model, Object):
        routed = {router.db_for_read(each), router.db_for_write(each)} - {DEFAULT_DB_ALIAS}
        if routed:
            raise ImproperlyConfigured(
                f"{name}: {each.__name__} is routed to the database {routed.pop()!r}, and a change has to commit "
                f"together with its history. Let DATABASE_ROUTERS send it to {DEFAULT_DB_ALIAS!r}."
            )


def _require_of_a_row(name: str, url: object, may_see: object, may_edit: object) -> None:
    if not (isinstance(url, str) or callable(url)):
        raise ImproperlyConfigured(
            f"{name}: url={url!r} is no address. Write the name of the address of its page, or a function that gives "
            "the address of a row: url=lambda row: ..."
        )
    for argument, may in (("may_see", may_see), ("may_edit", may_edit)):
        if not (may is None or callable(may)):
            raise ImproperlyConfigured(
                f"{name}: {argument}={may!r} is no function. Write one that says whether a member may: "
                f"{argument}=lambda member, row: ..., or leave it out."
            )


def _require_of_a_workspace(name: str, place_new: object) -> None:
    if not (place_new is None or callable(place_new)):
        raise ImproperlyConfigured(
            f"{name}: place_new={place_new!r} is no function. Write one that gives the columns of a new row of a "
            "workspace: place_new=lambda workspace: {...}, or leave it out."
        )


def _chosen(name: str, workspace: Callable[[Workspace], QuerySet[Any]]) -> Callable[[Workspace], QuerySet[Any]]:
    """What the application gives the rows of a workspace by; raises `ImproperlyConfigured` for a union."""

    def chosen(at: Workspace) -> QuerySet[Any]:
        rows = workspace(at)
        if rows.query.combinator or rows.query.is_sliced:
            raise ImproperlyConfigured(
                f"{name}: its workspace gives a union of rows, or some of them only, which cannot be narrowed. "
                "Write one condition: .filter(Q(...) | Q(...))"
            )
        return rows

    return chosen


def _rows(model: type[Model], name: str, workspace: object) -> Callable[[int], QuerySet[Any]]:
    """What gives the rows of a workspace. Raises `ImproperlyConfigured`."""
    if callable(workspace):
        return lambda workspace_id: workspace(Workspace.objects.get(pk=workspace_id))
    at: type[Model] | None = model
    for step in workspace.split("__") if isinstance(workspace, str) else ():
        columns: Any = at._meta.concrete_fields if at else ()  # along others a row would be of several workspaces
        at = next((column.related_model for column in columns if column.name == step), None)
    if at is not Workspace or not workspace:
        what = f"workspace={workspace!r} does not lead to a Workspace" if workspace else "it has no workspace"
        raise ImproperlyConfigured(
            f"{name}: {what}. Write the path of foreign keys to it, "
            "or a function that gives the rows of a workspace: workspace=lambda workspace: ..."
        )
    return lambda workspace_id: model._default_manager.filter(**{str(workspace): workspace_id})
