"""What a tool is. Tools are ordinary synchronous Django code; the engine runs them in threads."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from graphs.access import Member
from graphs.actions import Part
from graphs.models import Graph

Kind = Literal["read", "write", "dialogue"]


class Arguments(Part):
    """The arguments of a tool."""


class ToolFailed(Exception):
    """The call cannot give what was asked for; its text tells the model why and what it can do instead."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who asks, and about which graph; the graph must come from `graphs.access.graph_for(member, ...)`."""

    member: Member
    graph: Graph


A = TypeVar("A", bound=Arguments)


class Tool(ABC, Generic[A]):
    """One tool. `read` tools run at once; `write` tools are for editors; `dialogue` tools ask the person.

    `context_type` is the kind of object a conversation must be about for the tool to be offered.
    """

    name: str
    description: str
    kind: Kind
    context_type: str
    arguments: type[A]

    @abstractmethod
    def run(self, context: ToolContext, arguments: A) -> dict[str, Any]:
        """What the model is told, as JSON with camelCase names, about 8 kB at most. Raises `ToolFailed`."""
