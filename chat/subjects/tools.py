"""All tools by name: what is offered to a model, and what it called. Used by the engine and `dump_tools`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from chat.concurrency.outgoing import Places
from chat.providers.model_request import ToolSpec
from chat.subjects.object_loading import LOAD_OBJECT_TOOLS, OBJECT_TOOLS
from chat.subjects.registered_subjects import every_subject
from chat.subjects.subject import Subject
from chat.tools.conversation_reading import READ_EARLIER_MESSAGES, READ_TOOL_RESULT
from chat.tools.schemas import parameters
from chat.tools.tool import Arguments, ReadTool, Tool, ToolContext, ToolFailed
from chat.tools.web import WebSearch, web_tools
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


def tools_of(subject: Subject, *, loaded: bool = True, summarised: bool = True) -> list[Tool[Any]]:
    """The tools of a conversation about such an object, in a fixed order; without arguments all that it may have.

    `loaded`: those for objects of any kind, where a model has to ask for them, too. `summarised`: something is no
    longer sent, and can be read.
    """
    at_once = (LOAD_OBJECT_TOOLS,) if subject.loads_object_tools else OBJECT_TOOLS
    later = (*OBJECT_TOOLS, *subject.loaded_tools) if subject.loads_object_tools and loaded else ()
    earlier = (READ_EARLIER_MESSAGES,) if summarised else ()
    return [*subject.tools, READ_TOOL_RESULT, *at_once, *web_tools(), *later, *earlier]


def by_name() -> dict[str, Tool[Any]]:
    """All tools of all conversations."""
    return {tool.name: tool for subject in every_subject() for tool in tools_of(subject)}


def specs(role: Role, subject: Subject, *, loaded: bool = False, summarised: bool = False) -> tuple[ToolSpec, ...]:
    """What a model is told of the tools that it is offered; for viewers none that writes. `tools_of` says the rest."""
    every, offered = (
        tuple(tool for tool in tools if role.may_edit or not (tool.writes or tool.for_editors))
        for tools in (tools_of(subject), tools_of(subject, loaded=loaded, summarised=summarised))
    )
    return _offered(every, offered)


def search_specs() -> tuple[ToolSpec, ...]:
    """What a model is told that only searches the web: nothing where no search engine can be asked."""
    return tuple(spec for spec in _specs(web_tools()) if spec.name == WebSearch.name)


@cache
def _offered(every: tuple[Tool[Any], ...], offered: tuple[Tool[Any], ...]) -> tuple[ToolSpec, ...]:
    """Those of all that are described: what comes later is told after the others, and takes nothing of their words."""
    return tuple(spec for tool, spec in zip(every, _specs(every), strict=True) if tool in offered)


@cache
def _specs(tools: tuple[Tool[Any], ...]) -> tuple[ToolSpec, ...]:
    """Describes tools, which takes long: once for all that a conversation may have, as the process starts."""
    return tuple(
        ToolSpec(tool.name, tool.description, schema) for tool, schema in zip(tools, parameters(tools), strict=True)
    )


def parse(
    name: str,
    arguments_json: str,
    offered: Collection[str],
    loadable: Collection[str] = (),
    own: Mapping[str, Tool[Any]] = MappingProxyType({}),
) -> ParsedCall | CallRefused:
    """The call as the model wrote it, checked; never raises. A tool that is not `offered` is unknown, or `loadable`.

    `own` are tools of the run beside those of conversations.
    """
    tool = own.get(name) or (by_name().get(name) if name in offered else None)
    if tool is None:
        if name in loadable:
            return CallRefused(f"You do not have {name} yet: call {LOAD_OBJECT_TOOLS.name} first.")
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


def places_of(call: ParsedCall) -> Places | None:
    """Where the call waits for others on the internet; None where it asks the database alone."""
    return call.tool.places if isinstance(call.tool, ReadTool) else None


def asks_first(call: ParsedCall, context: ToolContext) -> bool:
    """Whether a person has to let a call through that only reads. Synchronous."""
    return isinstance(call.tool, ReadTool) and call.tool.asks_first(context, call.arguments)


def _expected(tool: Tool[Any]) -> str:
    """What the tool takes: "Keys: nodeKey (required), direction."."""
    fields = tool.arguments.model_fields.values()
    keys = [f"{field.alias} (required)" if field.is_required() else str(field.alias) for field in fields]
    return f"Keys: {', '.join(keys)}."
