"""Values of fields in words: neither JSON nor names of the program."""

import json
import re
from collections.abc import Mapping
from typing import Any

from chat.providers.demo.naming import NAMES, called, field_called
from chat.providers.demo.sentences import MAX_CHARS, Phrases, plain

#: A part of JSON that was cut out of its middle.
_SCRAP = re.compile(r'\A…[\w.\[\]]+: |"\s*[:,\]}]|[\[{]\s*"')
_JSON = json.JSONDecoder()
Names = Mapping[str, str]


def told(value: Any, say: Phrases, field: str = "", axes: Names | None = None, most: int = MAX_CHARS) -> str:
    """The value of a field in words, on one line. `axes` are the names of axes by their ids."""
    last, names = field.rpartition(".")[2], axes or {}
    match value:
        case _ if value in (None, "", [], {}):
            return "–"
        case bool():
            return say("yes" if value else "no")
        case str() if last == "status" and value in NAMES["statuses"]:
            return called("statuses", value, say.language)
        case str() if value[:2] in ('["', "[{", '{"') and value.endswith("…"):
            begun = [*_whole_entries(value)]
            return f"{told(begun, say, field, names, most)} …" if begun else say("long_value")
        case list() | dict():
            return _shortened(say("between").join(_entries(value, say, names)), most)
        case _:
            return plain(value, most)


def changed(old: Any, new: Any, say: Phrases, field: str, axes: Names | None = None) -> str:
    """A field before and after; its name alone where a long value was cut into pieces."""
    name = field_called(field, say.language)
    if _is_scrap(old) or _is_scrap(new):
        return say("otherwise", name=name)
    return say("pair", name=name, value=f"{told(old, say, field, axes)} → {told(new, say, field, axes)}")


def _is_scrap(value: Any) -> bool:
    return isinstance(value, str) and "…" in value and bool(_SCRAP.search(value))


def _entries(value: Any, say: Phrases, axes: Names) -> list[str]:
    if isinstance(value, dict):
        return [say("pair", name=_key(key, say), value=told(each, say, key, axes)) for key, each in value.items()]
    return [_entry(each, say, axes) for each in value]


def _entry(each: Any, say: Phrases, axes: Names) -> str:
    """One of a list: a rating, an axis with its weight, or whatever it is."""
    if not isinstance(each, dict):
        return told(each, say, axes=axes)
    if "axisId" in each:
        name, rating = plain(axes.get(each["axisId"], each["axisId"])), each.get("rating")
        return say("rated", axis=name, rating=rating) if rating else say("not_rated", axis=name)
    if "id" in each and "name" in each:
        return say("weighed", axis=plain(each["name"]), weight=f"{each.get('weight', 1):g}")
    return f"({say('between').join(_entries(each, say, axes))})"


def _key(key: str, say: Phrases) -> str:
    return called("sides", key, say.language) if key in NAMES["sides"] else plain(field_called(key, say.language))


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def _whole_entries(text: str) -> list[Any]:
    """The entries of a list in JSON that was cut, as far as they are whole."""
    found, at = list[Any](), 1
    while text[0] == "[" and at < len(text):
        try:
            value, at = _JSON.raw_decode(text, at)
        except ValueError:
            break
        found.append(value)
        at += len(text[at:]) - len(text[at:].lstrip(", "))
    return found
