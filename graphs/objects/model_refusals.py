"""What a model, Django or the database refuses, as sentences for people; what they said themselves is in the log."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import DataError, IntegrityError
from django.db.models import Model, ProtectedError, RestrictedError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from graphs.objects.actions import ChangeRefused, some
from graphs.objects.kinds import Kind

log = logging.getLogger("countersign.objects")

#: Kinds of models that are named where their rows are in the way.
NAMED_MODELS = 5
#: How Django's own sentences begin and end, which it does not translate.
_DJANGO_PROTECTS = "Cannot delete some instances of model"
_DJANGO_FOUND_NONE = "matching query does not exist."
#: By what PostgreSQL calls each case. What it says of these names no value of a row.
_REASONS = {
    "22001": gettext_noop("A text is longer than it takes."),
    "22003": gettext_noop("A number is larger than it takes."),
    "23502": gettext_noop("a value is missing that the database needs."),
    "23503": gettext_noop("What this leads to is not there, or is still named by others."),
    "23505": gettext_noop("Another one has the same already."),
    "23514": gettext_noop("A rule of the database is not kept."),
    "23P01": gettext_noop("Another one is in the way."),
}


@contextmanager
def refusals_of(kind: Kind) -> Iterator[None]:
    """Makes of what the model refuses a `ChangeRefused`, which names fields as the wire does."""
    try:
        yield
    except ValidationError as error:
        raise ChangeRefused(*_validation(kind, error)) from error
    except ProtectedError as error:
        raise ChangeRefused(_still_used(str(error.args[0]), error.protected_objects)) from error
    except RestrictedError as error:
        raise ChangeRefused(_still_used(str(error.args[0]), error.restricted_objects)) from error
    except ObjectDoesNotExist as error:
        log.warning("A change of a %s is refused: %s", kind.name, error)
        is_django = str(error).endswith(_DJANGO_FOUND_NONE)
        raise ChangeRefused(_("Something that this leads to is not there.") if is_django else str(error)) from error
    except (IntegrityError, DataError) as error:
        raise ChangeRefused(_("The database refuses this: {reason}").format(reason=_reason(kind, error))) from error


def _names(kind: Kind) -> dict[str, str]:
    """What stands before a sentence about a column."""
    return {field.column: f"{field.name}: " for field in kind.fields if not field.inside} | {"__all__": "", "": ""}


def _validation(kind: Kind, error: ValidationError) -> Iterator[str]:
    names = _names(kind)
    problems = getattr(error, "error_dict", None) or {"": [error]}
    for name, found in problems.items():
        for each in found:
            for text in each.messages:
                yield names.get(name, f"{name}: ") + text + _choices(kind, name, each)


def _choices(kind: Kind, name: str, error: ValidationError) -> str:
    """What may be chosen of a column, where a value was none of it; else ""."""
    column = next((each for each in kind.model._meta.concrete_fields if each.name == name), None)
    if getattr(error, "code", "") != "invalid_choice" or column is None or not column.choices:
        return ""
    reserved = {value for field in kind.fields if field.column == name for value in field.reserved}
    values = [str(value) for value, _label in column.flatchoices if value not in reserved]
    return " " + _("Choose one of these: {choices}.").format(choices=some(values))


def _still_used(said: str, rows: Iterable[Model]) -> str:
    """What protects rows from being deleted; what an application says of its own is told as it is."""
    if not said.startswith(_DJANGO_PROTECTS):
        return said
    users = sorted({str(row._meta.verbose_name_plural) for row in rows})
    message = _("It stays: {users} still belong to it. Change or delete these first.")
    return message.format(users=some(users, NAMED_MODELS))


def _reason(kind: Kind, error: Exception) -> str:
    """Why the database refuses it. Details of its own have values of rows, and of columns that nobody is shown."""
    diagnostics = getattr(error.__cause__, "diag", None)
    state = getattr(diagnostics, "sqlstate", None) or ""
    said = _REASONS.get(state)
    column = getattr(diagnostics, "column_name", None) or ""
    constraint = getattr(diagnostics, "constraint_name", None) or "-"
    log.warning(
        "The database refuses a change of a %s: %s (%s), column %s, constraint %s",
        *(kind.name, diagnostics.message_primary if said and diagnostics else type(error).__name__, state),
        *(column or "-", constraint),
    )
    if said is None:
        return _("The log says why.")
    return (_names(kind).get(column, f"{column}: ") if column else "") + _(said)
