"""What is wrong with a field is said in our words and in the person's language, never in pydantic's."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import translation
from pydantic import BaseModel, TypeAdapter, ValidationError

from chat.api import always_send, links, messages, proposals, sessions
from chat.sockets import frames, graph_frames
from graphs.api import changes, objects, rollback_json
from graphs.objects.actions import Batch, mistakes, mistakes_for_people, parse
from graphs.site.api import auth
from graphs.site.api.bodies import Body
from graphs.site.field_sentences import sentence, wrong_fields
from graphs.workflows.actions import ACTIONS
from tests.chat.api.callers import post

DOORS = (always_send, links, messages, proposals, sessions, changes, objects, rollback_json, auth)
FRAMES = (frames.adapter, TypeAdapter(graph_frames.AnyFrame))
#: For a field, an entry of a list and a member of an object.
WRONG: list[Any] = [
    *(None, True, 7, -1, 0, 10**30, 1.5, 1e300, float("nan"), "", "x", "é ", "\ud800", "x" * 1_000_001),
    *([], [7], [{}], ["x"] * 6_000, {}, {"a": 7}, {"type": 7}, {"": []}, ()),
]
PYDANTICS = ("Input should", "should have", "Field required", "not permitted", "Value error", "instance of", "valid")


def bodies() -> Iterator[type[BaseModel]]:
    yield from ACTIONS.values()
    yield Batch
    for door in DOORS:
        yield from (each for each in vars(door).values() if isinstance(each, type) and issubclass(each, Body))


def tries(model: type[BaseModel]) -> Iterator[Any]:
    yield from ({}, [], None, "x", {"unknown": 1})
    for name, field in model.model_fields.items():
        for value in WRONG:
            yield {field.alias or name: value}
            yield {field.alias or name: [value]}
            for inner in ("type", "id", "process", "name", "width", "data", "search", "path", "tool", "R", "key"):
                yield {field.alias or name: {inner: value}}
                yield {field.alias or name: [{inner: value}]}


def refusals() -> Iterator[ValidationError]:
    for model in dict.fromkeys(bodies()):
        for value in tries(model):
            try:
                model.model_validate(value)
            except ValidationError as error:
                yield error
    for adapter in FRAMES:
        for type_ in ("ai:chat", "ai:resume", "ai:subscribe", "graph:edit", "graph:presence", "x", None):
            for value in WRONG:
                for name in ("type", "_id", "message", "after", "actions", "cursor", "approved"):
                    try:
                        adapter.validate_python({"type": type_, name: value} if type_ else {name: value})
                    except ValidationError as error:
                        yield error


def test_every_refusal_of_every_door_has_a_sentence_of_ours() -> None:
    with translation.override("fr"):
        said = {
            (detail["type"], sentence(detail))
            for error in refusals()
            for detail in error.errors(include_url=False, include_input=False)
        }
    kinds = {type_ for type_, _text in said}
    assert kinds >= {"missing", "model_type", "string_too_long", "less_than", "union_tag_invalid", "value_error"}
    assert [each for each in said if each[1].startswith("Cette valeur ne convient pas ici")] == []
    assert [each for each in said if any(word in each[1] for word in PYDANTICS)] == []
    assert [each for each in said if not each[1].endswith(".") or not each[1][0].isupper()] == []


def test_names_are_listed_without_an_english_or() -> None:
    with pytest.raises(ValidationError) as refused:
        messages.MessageKeepingBody.model_validate({"inPrompt": "x"})
    with translation.override("fr"):
        [(steps, said)] = wrong_fields(refused.value)
    assert (steps, said) == (("inPrompt",), "Cette valeur doit être l’une de\u00a0: 'auto', 'pinned', 'left_out'.")


def test_a_step_of_a_batch_names_its_own_fields_to_people_and_to_models() -> None:
    step = {"tool": "propose_move_node", "arguments": {"nodeKey": "root", "posX": 5}}
    with pytest.raises(ValidationError) as refused:
        parse("batch", {"actions": [step]})
    assert mistakes(refused.value) == "'actions.0': Value error, 'posY': Field required.."
    with translation.override("fr"):
        assert mistakes_for_people(refused.value) == "'actions.0.arguments.posY': Ce champ manque."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ([], {"body": ["Cette valeur doit être un objet."]}),
        ({}, {"message": ["Ce champ manque."]}),
        (
            {"message": 7, "colour": 1},
            {"message": ["Cette valeur doit être un texte."], "colour": ["Ce champ n’est pas connu ici."]},
        ),
    ],
)
def test_the_api_says_it_in_french(alice: User, body: Any, errors: dict[str, list[str]]) -> None:
    answer = post(alice, "chat/messages", body, Accept_Language="fr").json()
    assert answer["errors"] == errors
