"""The form that a model fills in: its schema, and what each vendor is sent of it."""

import uuid
from typing import Any

import pytest

from chat.generation.filling import Form
from chat.providers.anthropic_messages import messages_body
from chat.providers.model_request import ModelRequest, PromptMessage
from chat.providers.openai_chat import chat_body
from chat.providers.openai_responses import responses_body
from chat.providers.provider import ProviderConfig, Wire
from chat.subjects.generating import Generation, Request
from chat.subjects.records.generations import GENERATIONS
from graphs.models import Object

EVERY = [(kind, each) for kind, some in GENERATIONS.items() for each in some]


def config(name: str, wire: Wire, **more: Any) -> ProviderConfig:
    return ProviderConfig(name=name, wire=wire, base_url="", model="m", max_tokens=2_000, price=None, **more)


def form(kind: str, generation: Generation[Any]) -> Form:
    about = Object(type=kind, key="1")
    request = Request(uuid.uuid4(), None, about, None)  # type: ignore[arg-type]
    return Form(generation, request, uuid.uuid4(), by_model=False)


def objects_in(schema: Any) -> list[dict[str, Any]]:
    """Every schema of an object within a schema."""
    if isinstance(schema, list):
        return [each for part in schema for each in objects_in(part)]
    if not isinstance(schema, dict):
        return []
    within = [each for part in schema.values() for each in objects_in(part)]
    return [schema, *within] if "properties" in schema else within


@pytest.mark.parametrize(("kind", "generation"), EVERY, ids=[each.prompt_type for _kind, each in EVERY])
def test_vendors_can_hold_a_model_to_it(kind: str, generation: Generation[Any]) -> None:
    spec = form(kind, generation).spec()
    assert spec.parameters["properties"].keys() > {"reason"}
    for each in objects_in(spec.parameters):
        assert (each["additionalProperties"], each["required"]) == (False, list(each["properties"]))


def test_it_is_the_one_tool_that_has_to_be_called() -> None:
    spec = form(*EVERY[0]).spec()
    request = ModelRequest((PromptMessage("user", "Fill it in."),), (spec,), "m", 2_000)
    bodies = [
        chat_body(request, config("openai", "openai", tool_choice_none=True)),
        responses_body(request, config("openai", "openai-responses")),
        messages_body(request, config("anthropic", "anthropic")),
    ]
    assert [body["tool_choice"] for body in bodies] == [
        {"type": "function", "function": {"name": spec.name}},
        {"type": "function", "name": spec.name},
        {"type": "tool", "name": spec.name},
    ]
    assert [bodies[0]["tools"][0]["function"]["strict"], bodies[1]["tools"][0]["strict"]] == [True, True]
    other = chat_body(request, config("custom", "openai"))
    assert ("tool_choice" in other, "strict" in other["tools"][0]["function"]) == (False, False)
    thinking = config("anthropic", "anthropic", adaptive_thinking=True)
    assert "tool_choice" not in messages_body(request, thinking)
