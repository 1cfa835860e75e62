"""What a client may say on a graph's socket. Edits are those of `POST graphs/{key}/changes`."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from chat.sockets.frames import Frame, Introduction
from graphs.api.changes import MOST_SEEN, ActionBody, SeenBody
from graphs.objects.actions import MAX_ACTIONS
from graphs.site.api.bodies import Body
from graphs.site.field_sentences import ASCII

#: An edit is known by it for a week, on whichever socket it is sent again.
EditId = Annotated[str, Field(min_length=1, max_length=100, pattern=ASCII)]
Key = Annotated[str, Field(min_length=1, max_length=250)]
Coordinate = Annotated[float, Field(ge=-10_000_000, le=10_000_000, allow_inf_nan=False)]
MOST_SELECTED = 50


class Authenticate(Introduction):
    type: Literal["graph:authenticate"]


class Edit(Frame):
    """An edit. `expected` are the items as the person saw them; a later change of one of the fields is a conflict."""

    type: Literal["graph:edit"]
    id: EditId = Field(alias="_id")
    actions: Annotated[list[ActionBody], Field(min_length=1, max_length=MAX_ACTIONS)]
    expected: Annotated[list[SeenBody], Field(max_length=MOST_SEEN)] = []


class Undo(Frame):
    """Takes back what the person's own edit did that made this version of the graph."""

    type: Literal["graph:undo"]
    id: EditId = Field(alias="_id")
    version: Annotated[int, Field(ge=1, lt=2**31)]


class Save(Frame):
    """Gives the history now what it would get within half a minute."""

    type: Literal["graph:save"]


class Cursor(Body):
    sheet: Key
    x: Coordinate
    y: Coordinate


class Presence(Frame):
    """What the person looks at: keys of nodes, and a point on a sheet."""

    type: Literal["graph:presence"]
    selection: Annotated[list[Key], Field(max_length=MOST_SELECTED)] = []
    cursor: Cursor | None = None


AnyFrame = Annotated[Authenticate | Edit | Undo | Save | Presence, Field(discriminator="type")]
adapter: TypeAdapter[Any] = TypeAdapter(AnyFrame)
