"""Reads the JSON of requests and frames, and says where something is that PostgreSQL or a model could not take."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from graphs.site.json_values import ESCAPED_UNSTORABLE, MAX_DEPTH, UNSTORABLE, shown
from graphs.site.json_walk import deeper_than, steps, walk

#: What Python says of a text that is not JSON.
REASONS = (
    gettext_noop("Expecting value"),
    gettext_noop("Expecting property name enclosed in double quotes"),
    gettext_noop("Expecting ':' delimiter"),
    gettext_noop("Expecting ',' delimiter"),
    gettext_noop("Extra data"),
    gettext_noop("Unterminated string starting at"),
    gettext_noop("Invalid control character at"),
    gettext_noop("Invalid \\escape"),
    gettext_noop("Invalid \\uXXXX escape"),
    gettext_noop("Illegal trailing comma before end of object"),
    gettext_noop("Illegal trailing comma before end of array"),
)
#: Of what Python may say otherwise in another version.
_UNKNOWN = gettext_noop("It cannot be read")

MOST_DIGITS = 300
#: So many digits in a row; each row is looked at once.
_LONG = re.compile(rf"(?<![0-9])[0-9]{{{MOST_DIGITS}}}")


class BadJSON(ValueError):
    """The JSON cannot be used; `message` is for the person who sent it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def parse_json(data: bytes | str) -> Any:
    """The value of JSON in UTF-8. Raises `BadJSON`, also for NaN, too big numbers, NUL, a key twice, and 100 levels."""
    text = _decoded(data) if isinstance(data, bytes) else _clean(data)
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_number, parse_float=_number, parse_int=_reader(text)
        )
    except json.JSONDecodeError as error:
        place = {"line": error.lineno, "column": error.colno, "reason": reason(error)}
        raise BadJSON(_("This is not JSON: line %(line)s, column %(column)s: %(reason)s.") % place) from error
    except RecursionError as error:
        raise BadJSON(_too_deep()) from error
    if text.count("[") + text.count("{") > MAX_DEPTH and deeper_than(MAX_DEPTH, value):
        raise BadJSON(_too_deep())
    if ESCAPED_UNSTORABLE.search(text):
        _check_texts(value)
    return value


def reason(error: json.JSONDecodeError) -> str:
    """Why a text is not JSON, in the language of who asked."""
    said = next((said for said in REASONS if error.msg.startswith(said)), "")
    return _(said or _UNKNOWN)


def _decoded(data: bytes) -> str:
    try:
        return _clean(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadJSON(
            _("Line %(line)s is not UTF-8. Save the text with the encoding UTF-8.") % {"line": line}
        ) from error


def _clean(text: str) -> str:
    found = UNSTORABLE.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise BadJSON(_("Line %(line)s holds a character that is not allowed (NUL or half a pair).") % {"line": line})
    return text


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    twice = Counter(key for key, _value in pairs).most_common(1)[0][0]
    raise BadJSON(_("The key “%(key)s” stands twice in one object.") % {"key": shown(twice)})


def _refuse_number(text: str) -> NoReturn:
    raise BadJSON(_("%(number)s is not a number that JSON knows.") % {"number": text})


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadJSON(_("The number %(number)s is too big.") % {"number": text[:40]})
    return number


def _reader(text: str) -> Callable[[str], int]:
    """What reads the whole numbers of a JSON text: Python's own, which is ten times faster, unless one may be long."""
    return _integer if _LONG.search(text) else int


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise BadJSON(_("The number %(number)s is too big.") % {"number": text[:40] + "…"})
    return int(text)


def _check_texts(value: Any) -> None:
    """Raises `BadJSON` for a text that cannot be stored."""
    for trail, item in walk(value):
        texts = [item] if isinstance(item, str) else item if isinstance(item, dict) else ()
        if any(UNSTORABLE.search(text) for text in texts):
            where = shown(".".join(map(str, steps(trail))) or _("the text"))
            raise BadJSON(_("%(where)s holds a character that is not allowed (NUL or half a pair).") % {"where": where})


def _too_deep() -> str:
    return _("Objects and lists are nested deeper than %(depth)s levels.") % {"depth": MAX_DEPTH}
