"""What a tool is that proposes, an action with a reason, handed to `chat.proposals`; and those for any object."""

from typing import Annotated, Any

from pydantic import Field, create_model

from chat.proposals import WriteCall
from chat.tools.base import Arguments, Tool
from graphs.objects.actions import NAMES, Batch, CreateObject, DeleteObject, MoveObject, UpdateObject, parse
from graphs.objects.strict import StrictModel

#: Characters of a reason, and of a text to show afterwards.
MAX_REASON = 2_000


class Proposing(Arguments):
    """What every proposal says besides the change."""

    reason: Annotated[str, Field(min_length=1, max_length=MAX_REASON)] = Field(
        description="Why, for the person, in their language."
    )
    request_validation: bool | None = Field(None, description="true: ask the person in any case.")
    post_text: Annotated[str, Field(max_length=MAX_REASON)] | None = Field(
        None, description="Told once it was applied."
    )
    keep_control: bool = Field(True, description="false: do not call me again then.")


class WriteTool(Tool[Proposing]):
    """Proposes one kind of action."""

    kind = "write"

    def __init__(self, action: type[StrictModel], description: str) -> None:
        self.action = NAMES[action]
        self.name = f"propose_{self.action}"
        self.description = description
        bases: Any = (Proposing, action)
        self.arguments = create_model(f"{action.__name__}Arguments", __base__=bases)

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
    "Proposes several changes that belong together, decided as one and applied all or none, in this order: later"
    " ones see earlier ones. Proposals of one answer do not see each other, so what builds on another change must"
    " be in one batch. Give a new node a key to refer to it in later actions of the batch.",
)
WRITE_TOOLS = (
    WriteTool(
        UpdateObject,
        "Proposes new values of an object's fields. Only what is given changes. Change long texts with patches: each"
        " search text must occur exactly once in the field.",
    ),
    WriteTool(CreateObject, "Proposes a new object of a kind; its parent is the object that holds it."),
    WriteTool(DeleteObject, "Proposes to delete an object. What still holds others cannot be deleted."),
    WriteTool(MoveObject, "Proposes another parent for an object."),
)
