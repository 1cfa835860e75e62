"""What a tool is. Tools are ordinary synchronous Django code; the engine runs them in threads."""

import uuid
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from django.utils.functional import Promise

from chat.concurrency.outgoing import Places
from graphs.models import Object
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.objects.strict import StrictModel
from graphs.site.access import Member
from graphs.site.accounts import Account

#: What an offset is, wherever there is one.
SKIPPED = "Rows or characters to skip, to read on."


class Arguments(StrictModel):
    """The arguments of a tool."""


class ToolFailed(Exception):
    """The call cannot give what was asked for; its text tells the model why and what it can do instead."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The member who asks, in which conversation, and the object it is about, if any: one that they may see.

    `read` gains the names of the objects that a tool tells of. `knows` is the source from outside that the model had
    read as it called, "" without one; None where that is to be looked up.
    """

    member: Member
    about: Object | None
    session_id: uuid.UUID | None = None
    #: Pays for what a tool embeds; None without a run.
    account: Account | None = None
    read: set[Ref] = field(default_factory=set)
    knows: str | None = None

    def object(self, ref: Ref) -> Object:
        """An object of the workspace that the person may see, which counts as read. Raises `NotFound`."""
        found = object_for(self.member, ref)
        self.read.add(ref)
        return found


A = TypeVar("A", bound=Arguments)


class Tool(Generic[A]):
    """What a model is offered. One that reads runs at once; one that `writes` is for editors, and proposes."""

    name: str
    description: str
    writes: bool
    #: Whether only editors have it, too, where it does not write.
    for_editors: bool = False
    arguments: type[A]
    #: Whether a link to a conversation may show what it gave: not where that may be of another conversation.
    shown_by_links: ClassVar[bool] = True
    #: The icon and the words by which people see a call; without words its name says it.
    badge: tuple[str, str | Promise] = ("wrench", "")


class ReadTool(Tool[A], ABC):
    """A tool that only reads."""

    writes = False
    #: Where it waits for others on the internet, beside the tools that only ask the database; None if it does not.
    places: ClassVar[Places | None] = None

    def asks_first(self, context: ToolContext, arguments: A) -> bool:
        """Whether a person has to let this call through before it runs: then it becomes a proposal."""
        return False

    @abstractmethod
    def run(self, context: ToolContext, arguments: A) -> dict[str, Any]:
        """What the model is told, as JSON with camelCase names, about 8 kB at most. Raises `ToolFailed`."""
