"""Values of fields as texts of cells, and back: what one writes the other reads as the same value."""

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.utils.functional import Promise
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from graphs.objects.kinds import Field, Kind
from graphs.site.json_input import BadJSON, parse_json
from graphs.site.json_values import same, storable_object

_Choices = Sequence[tuple[Any, str | Promise]]
_BULLET = re.compile(r"[-*•]\s+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_SPACES = re.compile("[ \u00a0\u202f]")
_TRUE = {"true", "yes", "1", "vrai", "oui"}
_FALSE = {"false", "no", "0", "faux", "non"}


class NoValue(Exception):
    """The text is no value of the field; its own text says why."""


def text_of(kind: Kind, field: Field, value: Any) -> str:
    """The value as the text of a cell; nothing is an empty one."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        is_told = field.form != "json" or (value.strip() and same(_json_of(kind, field, value), value))
        return value if is_told else json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def value_of(kind: Kind, field: Field, text: str, now: Any, *, decimal_comma: bool = False) -> Any:
    """The value that a cell gives to a field which has another one `now`, None where that is a new object's.

    Raises `NoValue`.
    """
    if text == text_of(kind, field, now):
        return now
    if not text.strip():
        return _nothing(kind, field, text, now)
    if choices := _choices(kind, field):
        return _chosen(field, choices, text)
    match field.form:
        case "number":
            return _number(text, now, decimal_comma=decimal_comma)
        case "boolean":
            return _boolean(text)
        case "json":
            lines = isinstance(now, list) and not text.lstrip().startswith(("[", "{"))
            return _lines(text) if lines else _json_of(kind, field, text)
    return text


def is_text(field: Field, text: str) -> bool:
    """Whether the text of a cell is none of a number or a truth value, which no spreadsheet works out."""
    return field.form not in ("number", "boolean") or not (_NUMBER.fullmatch(text) or text in ("true", "false", ""))


def _nothing(kind: Kind, field: Field, text: str, now: Any) -> Any:
    """What an empty cell means: what a field has that nothing stands in."""
    if now is None or now == "":
        return text if text and field.form not in ("json", "number", "boolean") else now
    column: Any = kind.model._meta.get_field(field.column)
    if field.inside or column.null:
        return None
    if field.form == "json":
        return column.get_default()
    return text


def _choices(kind: Kind, field: Field) -> _Choices:
    """The values that a column is limited to, with their labels; none where it has no such limit."""
    column: Any = kind.model._meta.get_field(field.column)
    if field.inside or field.form not in ("text", "number"):
        return []
    return [(value, label) for value, label in column.flatchoices or () if value not in (None, "")]


def _chosen(field: Field, choices: _Choices, text: str) -> Any:
    """The choice that a text names: by itself, or by its label in the reader's language or English, case aside."""
    wanted = text.strip()
    for value, _label in choices:
        if str(value) == wanted:
            return value
    found = _without_case(choices).get(wanted.casefold())
    if found is None:
        names = ", ".join(_named(value, str(label)) for value, label in choices if value not in field.reserved)
        raise NoValue(_("This is none of: {choices}.").format(choices=names))
    return found


def _without_case(choices: _Choices) -> dict[str, Any]:
    """The choices by what names them; values go before labels, the reader's language before English."""
    named = {str(value).casefold(): value for value, _label in reversed(choices)}
    for language in (get_language() or "en", "en"):
        with override(language):
            for value, label in choices:
                named.setdefault(str(label).strip().casefold(), value)
    return named


def _named(value: Any, label: str) -> str:
    """A choice as people read it, and as files have it if that is another word."""
    return label if label.casefold() == str(value).casefold() else f"{label} ({value})"


def _number(text: str, now: Any, *, decimal_comma: bool) -> Any:
    """The number as the column reads it; what is there `now` if that is the same, however it is written."""
    plain = _SPACES.sub("", text)
    if decimal_comma and _COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        raise NoValue(_("This is no number."))
    return now if now is not None and Decimal(str(now)) == Decimal(plain) else plain


def _boolean(text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise NoValue(_("This is neither “true” nor “false”."))


def _json_of(kind: Kind, field: Field, text: str) -> Any:
    """The JSON that a text says: a list, an object or a quoted text, a list of lines, or what it is.

    Several lines are a list where they all begin as in one, and in a field of texts.
    """
    column = kind.model._meta.get_field(field.column)
    if isinstance(column, ArrayField) and not text.lstrip().startswith("["):
        return _lines(text)
    lines = text.splitlines()
    if text[:1] in ("[", "{", '"') or (field.limit is None and len(lines) == 1):
        try:
            value = storable_object({"value": parse_json(text.encode())})["value"]
        except BadJSON:
            pass
        except ValueError as error:
            raise NoValue(str(error)) from error
        else:
            return [text.strip()] if field.texts and isinstance(value, int | float) else value
    filled = [line for line in lines if line.strip()]
    if all(_BULLET.match(line) for line in filled) or (field.texts and len(filled) > 1):
        return _lines(text)
    return text


def _lines(text: str) -> list[str]:
    """One item of each line, without what stands before it in a list."""
    return [_BULLET.sub("", line, count=1).strip() for line in text.splitlines() if line.strip()]
