"""What a client may say on the chat socket: one pydantic model per frame, unknown keys refused."""

import re
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import Field, TypeAdapter, ValidationError

from chat.actions.posting import Asked, Digest, Feedback, Id
from chat.actions.refusals import Refused
from chat.models.runs import Correction
from graphs.site.api.bodies import Body, errors_by_field

#: An `_id` is repeated in every event of its run.
OwnId = Annotated[int, Field(ge=-(2**63), lt=2**63)] | Annotated[str, Field(max_length=100)]
#: What a validation error may quote of the frame.
LONGEST_SENTENCE = 500


class Frame(Body):
    """`_id` is the client's own number for this frame; answers repeat it."""

    id: OwnId | None = Field(None, alias="_id")


class Introduction(Frame):
    """Says who one is; again, to renew it."""

    token: Annotated[str, Field(max_length=4096)]


class Authenticate(Introduction):
    type: Literal["ai:authenticate"]


class Chat(Frame, Asked):
    type: Literal["ai:chat"]
    idempotency_key: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class Resume(Frame):
    """Answers what a session waits for: a question, the tool limit, or a proposal, which anybody who edits may do."""

    type: Literal["ai:resume"]
    session_id: Id
    answer: Annotated[str, Field(max_length=32_000)] | None = None
    continue_: bool | None = Field(None, alias="continue")
    proposal_id: Id | None = None
    approved: bool | None = None
    feedback: Feedback = ""
    edited_arguments: dict[str, Any] | None = None
    digest: Digest = ""


class Retry(Frame):
    """`correction` is one that the error named; "model" asks the `model`."""

    type: Literal["ai:retry"]
    session_id: Id
    correction: Correction | None = None
    model: Annotated[str, Field(max_length=100)] = ""


class Deepen(Frame):
    type: Literal["ai:deepen"]
    message_id: Id


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
    Authenticate | Chat | Resume | Retry | Deepen | Interrupt | Subscribe | Unsubscribe, Field(discriminator="type")
]
adapter: TypeAdapter[Any] = TypeAdapter(AnyFrame)


def read(data: Any, adapter: TypeAdapter[Any] = adapter) -> Any:
    """One of the frames of an adapter; raises `Refused` with a sentence for each wrong field."""
    if not isinstance(data, dict):
        raise Refused("validation", _("A frame is a JSON object with a “type”."))
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        raise Refused("validation", _readable(error)) from None


def own_id(data: Any) -> int | str | None:
    """The `_id` of a frame that may be wrong in everything else, to name it in the refusal."""
    given = data.get("_id") if isinstance(data, dict) else None
    fits = isinstance(given, str) and len(given) <= 100
    return given if fits or (type(given) is int and abs(given) < 2**63) else None


_OWN_ID = re.compile(r'"_id"\s*:\s*(?:(-?\d{1,18})\b|"([^"\\\x00-\x1f]{1,100})")')


def guessed_id(text: str | None) -> int | str | None:
    """The `_id` of a frame that is no JSON, or came too soon to be read, as far as its text shows it."""
    found = _OWN_ID.search(text or "")
    if found is None:
        return None
    return int(found[1]) if found[1] else found[2]


def _readable(error: ValidationError) -> str:
    found = errors_by_field(error)
    text = "; ".join(f"{field}: {', '.join(sentences)}" for field, sentences in list(found.items())[:5])
    return text if len(text) <= LONGEST_SENTENCE else text[:LONGEST_SENTENCE] + "…"
