"""What a client may say on the socket of an object's page."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from chat.sockets.frames import Frame, Introduction

MOST_SELECTED = 50
FieldPath = Annotated[str, Field(min_length=1, max_length=250)]


class Authenticate(Introduction):
    type: Literal["object:authenticate"]


class Presence(Frame):
    """The fields that the person is in."""

    type: Literal["object:presence"]
    selection: Annotated[list[FieldPath], Field(max_length=MOST_SELECTED)] = []


AnyFrame = Annotated[Authenticate | Presence, Field(discriminator="type")]
adapter: TypeAdapter[Any] = TypeAdapter(AnyFrame)
