"""What rows hold: the rows of registered models that would go with them, and of others that would not come back."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db import models

from graphs.models import Object
from graphs.objects.kinds import KINDS, Kind, of_models
from graphs.objects.operations import Delete, Update
from graphs.objects.refs import Ref
from graphs.objects.stores import ObjectChange

#: Users of one object that are named.
NAMED = 6


def rows_led_to(deleted: Sequence[ObjectChange], others: Sequence[ObjectChange]) -> Iterator[tuple[Ref, Ref]]:
    """Objects of one kind, each with the first rows of registered models that it holds.

    Those that go, or move, in the other changes are left out.
    """
    freed = {
        operation.item
        for other in others
        for operation in other.operations
        if isinstance(operation, Delete) or (isinstance(operation, Update) and "parent" in operation.new)
    }
    holders = _by_primary_key(deleted)
    for kind, column in led_by(KINDS[deleted[0].object.type]):
        key = "key" if issubclass(kind.model, Object) else "pk"
        rows = kind.model._default_manager.filter(**{f"{column}__pk__in": list(holders)}).order_by("pk")
        for found, held_by in rows.values_list(key, f"{column}__pk")[: len(freed) + NAMED * len(holders)]:
            if (ref := Ref(kind.name, str(found))) not in freed:
                yield holders[held_by], ref


def led_by(kind: Kind) -> Iterator[tuple[Kind, str]]:
    """Parents, and foreign keys that take their rows away, from registered models to this one."""
    for each in of_models():
        for column in each.model._meta.concrete_fields:
            key = column.remote_field
            if key is None or column.related_model is not kind.model:
                continue
            if column.name == each.parent or key.on_delete is models.CASCADE:
                yield each, column.name


def rows_taken_along(deleted: Sequence[ObjectChange]) -> Iterator[tuple[Ref, Ref]]:
    """Objects of one kind, each with rows of models that nobody registered: they would go with it and not come back."""
    kind, registered = KINDS[deleted[0].object.type], {each.model for each in of_models()}
    relations: Any = kind.model._meta.get_fields(include_hidden=True) if kind.rows is not None else ()
    holders = _by_primary_key(deleted)
    for relation in relations:
        model = relation.related_model
        if getattr(relation, "on_delete", None) is not models.CASCADE or relation.concrete or model in registered:
            continue
        if model._meta.auto_created:  # the links of a many-to-many field
            continue
        column = f"{relation.field.name}__pk"
        rows = model._base_manager.filter(**{f"{column}__in": list(holders)}).values_list("pk", column)
        first: dict[Any, Ref] = {}
        for key, held_by in rows[: NAMED * len(holders)]:
            first.setdefault(held_by, Ref(model._meta.label_lower, str(key)))
        yield from ((holders[held_by], ref) for held_by, ref in first.items())


def _by_primary_key(deleted: Sequence[ObjectChange]) -> dict[Any, Ref]:
    """Objects of one kind by the primary keys of their rows; one that is new has none."""
    model = KINDS[deleted[0].object.type].model
    own = issubclass(model, Object)
    keys = ((each.object.pk if own else model._meta.pk.to_python(each.object.key), each.object) for each in deleted)
    return {key: Ref(of.type, of.key) for key, of in keys if key is not None}
