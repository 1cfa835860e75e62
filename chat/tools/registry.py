"""All tools by name: what is offered to a model, and what it called. Used by the engine and `dump_tools`."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from chat.providers.base import ToolSpec
from chat.tools.base import Arguments, Tool, ToolContext, ToolFailed
from chat.tools.graph_reading import ListAvailableNodeTypes, ReadGraphOverview, ReadNodeConfig, SearchNodes
from chat.tools.node_reading import ExploreNeighborhood, ListNodeEdges, ReadNodeDetail, ReadSubgraph
from chat.tools.schemas import parameters
from graphs.json_input import BadJSON, parse_json
from graphs.models import Role

TOOLS: dict[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        ReadGraphOverview(),
        SearchNodes(),
        ExploreNeighborhood(),
        ReadNodeDetail(),
        ReadNodeConfig(),
        ListAvailableNodeTypes(),
        ListNodeEdges(),
        ReadSubgraph(),
    )
}

#: Mistakes that one refusal tells.
MAX_MISTAKES = 5


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call that may run."""

    tool: Tool[Any]
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class CallRefused:
    """A call that cannot run; `message` tells the model what to do differently."""

    message: str


def specs(role: Role, context_type: str) -> tuple[ToolSpec, ...]:
    """The tools offered in a conversation about such an object, in a fixed order; viewers get no write tools."""
    return tuple(
        ToolSpec(tool.name, tool.description, parameters(tool.arguments))
        for tool in TOOLS.values()
        if tool.context_type == context_type and (tool.kind != "write" or role.may_edit)
    )


def parse(name: str, arguments_json: str) -> ParsedCall | CallRefused:
    """The call as the model wrote it, checked; never raises. No text at all counts as no arguments."""
    tool = TOOLS.get(name)
    if tool is None:
        return CallRefused(f"There is no tool called {_quoted(name)}. Tools: {', '.join(TOOLS)}.")
    try:
        value = parse_json(arguments_json) if arguments_json.strip() else {}
    except BadJSON as error:
        return CallRefused(f"The arguments of {name} are not usable JSON. {error.message} Send one JSON object.")
    if not isinstance(value, dict):
        return CallRefused(f"The arguments of {name} must be a JSON object. {_expected(tool)}")
    try:
        return ParsedCall(tool, tool.arguments.model_validate(value))
    except ValidationError as error:
        return CallRefused(f"The arguments of {name} do not fit. {_mistakes(error)} {_expected(tool)}")


def run(call: ParsedCall, context: ToolContext) -> dict[str, Any]:
    """The result for the model, `{"error": ...}` where the tool could not give one. Synchronous: reads the database."""
    try:
        return call.tool.run(context, call.arguments)
    except ToolFailed as error:
        return {"error": str(error)}


def _mistakes(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{_quoted('.'.join(map(str, detail['loc'])))}: {detail['msg']}." for detail in details[:MAX_MISTAKES]]
    more = len(details) - len(told)
    return " ".join(told) + (f" And {more} more." if more else "")


def _expected(tool: Tool[Any]) -> str:
    """What the tool takes: "Keys: nodeKey (required), direction."."""
    fields = tool.arguments.model_fields.values()
    keys = [f"{field.alias} (required)" if field.is_required() else str(field.alias) for field in fields]
    return f"Keys: {', '.join(keys)}."


def _quoted(text: str) -> str:
    """A text of the model, short, printable and encodable, to quote back to it."""
    short = "".join(letter if letter.isprintable() else "�" for letter in text[:80])
    return f"'{short}'"
