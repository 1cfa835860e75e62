"""What a tool is. Tools are ordinary synchronous Django code; the engine runs them in threads."""

import uuid
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from graphs.models import Graph, Object
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.objects.strict import StrictModel
from graphs.site.access import Member

Kind = Literal["read", "write"]

#: The `context_type` of a tool that every conversation has, whatever it is about.
ANYTHING = "*"
#: That of a tool for objects of any kind: not offered about a graph while there are no kinds of other applications.
OBJECTS = "objects"


class Arguments(StrictModel):
    """The arguments of a tool."""


class ToolFailed(Exception):
    """The call cannot give what was asked for; its text tells the model why and what it can do instead."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who asks, in which conversation, and about which object, if it is about one.

    `about` must come from `graphs.site.access.graph_for(member, ...)` if it is a graph, else from `object`.
    """

    member: Member
    about: Object | None
    session_id: uuid.UUID | None = None

    @property
    def graph(self) -> Graph:
        """For tools of a conversation about a graph."""
        assert isinstance(self.about, Graph)
        return self.about

    def object(self, ref: Ref) -> Object:
        """An object of the workspace that the person may see. Raises `NotFound`."""
        return object_for(self.member, ref)


A = TypeVar("A", bound=Arguments)


class Tool(Generic[A]):
    """What a model is offered. `read` tools run at once; `write` tools are for editors, and never run: they propose.

    `context_type` is the kind of object a conversation must be about for the tool to be offered; or `OBJECTS`, or
    `ANYTHING`.
    """

    name: str
    description: str
    kind: Kind
    context_type: str
    arguments: type[A]


class ReadTool(Tool[A], ABC):
    """A tool that only reads."""

    kind = "read"

    @abstractmethod
    def run(self, context: ToolContext, arguments: A) -> dict[str, Any]:
        """What the model is told, as JSON with camelCase names, about 8 kB at most. Raises `ToolFailed`."""
