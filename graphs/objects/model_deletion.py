"""Rows of a model that are deleted as Django deletes them, in few statements."""

from collections.abc import Sequence
from typing import Any

from django.db.models import CASCADE, Model
from django.db.models.deletion import Collector
from django.db.models.signals import post_delete, pre_delete

from graphs.models import Object
from graphs.objects.kinds import of_models

#: The history listens to each registered model, and only looks.
OURS = 1


def delete_all(rows: Sequence[Model]) -> bool:
    """Deletes rows of a model as Django does, but in as many statements as one where nothing else goes with them.

    Gives whether they are surely gone: the database, or who listens, may have kept one.
    """
    model = type(rows[0])
    collector = _Collector("default")
    collector.collect(rows)
    if collector.data.keys() > {model} or collector.field_updates:
        collector.delete()
        return False
    told: Any = {"using": "default", "origin": None}
    for row in rows:
        pre_delete.send(sender=model, instance=row, **told)
    for along in collector.fast_deletes:
        along._raw_delete("default")
    whole: Any = model._base_manager.filter(pk__in=[row.pk for row in rows])
    count = whole._raw_delete("default")
    heard = [post_delete.send(sender=model, instance=row, **told) for row in rows]
    return bool(count == len(rows)) and max(map(len, heard)) <= OURS


class _Collector(Collector):
    """Looks for nothing that cannot be there any more once a change has seen to it that nobody loses what goes.

    A row of a registered model that came meanwhile is no reason to take it along: its foreign key refuses the change.
    """

    def related_objects(self, related_model: Any, related_fields: Any, objs: Any) -> Any:
        """The rows that would go along."""
        found: Any = super().related_objects(related_model, related_fields, objs)
        return found.none() if all(map(_leads_from_nothing, related_fields)) else found


def _leads_from_nothing(column: Any) -> bool:
    """Whether no row can lead there: what is registered went before, and who has a header has no other one."""
    if issubclass(column.model, Object):
        return bool(column.remote_field.parent_link)
    cascades = column.remote_field.on_delete is CASCADE and column.db_constraint
    return cascades and any(kind.model is column.model for kind in of_models())
