"""What a client may say on the chat socket: one pydantic model per frame, unknown keys refused."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

Id = Annotated[str, Field(min_length=1, max_length=100)]


class Context(BaseModel):
    """An object as the doors name it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    type: Annotated[str, Field(min_length=1, max_length=30)]
    id: Id


class Frame(BaseModel):
    """`_id` is the client's own number for this frame; answers repeat it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel)

    id: int | str | None = Field(None, alias="_id")


class Authenticate(Frame):
    type: Literal["ai:authenticate"]
    token: Annotated[str, Field(max_length=4096)]


class Chat(Frame):
    type: Literal["ai:chat"]
    message: str
    session_id: Id | None = None
    context: Context | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    attachments: Annotated[list[Any], Field(max_length=0)] | None = None
    idempotency_key: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class Resume(Frame):
    type: Literal["ai:resume"]
    session_id: Id
    answer: Annotated[str, Field(max_length=32_000)] | None = None
    continue_: bool | None = Field(None, alias="continue")


class Retry(Frame):
    type: Literal["ai:retry"]
    session_id: Id


class Interrupt(Frame):
    type: Literal["ai:interrupt"]
    session_id: Id


class Subscribe(Frame):
    type: Literal["ai:subscribe"]
    session_id: Id | None = None
    stream: Id | None = None
    after: Annotated[int, Field(ge=0, le=2**62)] = 0


class Unsubscribe(Frame):
    type: Literal["ai:unsubscribe"]
    session_id: Id | None = None
    stream: Id | None = None


AnyFrame = Annotated[
    Authenticate | Chat | Resume | Retry | Interrupt | Subscribe | Unsubscribe, Field(discriminator="type")
]
frame_adapter: TypeAdapter[Any] = TypeAdapter(AnyFrame)
