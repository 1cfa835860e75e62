"""The JSON Schemas of tools as vendors like them: inlined, no titles, no null, and short. Used by `subjects`.

They go along with every request. So they leave out bounds far from what a model would write, which are checked anyway,
and say once what several tools take: later ones are not described again, or name the first that has such parts.
"""

import json
from collections.abc import Iterable
from typing import Any

from chat.tools.tool import Tool

_NEVER = frozenset({"title", "$defs", "minLength", "maxLength", "minItems", "maxItems"})
_LOWER = frozenset({"minimum", "exclusiveMinimum"})
_UPPER = frozenset({"maximum", "exclusiveMaximum"})
#: Bounds beyond this say nothing about what is meant.
FAR = 1_000
#: So many lists of one and the same shape are described_by once.
ALIKE = 3

Schema = dict[str, Any]


def parameters(tools: Iterable[Tool[Any]]) -> list[Schema]:
    """The object schema of each tool: `additionalProperties: false`, and optional arguments left out, never null."""
    described_by: dict[str, str] = {}
    found = []
    for tool in tools:
        schema = tool.arguments.model_json_schema(by_alias=True)
        plain = {"type": "object", "properties": {}} | _inlined(schema, schema.get("$defs", {}))
        found.append(_without_repeats(plain, tool.name, described_by) | {"additionalProperties": False})
    return found


def _inlined(schema: Any, definitions: Schema) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    without_null = _without_null(schema)
    if "$ref" in without_null:
        beside = {name: part for name, part in without_null.items() if name != "$ref"}
        defined = definitions[without_null["$ref"].rpartition("/")[2]]
        # What a class says of itself is for who reads the program.
        return _inlined({name: part for name, part in defined.items() if name != "description"} | beside, definitions)
    plain = {
        name: {key: _inlined(value, definitions) for key, value in part.items()}
        if name == "properties"
        else _inlined(part, definitions)
        for name, part in without_null.items()
        if _is_told(name, part, without_null)
    }
    return _sides(plain)


def _is_told(name: str, part: Any, schema: Schema) -> bool:
    if name in _LOWER:  # what is counted begins there anyway
        return part > -FAR and (part not in (0, 1) or schema.get("maximum", FAR) < FAR)
    if name in _UPPER:
        return bool(part < FAR)
    if name == "default":
        return bool(part)
    return name not in _NEVER and not (name == "additionalProperties" and isinstance(part, bool))


def _sides(schema: Schema) -> Schema:
    """Optional lists of the same: `{R: [X], L: [X], T: [X], B: [X]}` -> keys R, L, T, B, each [X]."""
    properties = schema.get("properties", {})
    shapes = list(properties.values())
    alike = len(shapes) >= ALIKE and all(shape == shapes[0] and "items" in shape for shape in shapes)
    if not alike or "required" in schema:
        return schema
    named = f"{schema.get('description', '')} Keys: {', '.join(properties)}.".strip()
    return {"type": "object", "description": named, "additionalProperties": shapes[0]}


def _without_null(schema: Schema) -> Schema:
    """`{"anyOf": [X, {"type": "null"}], "default": None}` -> X."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) != 1:
        return schema
    rest = {name: part for name, part in schema.items() if name != "anyOf" and (name, part) != ("default", None)}
    return choices[0] | rest


def _without_repeats(schema: Schema, tool: str, described_by: dict[str, str]) -> Schema:
    """The schema without what an earlier tool tells: descriptions of arguments, and lists of objects by its name."""
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {
            name: _argument(name, part, tool, described_by) for name, part in schema["properties"].items()
        }
    for parts in ("items", "additionalProperties"):
        if isinstance(schema.get(parts), dict):
            found[parts] = _without_repeats(schema[parts], tool, described_by)
    return found


def _argument(name: str, schema: Schema, tool: str, described_by: dict[str, str]) -> Schema:
    shape = {part: value for part, value in schema.items() if part != "description"}
    described, parts = (json.dumps([name, each]) for each in (schema, shape))
    if "properties" not in shape and '"properties"' in parts and described_by.setdefault(parts, tool) != tool:
        said = schema.get("description", "").partition("Keys: ")[0].strip()
        return {"type": shape["type"], "description": f"{said} As in {described_by[parts]}.".strip()}
    if described in described_by:
        return _without_repeats(shape, tool, described_by)
    described_by[described] = tool
    return _without_repeats(schema, tool, described_by)
