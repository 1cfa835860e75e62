"""All tools by name: what is offered to a model, and what it called. Used by the engine and `dump_tools`."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from chat.providers.base import ToolSpec
from chat.tools import object_writing
from chat.tools.base import ANYTHING, OBJECTS, Arguments, ReadTool, Tool, ToolContext, ToolFailed
from chat.tools.conversation_reading import ReadEarlierMessages, ReadToolResult
from chat.tools.graph_reading import ListAvailableNodeTypes, ReadGraphOverview, ReadNodeConfig, SearchNodes
from chat.tools.graph_writing import WRITE_TOOLS
from chat.tools.node_reading import ExploreNeighborhood, ListNodeEdges, ReadNodeDetail, ReadSubgraph
from chat.tools.object_reading import READ_TOOLS
from chat.tools.schemas import parameters
from graphs.models import Role
from graphs.objects.actions import mistakes, quoted
from graphs.objects.kinds import of_models
from graphs.site.json_input import BadJSON, parse_json
from graphs.workflows.graph_kind import GRAPH

_ALL: tuple[Tool[Any], ...] = (
    ReadGraphOverview(),
    SearchNodes(),
    ExploreNeighborhood(),
    ReadNodeDetail(),
    ReadNodeConfig(),
    ListAvailableNodeTypes(),
    ListNodeEdges(),
    ReadSubgraph(),
    *WRITE_TOOLS,
    ReadToolResult(),
    ReadEarlierMessages(),
    *READ_TOOLS,
    *object_writing.WRITE_TOOLS,
)
TOOLS = {tool.name: tool for tool in _ALL}


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


@cache
def specs(role: Role, context_type: str) -> tuple[ToolSpec, ...]:
    """The tools offered in a conversation about such an object, in a fixed order; viewers get no write tools."""
    offered = {context_type, ANYTHING}
    if reaches_objects(context_type):
        offered.add(OBJECTS)
    return tuple(
        ToolSpec(tool.name, tool.description, parameters(tool.arguments))
        for tool in TOOLS.values()
        if tool.context_type in offered and (tool.kind != "write" or role.may_edit)
    )


def reaches_objects(context_type: str) -> bool:
    """Whether a conversation about such an object has the tools for objects of any kind."""
    return context_type != GRAPH.name or bool(of_models())


def parse(name: str, arguments_json: str, offered: Collection[str]) -> ParsedCall | CallRefused:
    """The call as the model wrote it, checked; never raises. No text at all counts as no arguments.

    `offered` are the names of `specs`: a tool that was not offered is unknown.
    """
    if name not in offered or name not in TOOLS:
        return CallRefused(f"There is no tool called {quoted(name)}. Tools: {', '.join(offered)}.")
    tool = TOOLS[name]
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
