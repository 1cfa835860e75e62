"""Every text and every list that a door takes has a limit, or is named here with what limits it instead."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import JSONField, TextField
from django.forms import BaseForm, CharField, UUIDField
from pydantic import TypeAdapter
from twisted.web.http import HTTPChannel

from chat.sockets import frames, graph_frames
from chat.subjects.tools import by_name
from graphs.objects.actions import ACTIONS
from graphs.site.api.bodies import Body

#: A text that can be no longer than its form.
FORMS = {"uuid", "date", "date-time"}
#: What has no limit of its own in its schema, and what limits it.
ELSEWHERE = {
    **dict.fromkeys(
        ("Asked.message", "Chat.message", "MessageBody.message", "frame.message"),
        "MAX_MESSAGE_CHARS, which an operator sets; the refusal says how long it is",
    ),
}
#: Fields of Django's forms, and what limits them.
FORM_FIELDS = {
    "username": "its column, as the form is made",
    "password": "the size of a request and LIMIT_LOGIN; a long one is hashed before it is stretched",
}
#: Columns without a limit of their own, and what limits what comes into them.
COLUMNS = {
    **dict.fromkeys(
        ("Graph.description", "NodeType.description", "Node.process", "NodeType.process", "Graph.metadata",
         "Node.data", "Node.handles", "NodeType.handles"),
        "the actions (graphs/workflows/actions.py), and files as they do (interchange/sizes.py)",
    ),
    **dict.fromkeys(
        ("Folder.matrix_config", "Folder.executive_summary", "UseCase.data"),
        "their shapes, by the numbers of graphs/records/limits.py",
    ),
    **dict.fromkeys(
        ("ChangeSet.reason", "Proposal.reason", "Proposal.feedback"), "the bodies and arguments that bring them",
    ),
    **dict.fromkeys(
        ("Modification.old", "Modification.new", "Object.as_recorded", "LiveEdit.operations"),
        "what was changed, one value each or one frame",
    ),
    **dict.fromkeys(
        ("Proposal.arguments", "Proposal.decided_arguments", "Proposal.operations", "Proposal.targets",
         "Proposal.diff", "Proposal.conflicts", "Proposal.brief", "Proposal.asked_by", "Proposal.asked_again",
         "Proposal.problem"),
        "what a model wrote in one answer, and what a plan makes of it (MAX_ACTIONS, MAX_OPERATIONS)",
    ),
    **dict.fromkeys(
        ("Message.content", "Message.reasoning", "Message.rounds", "Message.retrieved", "Message.records",
         "RequestEntry.content", "Summary.content", "Summary.kept", "StreamEvent.data", "Session.state"),
        "MAX_MESSAGE_CHARS, MAX_REPLY_CHARACTERS and what a prompt takes",
    ),
    "StructuredRun.instructions": "chat/actions/generating.py",
    **dict.fromkeys(("PromptVersion.texts", "PromptVersion.variables"), "chat/managed_prompts/template.py"),
    **dict.fromkeys(
        ("Run.error", "Run.trigger", "Session.usage", "SentRequest.marks", "SentRequest.parameters",
         "IdempotencyKey.answer"),
        "the product itself: no person or model writes them",
    ),
}  # fmt: skip


def unbounded(schema: Any, at: str, definitions: dict[str, Any], within: frozenset[str] = frozenset()) -> Iterator[str]:
    """The texts, lists and maps within a JSON schema that have no limit."""
    if not isinstance(schema, dict):
        return
    if name := schema.get("$ref", "").rpartition("/")[2]:
        if name not in within:
            yield from unbounded(definitions[name], at, definitions, within | {name})
        return
    limited = schema.keys() & {"maxLength", "enum", "const"} or schema.get("format") in FORMS
    if schema.get("type") == "string" and not limited:
        yield at
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield f"{at}[]"
    if isinstance(schema.get("additionalProperties"), dict):
        yield f"{at}{{}}"
    for name, inner in schema.get("properties", {}).items():
        yield from unbounded(inner, f"{at}.{name}", definitions, within)
    inners = (
        *(schema.get(word) for word in ("items", "additionalProperties")),
        *(inner for word in ("anyOf", "oneOf", "allOf", "prefixItems") for inner in schema.get(word, ())),
    )
    for inner in inners:
        yield from unbounded(inner, at, definitions, within)


def of_product(classes: Iterable[type[Any]]) -> set[type[Any]]:
    return {each for each in classes if each.__module__.partition(".")[0] in ("graphs", "chat", "rag", "config")}


def made_of(base: type[Any]) -> set[type[Any]]:
    """The product's classes that were made of this one."""
    return of_product(each for made in base.__subclasses__() for each in {made, *made_of(made)})


def in_schemas() -> Iterator[str]:
    """Of bodies, frames, actions and arguments of tools. JSON of any form is limited by the size of its body."""
    models = {*made_of(Body), *ACTIONS.values(), *(tool.arguments for tool in by_name().values())}
    adapters = {model.__name__: TypeAdapter[Any](model) for model in models}
    adapters |= {"frame": frames.adapter, "graph frame": TypeAdapter(graph_frames.AnyFrame)}
    for name, adapter in adapters.items():
        schema = adapter.json_schema()
        yield from unbounded(schema, name, schema.get("$defs", {}))


def test_it_finds_what_has_no_limit() -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                             "c": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]},
                             "d": {"additionalProperties": {"type": "integer"}}}}  # fmt: skip
    assert [*unbounded(schema, "x", {"B": {"type": "string"}})] == ["x.a", "x.b[]", "x.b", "x.d{}"]


def test_every_body_frame_and_argument_has_limits() -> None:
    import_module(settings.ROOT_URLCONF)  # all bodies
    names = {model.__name__ for model in made_of(Body)}
    assert names >= {"ScopeBody", "MessageBody", "Chat", "Credentials", "ChangesBody"}
    assert set(in_schemas()) == ELSEWHERE.keys()


def test_every_form_has_limits() -> None:
    import_module(settings.ROOT_URLCONF)
    fields = {
        f"{form.__name__}.{name}": field
        for form in made_of(BaseForm)
        for name, field in getattr(form, "base_fields", {}).items()
        if isinstance(field, CharField) and not isinstance(field, UUIDField)
    }
    assert "ImportForm.key" in fields
    unlimited = {name.partition(".")[2] for name, field in fields.items() if field.max_length is None}
    assert unlimited == FORM_FIELDS.keys()


def test_every_column_of_any_length_is_limited_elsewhere() -> None:
    columns = {
        f"{model.__name__}.{field.name}"
        for model in of_product(apps.get_models())
        for field in model._meta.local_fields
        if isinstance(field, TextField | JSONField) and field.max_length is None
    }
    assert columns == COLUMNS.keys()


def test_addresses_and_headers_are_short() -> None:
    """What paths, queries and headers hold has no other limit: each is a part of these."""
    assert HTTPChannel.totalHeadersSize <= 16_384
    assert HTTPChannel.MAX_LENGTH <= 16_384
