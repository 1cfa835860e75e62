"""What JSON the database keeps, and texts and values from outside as it gives them back. For every way in."""

import json
import math
import re
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

#: What PostgreSQL refuses in a text: NUL and half a surrogate pair.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
#: JSON in which some text may be such a one.
ESCAPED_UNSTORABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
#: Levels of lists and objects.
MAX_DEPTH = 100
#: PostgreSQL and Python store longer integers, but no reader of JSON expects them.
MAX_DIGITS = 400
#: From here on Python writes floats with an exponent, which jsonb does not keep.
EXPONENT_FROM = 1e16
#: Characters that one value may take, a text or JSON.
MAX_JSON_CHARS = 1_000_000


def shown(text: str) -> str:
    """A text from outside as it may stand in a message: short, and without characters that would not be seen."""
    short = text if len(text) <= 60 else text[:57] + "…"
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in short)


def storable_text(text: str) -> str:
    """The text. Raises `ValueError` for one that PostgreSQL refuses."""
    if UNSTORABLE.search(text):
        raise ValueError(_("a NUL character or half of a surrogate pair cannot be stored"))
    return text


def storable_object(value: dict[str, Any]) -> dict[str, Any]:
    """The object with its numbers as jsonb keeps them. Raises `ValueError` for what it could not keep."""
    stored: dict[str, Any] = _storable(value, MAX_DEPTH)
    if is_too_long(stored):
        raise ValueError(_("this is longer than {most} characters").format(most=intcomma(MAX_JSON_CHARS)))
    return stored


def is_too_long(value: Any) -> bool:
    """Whether a value takes more characters than are stored of one."""
    if isinstance(value, str):
        return len(value) > MAX_JSON_CHARS
    return isinstance(value, dict | list) and len(json.dumps(value, ensure_ascii=False)) > MAX_JSON_CHARS


def _storable(value: Any, levels: int) -> Any:
    match value:
        case None | bool():
            return value
        case str():
            return storable_text(value)
        case int() | float():
            return _storable_number(value)
        case dict() | list() if levels == 0:
            raise ValueError(_("lists and objects are nested more than {levels} levels deep").format(levels=MAX_DEPTH))
        case list():
            return [_storable(item, levels - 1) for item in value]
        case dict():
            return {storable_text(key): _storable(item, levels - 1) for key, item in value.items()}
    raise ValueError(_("this is not JSON"))


def _storable_number(number: float) -> float:
    """The number as jsonb keeps it, which has neither exponents nor a negative zero."""
    if isinstance(number, int):
        if abs(number) >= 10**MAX_DIGITS:
            raise ValueError(
                _("a number of more than {most} digits cannot be stored").format(most=intcomma(MAX_DIGITS))
            )
        return number
    if not math.isfinite(number):
        raise ValueError(_("numbers must be finite"))
    return int(number) if abs(number) >= EXPONENT_FROM else number or 0.0


def with_whole_numbers(value: Any) -> Any:
    """A JSON value in which 3.0 is 3, as it is to JSON and as browsers write it."""
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case list():
            return [with_whole_numbers(item) for item in value]
        case dict():
            return {key: with_whole_numbers(item) for key, item in value.items()}
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; unlike to Python, `true` is not 1 to JSON."""
    if one is other:
        return True
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
