"""What may not be asked for: unknown fields, values that are set by themselves, too much, changes of what goes."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.models import Object
from graphs.objects.actions import ChangeRefused, some
from graphs.objects.kinds import Kind, is_object
from graphs.objects.model_rows import placing
from graphs.objects.model_values import record_of
from graphs.objects.operations import Create, Delete, Operation, Record, weight
from graphs.objects.refs import Ref
from graphs.site.json_values import MAX_JSON_CHARS, is_too_long, same, shown

#: Characters of all that one change takes and gives, as JSON; so few operations are not weighed.
MAX_CHANGE_CHARS = 50_000_000
FEW = 20


def require_fields(kind: Kind, names: Collection[str]) -> None:
    """Raises `ChangeRefused` for names of no field, and for those of fields that are set by themselves."""
    unknown = [name for name in names if name not in kind.by_name or name == "parent"]
    if unknown:
        known = ", ".join(name for name in kind.by_name if name != "parent")
        message = _("There is no field {unknown}. Fields of {kind}: {known}.")
        raise ChangeRefused(message.format(unknown=some(map(shown, unknown)), kind=kind.name, known=known))
    if fixed := [name for name in names if kind.field(name).fixed]:
        raise ChangeRefused(_("{field} is set by itself. Leave it out.").format(field=some(fixed)))


def refuse_reserved(kind: Kind, new: Record, record: Record) -> None:
    """Raises `ChangeRefused` for values that nobody asks for, unless they are there already."""
    for name, value in new.items():
        if value in kind.field(name).reserved and record.get(name) != value:
            message = _("{field}: “{value}” is set by itself while something is generated. Choose another value.")
            raise ChangeRefused(message.format(field=name, value=value))


def refuse_too_much(operations: Sequence[Operation]) -> None:
    """Raises `ChangeRefused` where all of many operations are too long together: all is held, stored and shown."""
    if len(operations) > FEW:
        refuse_weight(len(operations), weight(operations))


def refuse_weight(count: int, chars: int) -> None:
    """Raises `ChangeRefused` where so many operations are too long together."""
    if count > FEW and chars > MAX_CHANGE_CHARS:
        message = _("More than {most} characters would change, come or go at once. Do it in parts.")
        raise ChangeRefused(message.format(most=intcomma(MAX_CHANGE_CHARS)))


def refuse_oversized(operations: Iterable[Operation]) -> None:
    """Raises `ChangeRefused` for values that are too long, also where parts that were not have made them so."""
    for operation in operations:
        new = operation.record if isinstance(operation, Create) else getattr(operation, "new", {})
        for field, value in new.items():
            if is_too_long(value):
                message = _("{field} of {item} would be longer than {most} characters.")
                raise ChangeRefused(
                    message.format(field=field, item=shown(str(operation.item)), most=intcomma(MAX_JSON_CHARS))
                )


def require_place(kind: Kind, of: Object, row: Any, values: Record) -> None:
    """Raises `ChangeRefused` for a value that would put a new row elsewhere than where its registration puts it."""
    placed = {column.name for column in placing(kind, of)}
    here = record_of(kind, row) if placed else {}
    for name, value in values.items():
        if kind.field(name).column in placed and not same(value, here[name]):
            message = _("{field} says where {object} belongs, and is set by itself. Leave it out.")
            raise ChangeRefused(message.format(field=name, object=Ref(kind.name, of.key)))


def refuse_changes_of_deleted(around: Object, operations: Sequence[Operation]) -> None:
    """Raises `ChangeRefused` if the object would go, and something of it change beside that."""
    own = Ref(around.type, around.key)
    if any(isinstance(each, Delete) and each.item == own for each in operations) and any(
        not is_object(each.item.type) for each in operations
    ):
        message = _("{object} would be deleted with all that is in it. Leave out what else would change there.")
        raise ChangeRefused(message.format(object=own))
