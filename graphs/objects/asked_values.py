"""What no field may be asked for: fields that there are not, values that are set by themselves, values too long."""

from collections.abc import Collection, Iterable

from django.utils.translation import gettext as _

from graphs.objects.actions import ChangeRefused, some
from graphs.objects.kinds import Kind
from graphs.objects.operations import Create, Operation, Record
from graphs.site.json_values import MAX_JSON_CHARS, is_too_long, shown


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


def refuse_oversized(operations: Iterable[Operation]) -> None:
    """Raises `ChangeRefused` for values that are too long, also where parts that were not have made them so."""
    for operation in operations:
        new = operation.record if isinstance(operation, Create) else getattr(operation, "new", {})
        for field, value in new.items():
            if is_too_long(value):
                message = _("{field} of {item} would be longer than {most} characters.")
                raise ChangeRefused(message.format(field=field, item=shown(str(operation.item)), most=MAX_JSON_CHARS))
