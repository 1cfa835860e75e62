"""Reads bytes as JSON that can be stored: UTF-8, no NUL, no lone surrogates, keys once, finite, not too deep."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from graphs.site.json_input import reason
from graphs.site.json_values import ESCAPED_UNSTORABLE, EXPONENT_FROM, MAX_DEPTH, MAX_DIGITS, UNSTORABLE, shown
from graphs.site.json_walk import deeper_than, steps, walk
from graphs.workflows.interchange.parsed_graph import is_native
from graphs.workflows.interchange.refusals import Problems, path, refuse

#: Levels that the native format puts around the values of a foreign file.
WRAPPING = 3
#: Lists and objects in a file whose size is limited, counted by their brackets; more would cost gigabytes of memory.
MAX_CONTAINERS = 2_000_000

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]|-?Infinity|NaN|-?\d[\d.eE+-]*', re.DOTALL)
_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


class Unacceptable(Exception):
    """Raised with a token that is JSON to Python and not to us, and a sentence that says why."""


def value_of(text: str, *, limited: bool) -> Any:
    """The JSON value of a file's text, floats as jsonb gives them back. Raises `ImportRefused`."""
    if not text.strip():
        raise refuse("", _("The file is empty."))
    if limited and text.count("[") + text.count("{") > MAX_CONTAINERS:
        message = _("The file holds more than {most} lists and objects. Such files need the command.")
        raise refuse("", message.format(most=intcomma(MAX_CONTAINERS)))
    doubled: list[tuple[dict[str, Any], str]] = []
    document = _loaded(text, doubled)
    problems = Problems()
    if deeper_than(MAX_DEPTH + WRAPPING if is_native(document) else MAX_DEPTH, document):
        _refuse_depth(text)
    _report_doubled(document, doubled, problems)
    if ESCAPED_UNSTORABLE.search(text):
        _report_unstorable(document, problems)
    problems.refuse_if_any()
    return document


def decoded(data: bytes, max_bytes: int | None = None) -> str:
    """The text of a file without its mark of UTF-8. Raises `ImportRefused` for a larger one, or another encoding."""
    if max_bytes is not None and len(data) > max_bytes:
        message = _("The file has {size} bytes; at most {most} are read here. Larger files need the command.")
        raise refuse("", message.format(size=intcomma(len(data)), most=intcomma(max_bytes)))
    if data.startswith(_UTF_16_OR_32):
        raise refuse("", _("The file is encoded in UTF-16 or UTF-32. Save it as UTF-8."))
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = _("Byte {offset} (0x{byte:02x}) is not UTF-8. Save the file as UTF-8.")
        raise refuse(_line(line), message.format(offset=error.start, byte=data[error.start])) from None


def _loaded(text: str, doubled: list[tuple[dict[str, Any], str]]) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(items)
        if len(value) < len(items):
            doubled.append((value, Counter(key for key, _value in items).most_common(1)[0][0]))
        return value

    try:
        return decoder(pairs).decode(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()):
            raise refuse(_line(error.lineno, error.colno), _("The file ends before its JSON does.")) from None
        message = _("This is not JSON ({reason}).").format(reason=reason(error))
        raise refuse(_line(error.lineno, error.colno), message) from None
    except Unacceptable as error:
        token, message = error.args
        at = next((match.start() for match in _TOKEN.finditer(text) if match.group() == token), None)
        raise refuse("" if at is None else _where(text, at), message) from None
    except RecursionError:
        _refuse_depth(text)


def decoder(pairs: Callable[[list[tuple[str, Any]]], Any]) -> json.JSONDecoder:
    """A decoder that makes objects by `pairs`, and raises `Unacceptable` for what is no number to us."""
    return json.JSONDecoder(object_pairs_hook=pairs, parse_float=_float, parse_int=_int, parse_constant=_constant)


def _float(token: str) -> float | int:
    value = float(token)
    if math.isinf(value):
        raise Unacceptable(token, _("The number {number} is too large.").format(number=shown(token)))
    if abs(value) >= EXPONENT_FROM:
        return int(value)
    return value or 0.0


def _int(token: str) -> int:
    if len(token) > MAX_DIGITS:
        message = _("A number of {digits} digits is too large.").format(digits=len(token))
        raise Unacceptable(token, message)
    return int(token)


def _constant(token: str) -> NoReturn:
    raise Unacceptable(token, _("{token} is not a JSON number.").format(token=token))


def _line(line: int, column: int | None = None) -> str:
    if column is None:
        return _("line {line}").format(line=line)
    return _("line {line}, column {column}").format(line=line, column=column)


def _where(text: str, position: int) -> str:
    line_start = text.rfind("\n", 0, position) + 1
    return _line(text.count("\n", 0, position) + 1, position - line_start + 1)


def _refuse_depth(text: str) -> NoReturn:
    depth = 0
    for match in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match.group(), 0)
        if depth > MAX_DEPTH:
            message = _("Lists and objects are nested more than {levels} levels deep.").format(levels=MAX_DEPTH)
            raise refuse(_where(text, match.start()), message)
    raise AssertionError("called only for documents nested too deeply")


def _report_doubled(document: Any, doubled: list[tuple[dict[str, Any], str]], problems: Problems) -> None:
    if not doubled:
        return
    keys = {id(value): key for value, key in doubled}
    for trail, value in walk(document):
        if id(value) in keys:
            problems.add(path(steps(trail)), _doubled_message(keys[id(value)]))
    if not problems.found:  # It stood in a value that the second key replaced.
        problems.add("", _doubled_message(doubled[0][1]))


def _doubled_message(key: str) -> str:
    return _('The key "{key}" occurs twice in one object.').format(key=shown(key))


def _report_unstorable(document: Any, problems: Problems) -> None:
    for trail, value in walk(document):
        if isinstance(value, str) and UNSTORABLE.search(value):
            problems.add(path(steps(trail)), _("The text contains a NUL character or half of a surrogate pair."))
        elif isinstance(value, dict) and any(UNSTORABLE.search(key) for key in value):
            problems.add(path(steps(trail)), _("A key contains a NUL character or half of a surrogate pair."))
