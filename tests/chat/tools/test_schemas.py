"""What the schemas of tools tell: all that the tools take, nothing that they refuse, in few tokens."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field

from chat.management.commands.dump_tools import as_sent
from chat.providers.model_request import ToolSpec
from chat.providers.provider import ProviderConfig
from chat.sent_requests.layout import to_json
from chat.subjects.registered_subjects import subject_of
from chat.subjects.tools import CallRefused, by_name, parse, specs
from chat.tools.schemas import parameters
from chat.tools.tool import Arguments, ReadTool, ToolContext
from graphs.models import Role
from rag.texts.tokens import count_tokens

Schema = dict[str, Any]
OFFERED = {subject: specs(Role.EDITOR, subject_of(subject)) for subject in ("graph", "")}
EVERY = [pytest.param(spec, subject, id=spec.name) for subject in OFFERED for spec in OFFERED[subject]]
#: What no schema says: how arguments go together. The refusal tells it.
TOGETHER = re.compile(
    "give at least one field|give either process|give both posX|give updates or|needs a displayName|needs the typeKey"
    "|has no code yet|same id"
)
WORDS = st.text("abcxyz019-", min_size=1, max_size=12)
CONFIG = ProviderConfig("mock", "openai", "", "mock", 4096, None)


def told(schema: Schema, name: str, tools: dict[str, ToolSpec]) -> Schema:
    """The schema of an argument, with what another tool tells of it, and with the sides of handles as properties."""
    text = schema.get("description", "")
    if found := re.search(r"As in (\w+)\.", text):
        return told(next(named(tools[found[1]].parameters, name)), name, tools)
    if (keys := re.search(r"Keys: (.*)\.", text)) and isinstance(schema.get("additionalProperties"), dict):
        return {"type": "object", "properties": dict.fromkeys(keys[1].split(", "), schema["additionalProperties"])}
    return schema


def named(schema: Schema, name: str) -> Iterator[Schema]:
    for each, part in schema.get("properties", {}).items():
        yield from [part] if each == name else named(part, name)


def obedient(schema: Schema, name: str, tools: dict[str, ToolSpec]) -> st.SearchStrategy[Any]:
    """Values that the schema allows, as long and as large as a model writes them."""
    schema = told(schema, name, tools)
    match schema:
        case {"enum": values}:
            return st.sampled_from(values)
        case {"type": "object", "properties": {"tool": _, "arguments": _}}:
            return st.one_of([steps(each, tools) for each in tools if each.startswith("propose_")])
        case {"type": "object", "properties": properties}:
            required = schema.get("required", [])
            parts = {each: obedient(part, each, tools) for each, part in properties.items()}
            return st.fixed_dictionaries(
                {each: parts[each] for each in required},
                optional={each: parts[each] for each in parts.keys() - {*required}},
            )
        case {"type": "array", "items": items}:
            return st.lists(obedient(items, "", tools), min_size=1, max_size=3)
        case {"type": "string", "pattern": pattern}:
            return st.from_regex(pattern, fullmatch=True, alphabet=st.sampled_from("ab:/"))
    return {
        "string": WORDS,
        "integer": st.integers(schema.get("minimum", 1), schema.get("maximum", 1_000)),
        "number": st.floats(1, 1_000),
        "boolean": st.booleans(),
        "object": st.dictionaries(WORDS, WORDS, min_size=1, max_size=3),
    }[schema["type"]]


def steps(name: str, tools: dict[str, ToolSpec]) -> st.SearchStrategy[Any]:
    """Actions of a batch by reference: the tool's arguments without what is said of the whole proposal."""
    if name == "propose_batch":
        return st.nothing()
    own = {"requestValidation", "postText", "keepControl"}
    arguments = obedient(tools[name].parameters, "", tools)
    return arguments.map(lambda each: {"tool": name, "arguments": {key: each[key] for key in each.keys() - own}})


@cache
def allowed(name: str, subject: str) -> st.SearchStrategy[Any]:
    """What an obedient model calls the tool with. To make it takes longer than to draw from it."""
    tools = {each.name: each for each in OFFERED[subject]}
    return obedient(tools[name].parameters, "", tools)


@pytest.mark.parametrize(("spec", "subject"), EVERY)
@settings(max_examples=60, suppress_health_check=list(HealthCheck), deadline=None)
@given(data=st.data())
def test_what_a_schema_allows_is_taken(data: st.DataObject, spec: ToolSpec, subject: str) -> None:
    tools = {each.name: each for each in OFFERED[subject]}
    value = data.draw(allowed(spec.name, subject))
    found = parse(spec.name, json.dumps(value), tools)
    if isinstance(found, CallRefused):
        assert TOGETHER.search(found.message), found.message


@pytest.mark.parametrize(("spec", "subject"), EVERY)
def test_all_that_a_tool_takes_is_in_its_schema_with_its_words(spec: ToolSpec, subject: str) -> None:
    tools = {each.name: each for each in OFFERED[subject]}
    whole = by_name()[spec.name].arguments.model_json_schema(by_alias=True)
    said = dict(arguments(spec.parameters, {}, tools))
    takes = dict(arguments(whole, whole.get("$defs", {}), tools))
    assert said.keys() == takes.keys()
    earlier = [each for each in tools.values() if list(tools).index(each.name) <= list(tools).index(spec.name)]
    texts = " ".join(each.text for each in earlier)
    for path, words in takes.items():
        assert json.dumps(words)[1:-1] in texts, path


def arguments(
    schema: Schema, definitions: Schema, tools: dict[str, ToolSpec], at: str = ""
) -> Iterator[tuple[str, str]]:
    """The path of each argument, of lists that of their rows, and how it is described."""
    schema = told(schema, at.rpartition(".")[2], tools)
    for choice in schema.get("anyOf", [schema]):
        found = definitions[choice["$ref"].rpartition("/")[2]] if "$ref" in choice else choice
        for name, part in found.get("properties", {}).items():
            yield f"{at}.{name}", part.get("description", "")
            yield from arguments(part, definitions, tools, f"{at}.{name}")
        if "items" in found:
            yield from arguments(found["items"], definitions, tools, at)


@pytest.mark.parametrize(("role", "most"), [(Role.EDITOR, 2_500), (Role.VIEWER, 900)])
@pytest.mark.parametrize("wire", ["openai", "openai-responses", "anthropic"])
def test_tools_of_graphs_take_few_tokens_on_every_wire(role: Role, most: int, wire: Any) -> None:
    assert count_tokens(to_json(as_sent(specs(role, subject_of("graph")), CONFIG, wire))) <= most


class Ages(Arguments):
    oldest: int = Field(ge=0, description="In years.")
    youngest: int = Field(ge=18, description="In years.")
    most: int = Field(ge=1, le=9)


class ReadAges(ReadTool[Ages]):
    name = "read_ages"
    arguments = Ages

    def run(self, context: ToolContext, arguments: Ages) -> dict[str, Any]:
        return {}


def test_a_lower_bound_is_told_where_it_is_more_than_a_beginning() -> None:
    (schema,) = parameters([ReadAges()])
    assert "minimum" not in schema["properties"]["oldest"]
    assert schema["properties"]["youngest"]["minimum"] == 18
    assert schema["properties"]["most"] == {"type": "integer", "minimum": 1, "maximum": 9}
