"""All tools by name: what is offered to a model, and what it called. Used by the engine and `dump_tools`."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from chat.providers.base import ToolSpec
from chat.subjects.registry import every_subject
from chat.subjects.subject import Subject
from chat.tools import conversation_reading
from chat.tools.base import Arguments, ReadTool, Tool, ToolContext, ToolFailed
from chat.tools.object_reading import READ_TOOLS
from chat.tools.proposing import WRITE_TOOLS
from chat.tools.schemas import parameters
from graphs.models import Role
from graphs.objects.actions import mistakes, quoted
from graphs.site.json_input import BadJSON, parse_json


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call that may run."""

    tool: Tool[Any]
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class CallRefused:
    """A call that cannot run; `message` tells the model what to do differently. `malformed`: it was no JSON."""

    message: str
    malformed: bool = False


def tools_of(subject: Subject) -> list[Tool[Any]]:
    """The tools of a conversation about such an object, in a fixed order."""
    of_objects = (*READ_TOOLS, *WRITE_TOOLS) if subject.reaches_objects() else ()
    return [*subject.tools, *conversation_reading.TOOLS, *of_objects]


def by_name() -> dict[str, Tool[Any]]:
    """All tools of all conversations."""
    return {tool.name: tool for subject in every_subject() for tool in tools_of(subject)}


def specs(role: Role, subject: Subject) -> tuple[ToolSpec, ...]:
    """What a model is told of the tools that it is offered; for viewers none that writes."""
    return _specs(tuple(tool for tool in tools_of(subject) if tool.kind != "write" or role.may_edit))


@cache
def _specs(tools: tuple[Tool[Any], ...]) -> tuple[ToolSpec, ...]:
    return tuple(
        ToolSpec(tool.name, tool.description, schema) for tool, schema in zip(tools, parameters(tools), strict=True)
    )


def parse(name: str, arguments_json: str, offered: Collection[str]) -> ParsedCall | CallRefused:
    """The call as the model wrote it, checked; never raises. A tool that is not `offered` is unknown."""
    tool = by_name().get(name) if name in offered else None
    if tool is None:
        return CallRefused(f"There is no tool called {quoted(name)}. Tools: {', '.join(offered)}.")
    try:
        value = parse_json(arguments_json) if arguments_json.strip() else {}
    except BadJSON as error:
        message = f"The arguments of {name} are not usable JSON. {error.message} Send one JSON object."
        return CallRefused(message, malformed=True)
    if not isinstance(value, dict):
        return CallRefused(f"The arguments of {name} must be a JSON object. {_expected(tool)}")
    try:
        return ParsedCall(tool, tool.arguments.model_validate(value))
    except ValidationError as error:
        return CallRefused(f"The arguments of {name} do not fit. {mistakes(error)} {_expected(tool)}")


def run(call: ParsedCall, context: ToolContext) -> dict[str, Any]:
    """What a tool that reads tells the model, `{"error": ...}` where it could not give it. Synchronous."""
    assert isinstance(call.tool, ReadTool)
    try:
        return call.tool.run(context, call.arguments)
    except ToolFailed as error:
        return {"error": str(error)}


def _expected(tool: Tool[Any]) -> str:
    """What the tool takes: "Keys: nodeKey (required), direction."."""
    fields = tool.arguments.model_fields.values()
    keys = [f"{field.alias} (required)" if field.is_required() else str(field.alias) for field in fields]
    return f"Keys: {', '.join(keys)}."
