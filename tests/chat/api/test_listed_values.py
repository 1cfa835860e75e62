"""What the OpenAPI document lists as values of a field are all that are sent."""

import inspect
import re
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from chat.engine.states import Phase
from chat.models import Message, ProposalStatus, Session, SessionType
from chat.proposals import policy
from graphs.models import Modification, Origin

#: Component and field of the document, and what is stored there but never sent, or for everybody to see.
LISTED = [
    ("ProposalShape", "status", ProposalStatus.values),
    ("MessageShape", "role", {*Message.Role.values} - {Message.Role.SYSTEM}),
    ("MessageShape", "status", Message.Status.values),
    ("MessageShape", "inPrompt", Message.InPrompt.values),
    ("SessionShape", "type", {*SessionType.values} - {SessionType.SEED, SessionType.GENERATION}),
    ("SessionShape", "phase", list(Phase)),
    ("SessionShape", "onDisconnect", Session.OnDisconnect.values),
    ("VersionShape", "origin", Origin.values),
    ("ModificationShape", "action", Modification.Action.values),
    ("ListedModification", "action", Modification.Action.values),
    ("DiffEntry", "action", Modification.Action.values),
]


@pytest.fixture(scope="module")
def components() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)["components"]["schemas"]
    return found


def listed(components: dict[str, Any], schema: dict[str, Any]) -> set[str]:
    """The values of a field, which may be a component of its own, or null, too."""
    if "$ref" in schema:
        return listed(components, components[schema["$ref"].rpartition("/")[2]])
    either = [each for name in ("anyOf", "oneOf", "allOf") for each in schema.get(name, ())]
    found = {value for each in either for value in listed(components, each)}
    return found | {*schema.get("enum", ())} | ({schema["const"]} if "const" in schema else set())


@pytest.mark.parametrize(("component", "field", "values"), LISTED)
def test_each_value_is_listed(components: dict[str, Any], component: str, field: str, values: list[str]) -> None:
    assert listed(components, components[component]["properties"][field]) == {str(value) for value in values}


def test_each_level_that_asks_is_listed(components: dict[str, Any]) -> None:
    source = inspect.getsource(policy)
    levels = {*re.findall(r'"level": "(\w+)"', source)} | {"app", "workspace", "tool"}
    assert listed(components, components["AskedShape"]["properties"]["level"]) == levels
    assert len(levels) == 7
