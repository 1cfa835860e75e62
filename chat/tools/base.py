"""What a tool is. Tools are ordinary synchronous Django code; the engine runs them in threads."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from graphs.access import Member
from graphs.models import Graph

Kind = Literal["read", "write", "dialogue"]


class Arguments(BaseModel):
    """The arguments of a tool: camelCase for the model, nothing but the fields, no guessing of types."""

    model_config = ConfigDict(
        alias_generator=to_camel, serialize_by_alias=True, extra="forbid", strict=True, frozen=True
    )


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

    name: ClassVar[str]
    description: ClassVar[str]
    kind: ClassVar[Kind]
    context_type: ClassVar[str]
    arguments: type[A]

    @abstractmethod
    def run(self, context: ToolContext, arguments: A) -> dict[str, Any]:
        """What the model is told, as JSON with camelCase names, about 8 kB at most. Raises `ToolFailed`."""
