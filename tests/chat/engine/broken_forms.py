"""Replies of a model that are no output: what each is, what the model is told of it, and what is kept of it."""

import json
from dataclasses import dataclass
from typing import Any

from graphs.records import limits
from tests.chat.engine.generating import EMPTY_DETAIL, form, found
from tests.vendors import Script, ScriptedCall

FORM = "write_use_case_detail"
GAIN, DATA = ({"axisId": axis, "rating": 3, "description": "By the name."} for axis in ("gain", "data"))
FILLED: dict[str, Any] = EMPTY_DETAIL | {"solution": "A plan.", "valueScores": [GAIN], "complexityScores": [DATA]}
WRITTEN = json.dumps(FILLED)


@dataclass(frozen=True)
class Way:
    """`said` is in what the model is told, `kept` in what is kept."""

    name: str
    script: Script
    said: str
    kept: str
    prompt: str = "use_case_detail"


def _calls(name: str, said: str, kept: str, *calls: ScriptedCall, **more: Any) -> Way:
    return Way(name, Script(tool_calls=calls, **more), said, kept)


def _raw(name: str, said: str, text: str, **more: Any) -> Way:
    """The arguments as this text."""
    return _calls(name, said, text, ScriptedCall(FORM, text), **more)


def _with(name: str, said: str, **fields: Any) -> Way:
    """All that is wanted, but for these fields."""
    kept = json.dumps(next(iter(fields.values())), ensure_ascii=False)[:20]
    return _calls(name, said, kept, form("use_case_detail", **FILLED | fields))


def _without(name: str, said: str, field: str) -> Way:
    left = {key: value for key, value in FILLED.items() if key != field}
    return _calls(name, said, '"axisId": "gain"', form("use_case_detail", **left))


def _scored(name: str, said: str, *scores: Any) -> Way:
    return _with(name, said, valueScores=list(scores))


def _list(name: str, said: str, kept: str, call: ScriptedCall) -> Way:
    return Way(name, Script(tool_calls=(call,)), said, kept, prompt="use_case_list")


_ONE_CALL, _NO_CALL, _AXES = "once, and nothing beside it", "That was no call of", "rate each axis of that side once"
_JSON = [
    _raw("cut JSON", "not usable JSON", WRITTEN[:60]),
    _raw("cut at the limit", "cut off", WRITTEN[:60], finish="length"),
    _raw("prose as arguments", "not usable JSON", "I would say: a plan."),
    _raw("an array at the top", "must be a JSON object", f"[{WRITTEN}]"),
    _raw("a text at the top", "must be a JSON object", '"A plan."'),
    _raw("null at the top", "must be a JSON object", "null"),
    _raw("empty arguments", "reason", ""),
    _raw("an empty object", "reason", "{}"),
    _raw("two objects, one behind the other", "not usable JSON", WRITTEN + WRITTEN),
    _raw("a key twice", "stands twice", WRITTEN[:-1] + ', "solution": "Another."}'),
    _raw("NaN", "NaN", WRITTEN.replace(": 3", ": NaN", 1)),
    _raw("an infinite number", "Infinity", WRITTEN.replace(": 3", ": -Infinity", 1)),
    _raw("a huge number", "too big", WRITTEN.replace(": 3", ": 1e999", 1)),
    _raw("a number of many digits", "too big", WRITTEN.replace(": 3", ": " + "9" * 500, 1)),
    _raw("nested without end", "nested deeper", WRITTEN.replace("[]", "[" * 300 + "]" * 300, 1)),
    _raw("NUL", "NUL", WRITTEN.replace("A plan.", "A\\u0000plan.")),
    _raw("half a surrogate pair", "half a pair", WRITTEN.replace("A plan.", "A \\ud800 plan.")),
]
_FIELDS = [
    _without("a field is missing", "solution", "solution"),
    _without("no reason", "reason", "reason"),
    _with("an empty reason", "reason", reason=""),
    _with("a field too many", "owner", owner="Alice"),
    _with("a name in another spelling", "next_steps", next_steps=["Ask."]),
    _with("a number for a text", "solution", solution=7),
    _with("a text for a list", "benefits", benefits="Fewer errors."),
    _with("null for a text", "solution", solution=None),
    _with("an object for a text", "solution", solution={"text": "A plan."}),
    _with("junk in a list", "benefits", benefits=[{"a": [[], {}]}, None, 1]),
    _with("a text too long", "solution", solution="a" * (limits.TEXT_CHARS + 1)),
    _with("too many texts", "benefits", benefits=["Fewer errors."] * (limits.TEXTS + 1)),
]
_SCORES = [
    _scored("a rating as a text", "rating", GAIN | {"rating": "3"}),
    _scored("a rating as yes", "rating", GAIN | {"rating": True}),
    _scored("half a rating", "rating", GAIN | {"rating": 3.5}),
    _scored("a rating too high", "rating", GAIN | {"rating": 6}),
    _scored("a rating of 0", "rating", GAIN | {"rating": 0}),
    _scored("a rating without its reason", "description", GAIN | {"description": ""}),
    _scored("no axis", _AXES),
    _scored("an axis twice", _AXES, GAIN, GAIN),
    _scored("an axis that there is not", _AXES, GAIN | {"axisId": "gian"}),
    _scored("an axis by its name", _AXES, GAIN | {"axisId": "Gain"}),
    _scored("an axis of the other side", _AXES, GAIN, DATA),
]
_CALLS = [
    _calls("two calls", _ONE_CALL, "A plan.", *2 * [form("use_case_detail", **FILLED)]),
    _calls(
        "a call beside it", _ONE_CALL, "A plan.", ScriptedCall("read_object", {}), form("use_case_detail", **FILLED)
    ),
    _calls("another form", "no tool called", "A name", form("folder_name", reason="So.", name="A name")),
    _calls("a tool of conversations", "no tool called", "x", ScriptedCall("propose_update_object", {"object": "x"})),
    Way("a text instead of a call", Script(text="I would rather chat."), _NO_CALL, "I would rather chat."),
    Way("JSON as a text", Script(text=f"```json\n{WRITTEN}\n```"), _NO_CALL, "A plan."),
    Way("only thoughts", Script(reasoning="Let me see.", text=" "), _NO_CALL, ""),
]
_LISTS = [
    _list("no use case", "useCases", "What fits.", found()),
    _list("more than were asked for", "at most 3", "Four", found("One", "Two", "Three", "Four")),
    _list("more than there may be", "useCases", "Dock 26", found(*(f"Dock {n}" for n in range(1, 27)))),
    _list("one name twice", "have one name", "Docks", found("Docks", " docks ")),
    _list("a name of spaces", "name", "What fits.", found("   ")),
]
WAYS = [*_JSON, *_FIELDS, *_SCORES, *_CALLS, *_LISTS]
