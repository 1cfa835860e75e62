"""The JSON Schema of a tool's arguments as vendors like it: inlined, no titles, no null, and short. Used by `subjects`.

It goes along with every request, so it leaves out bounds far from what a model would write; they are checked anyway.
"""

from typing import Any

from chat.tools.base import Arguments

_LENGTHS = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
#: Bounds beyond this say nothing about what is meant.
FAR = 1_000
#: So many lists of one and the same shape are told once.
ALIKE = 3


def parameters(arguments: type[Arguments]) -> dict[str, Any]:
    """An object schema with `additionalProperties: false`; optional arguments are left out, never null."""
    schema = arguments.model_json_schema(by_alias=True)
    plain = _inlined(schema, schema.get("$defs", {}))
    return {"type": "object", "properties": {}} | plain


def _inlined(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    without_null = _without_null(schema)
    if "$ref" in without_null:
        beside = {name: part for name, part in without_null.items() if name != "$ref"}
        return _inlined(definitions[without_null["$ref"].rpartition("/")[2]] | beside, definitions)
    plain = {
        name: {key: _inlined(value, definitions) for key, value in part.items()}
        if name == "properties"
        else _inlined(part, definitions)
        for name, part in without_null.items()
        if _is_told(name, part)
    }
    return _told_once(plain)


def _is_told(name: str, part: Any) -> bool:
    if name in _BOUNDS:
        return bool(-FAR < part < FAR)
    return name not in {"title", "$defs", *_LENGTHS} and (name, part) != ("additionalProperties", True)


def _told_once(schema: dict[str, Any]) -> dict[str, Any]:
    """Optional lists of the same: `{R: [X], L: [X], T: [X], B: [X]}` -> keys R, L, T, B, each [X]."""
    properties = schema.get("properties", {})
    shapes = list(properties.values())
    alike = len(shapes) >= ALIKE and all(shape == shapes[0] and "items" in shape for shape in shapes)
    if not alike or "required" in schema:
        return schema
    named = f"{schema.get('description', '')} Keys: {', '.join(properties)}.".strip()
    return {"type": "object", "description": named, "additionalProperties": shapes[0]}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """`{"anyOf": [X, {"type": "null"}], "default": None}` -> X."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) != 1:
        return schema
    rest = {name: part for name, part in schema.items() if name != "anyOf" and (name, part) != ("default", None)}
    return rest | choices[0]
