"""Models registered as kinds of objects, as an application would register its own."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.db import connection
from django.db.models import Model
from django.db.models.signals import post_delete, post_save

from chat.models import AlwaysSend
from graphs import objects
from graphs.models import Workspace
from graphs.objects.kinds import KINDS, Kind
from tests.shop.models import Product, Shop


def forget(kind: Kind) -> None:
    """Takes back the registration of a model."""
    post_save.disconnect(sender=kind.model, dispatch_uid=f"saved-{kind.name}")
    post_delete.disconnect(sender=kind.model, dispatch_uid=f"deleted-{kind.name}")
    del KINDS[kind.name]


def rows_of(*models: type[Model], **options: Any) -> AbstractContextManager[Kind]:
    """Within it, these models have tables, and rows of the first one are objects; `options` are those of `register`."""
    with connection.schema_editor() as editor:
        for model in models:
            editor.create_model(model)
    return registered(models[0], **options)


@contextmanager
def registered(model: type[Model], **options: Any) -> Iterator[Kind]:
    """Within it, rows of the model are objects."""
    kind = objects.register(model, **options)
    try:
        yield kind
    finally:
        forget(kind)


@contextmanager
def pins(**options: Any) -> Iterator[Kind]:
    """Within it, pins are objects of the kind "pin"; `options` are those of `register`."""
    kind = objects.register(
        AlwaysSend,
        name="pin",
        title="object_key",
        fields=("object_key", "part_type", "part_key"),
        **({"workspace": "workspace", "minor": ("part_type",), "url": lambda row: f"/pins/{row.pk}/"} | options),
    )
    left: list[Any] = [AlwaysSend._meta.get_field(name) for name in ("added_by", "object_type")]
    for field in left:
        field.blank = True  # nobody fills it in here, and the model's own validation runs
    try:
        yield kind
    finally:
        for field in left:
            field.blank = False
        forget(kind)


def pin(workspace: Workspace, title: str, **values: Any) -> AlwaysSend:
    return AlwaysSend.objects.create(workspace=workspace, object_type="graph", object_key=title, **values)


@contextmanager
def shops(**options: Any) -> Iterator[Kind]:
    """Within it, shops and the products that they hold are objects; `options` are those of the kind of products."""
    kinds = (
        objects.register(Shop, title="name", workspace="workspace", fields=("name", "motto")),
        objects.register(
            Product,
            workspace="shop__workspace",
            fields=("name", "notes", "price", "since", "weight", "data.problem", "data.scores"),
            **({"title": "name", "parent": "shop"} | options),
        ),
    )
    try:
        yield kinds[1]
    finally:
        for kind in kinds:
            forget(kind)


def product(shop: Shop, name: str = "Fetch API", **values: Any) -> Product:
    """With the values of the node `fetch-api` of the cast, so that one story can be told of both."""
    return Product.objects.create(shop=shop, name=name, **({"notes": "return fetch(url)"} | values))
