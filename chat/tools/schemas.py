"""The JSON Schema of a tool's arguments as vendors like it: inlined, no titles, no null. Used by `registry`."""

from typing import Any

from chat.tools.base import Arguments


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
    return {
        name: {key: _inlined(value, definitions) for key, value in part.items()}
        if name == "properties"
        else _inlined(part, definitions)
        for name, part in without_null.items()
        if name not in {"title", "$defs"}
    }


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """`{"anyOf": [X, {"type": "null"}], "default": None}` -> X."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) != 1:
        return schema
    rest = {name: part for name, part in schema.items() if name != "anyOf" and (name, part) != ("default", None)}
    return rest | choices[0]
