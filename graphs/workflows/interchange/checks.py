"""Checks of values against pydantic types, with sentences that name the place. Called by the readers."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from graphs.site.json_values import shown
from graphs.workflows.interchange.base import Problems, path

Checked = TypeVar("Checked")

#: One value with more mistakes than this is described by one sentence.
MAX_ERRORS_OF_ONE_VALUE = 100


def checked(
    adapter: TypeAdapter[Checked], value: Any, steps: tuple[str | int, ...], problems: Problems
) -> Checked | None:
    """The value as its type, or None after telling `problems` what is wrong with it."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        name = _name(value) if steps else ""
        if error.error_count() > MAX_ERRORS_OF_ONE_VALUE:
            message = _("{count} mistakes; the first ones would not help.").format(count=error.error_count())
            problems.add(path(steps) + name, message)
            return None
        for detail in error.errors(include_url=False, include_input=False):
            problems.add(path((*steps, *_plain(detail["loc"]))) + name, _sentence(detail))
        return None


def _name(value: Any) -> str:
    """The name that a reader of the file would look for, in brackets."""
    name = (value.get("name") or value.get("key")) if isinstance(value, dict) else None
    return f' ("{shown(name)}")' if isinstance(name, str) and name else ""


def _plain(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The location without the marks that pydantic adds for keys of dictionaries and members of unions."""
    return tuple(step for step in location if not (isinstance(step, str) and step == "[key]"))


_SENTENCES: dict[str, Callable[[], str]] = {
    "missing": lambda: _("This field is missing."),
    "extra_forbidden": lambda: _("This field is not known here."),
    "string_type": lambda: _("This must be a text."),
    "string_too_short": lambda: _("This must not be empty."),
    "string_too_long": lambda: _("This is longer than {max_length} characters."),
    "string_pattern_mismatch": lambda: _("This may hold no spaces, braces or invisible characters."),
    "float_type": lambda: _("This must be a number."),
    "int_type": lambda: _("This must be a whole number."),
    "greater_than_equal": lambda: _("This must be at least {ge}."),
    "less_than_equal": lambda: _("This must be at most {le}."),
    "finite_number": lambda: _("This must be a finite number."),
    "dict_type": lambda: _("This must be an object."),
    "model_type": lambda: _("This must be an object."),
    "list_type": lambda: _("This must be a list."),
    "literal_error": lambda: _("This must be {expected}."),
    "too_short": lambda: _("This list is too short."),
    "too_long": lambda: _("This list is too long."),
}


def _sentence(detail: ErrorDetails) -> str:
    sentence = _SENTENCES.get(detail["type"])
    context = {
        name: f"{value:.0f}" if isinstance(value, float) else value for name, value in detail.get("ctx", {}).items()
    }
    return sentence().format(**context) if sentence else detail["msg"]
