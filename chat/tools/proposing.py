"""What a tool is that proposes, an action with a reason, handed to `chat.proposals`; and those for any object."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field, create_model

from chat.proposals import WriteCall
from chat.tools.tool import A, Arguments, Tool
from graphs.objects.actions import NAMES, Batch, CreateObject, DeleteObject, MoveObject, UpdateObject, parse
from graphs.objects.strict import StrictModel

#: Characters of a reason, and of a text to show afterwards.
MAX_REASON = 2_000


class Proposing(Arguments):
    """What every proposal says besides the change."""

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON)] = Field(
        description="Why, for the person, in their language."
    )
    request_validation: bool | None = Field(None, description="true: ask the person anyway.")
    post_text: Annotated[str, Field(max_length=MAX_REASON)] | None = Field(None, description="Told once applied.")
    keep_control: bool | None = Field(None, description="false: do not call me again then.")


class Proposer(Tool[A], ABC):
    """A tool whose calls become proposals."""

    writes = True

    @abstractmethod
    def proposals(self, call_id: str, arguments: A) -> Sequence[WriteCall]:
        """What a call proposes, the one with the id of the call last; nothing if all is like that already.

        Raises `ChangeRefused`.
        """


class WriteTool(Proposer[Proposing]):
    """Proposes one kind of action."""

    def __init__(self, action: type[StrictModel], description: str) -> None:
        self.action = NAMES[action]
        self.name = f"propose_{self.action}"
        self.description = description
        bases: Any = (Proposing, action)
        self.arguments = create_model(f"{action.__name__}Arguments", __base__=bases)

    def proposals(self, call_id: str, arguments: Proposing) -> Sequence[WriteCall]:
        return (self.write(call_id, arguments),)

    def write(self, call_id: str, arguments: Proposing) -> WriteCall:
        """What a call proposes, of arguments that were parsed."""
        own = arguments.model_dump(mode="json", exclude_unset=True, exclude=set(Proposing.model_fields))
        return WriteCall(
            id=call_id,
            tool=self.name,
            action=parse(self.action, own),
            arguments=own,
            reason=arguments.reason,
            request_validation=bool(arguments.request_validation),
        )


BATCH = WriteTool(
    Batch,
    "Changes that belong together, applied all or none, in this order: later ones see earlier ones, as other proposals"
    " of one answer do not. Give what is new a key to name it later.",
)
WRITE_TOOLS = (
    WriteTool(
        UpdateObject,
        "New values of an object's fields; the others stay.",
    ),
    WriteTool(CreateObject, "A new object; its parent holds it."),
    WriteTool(DeleteObject, "Deletes an object, with all that it holds where its kind allows that."),
    WriteTool(MoveObject, "Another parent for an object."),
)
