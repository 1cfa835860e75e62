"""Objects that are saved one after the other: as many at once as others in the workspace can wait for."""

from collections.abc import Iterable, Sequence

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused
from graphs.objects.kinds import KINDS, Kind, is_object
from graphs.objects.model_batches import come_together
from graphs.objects.model_rows import writes_together
from graphs.objects.operations import Create, Operation, Update
from graphs.objects.planning import MAX_OBJECTS


def refuse_many(operations: Iterable[Operation]) -> None:
    """Raises `ChangeRefused` for more than a plan may have: each takes some 10 ms, in which the workspace is held."""
    by_kind: dict[str, list[Operation]] = {}
    for operation in operations:
        if is_object(operation.item.type):
            by_kind.setdefault(operation.item.type, []).append(operation)
    count = sum(_alone(KINDS[name], some) for name, some in by_kind.items())
    if count > MAX_OBJECTS:
        message = _("{count} objects are saved one after the other; at most {most} can be at once. Do it in parts.")
        raise ChangeRefused(message.format(count=intcomma(count), most=intcomma(MAX_OBJECTS)))


def _alone(kind: Kind, operations: Sequence[Operation]) -> int:
    """How many of the operations are not written with others of the kind."""
    created = [each for each in operations if isinstance(each, Create)]
    updated = [each for each in operations if isinstance(each, Update)]
    is_row = kind.rows is not None and not kind.view_of
    alone = 0 if is_row and come_together(kind, created) else len(created)
    return alone + (0 if is_row and writes_together(kind) else len(updated))
