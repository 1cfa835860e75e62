"""What is wrong with a field, as a sentence for people in place of pydantic's, which is English and names classes."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import ValidationError
from pydantic_core import ErrorDetails

Steps = tuple[str | int, ...]

#: Texts of a form, by the pattern that says it.
VISIBLE = r"^[^\s{}\p{Cc}\p{Cf}]+$"
ASCII = r"^[\x21-\x7e]+$"
POINTER = "^/"
TYPE_AND_ID = "^[^:]+:.+$"
_OF_PATTERNS: dict[str, Callable[[], str]] = {
    VISIBLE: lambda: _("This may hold no spaces, braces or invisible characters."),
    ASCII: lambda: _("This may hold only visible characters of ASCII."),
    POINTER: lambda: _("This must begin with “/”."),
    TYPE_AND_ID: lambda: _("This must be “type:id”."),
}

_SENTENCES: dict[str, Callable[[], str]] = {
    "missing": lambda: _("This field is missing."),
    "extra_forbidden": lambda: _("This field is not known here."),
    "string_type": lambda: _("This must be a text."),
    "string_unicode": lambda: _("The text contains a NUL character or half of a surrogate pair."),
    "string_too_short": lambda: _("This must not be empty."),
    "string_too_long": lambda: _("This is longer than {max_length} characters."),
    "bool_type": lambda: _("This must be true or false."),
    "float_type": lambda: _("This must be a number."),
    "int_type": lambda: _("This must be a whole number."),
    "greater_than": lambda: _("This must be more than {gt}."),
    "greater_than_equal": lambda: _("This must be at least {ge}."),
    "less_than": lambda: _("This must be less than {lt}."),
    "less_than_equal": lambda: _("This must be at most {le}."),
    "finite_number": lambda: _("This must be a finite number."),
    "dict_type": lambda: _("This must be an object."),
    "model_type": lambda: _("This must be an object."),
    "list_type": lambda: _("This must be a list."),
    "literal_error": lambda: _("This must be one of: {expected}."),
    "union_tag_invalid": lambda: _("The type must be one of: {expected_tags}."),
    "union_tag_not_found": lambda: _("This must have a type."),
    "too_short": lambda: _("This list is too short."),
    "too_long": lambda: _("This list has more than {max_length} entries."),
}


class WrongWithin(ValueError):
    """What a validator raises where one of its fields holds what pydantic refused: its text is for models."""

    def __init__(self, text: str, field: str, error: ValidationError) -> None:
        super().__init__(text)
        self.field = field
        self.error = error


def wrong_fields(error: ValidationError) -> Iterator[tuple[Steps, str]]:
    """The way to each wrong field, and what is wrong with it in the language of who asked."""
    for detail in error.errors(include_url=False, include_input=False):
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, WrongWithin):
            yield from (((*detail["loc"], cause.field, *steps), said) for steps, said in wrong_fields(cause.error))
        else:
            yield detail["loc"], sentence(detail)


def sentence(detail: ErrorDetails) -> str:
    """What is wrong, in the language of who asked."""
    context = detail.get("ctx", {})
    if detail["type"] == "value_error":  # raised by a validator of ours, translated there
        said = str(context["error"])
        return f"{said[:1].upper()}{said[1:]}."
    if detail["type"] == "string_pattern_mismatch" and context["pattern"] in _OF_PATTERNS:
        return _OF_PATTERNS[context["pattern"]]()
    if detail["type"] not in _SENTENCES:
        return _("This value does not fit here.")
    return _SENTENCES[detail["type"]]().format(**{name: _shown(value) for name, value in context.items()})


def _shown(value: Any) -> str:
    """A limit as numbers are written, without the decimals of pydantic, or names without its English "or"."""
    return intcomma(round(value)) if isinstance(value, int | float) else re.sub(r" or (?=')", ", ", str(value))
