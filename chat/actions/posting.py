"""Posts a message through a door: counted, and once for each idempotency key whatever the door."""

import uuid
from dataclasses import dataclass
from typing import Annotated, Any

from django.conf import settings
from django.contrib.auth.models import User
from pydantic import Field

from chat.actions import conversations
from chat.actions.idempotency import once
from chat.engine.runs import Accepted
from chat.queries.conversations import Held
from chat.queries.streams import ReadableStream
from graphs.models import Object
from graphs.objects.ref_body import RefBody
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.site.api.bodies import Body
from graphs.site.api.limits import require

Id = Annotated[str, Field(min_length=1, max_length=100)]
#: What a person gives the model to think about with their decision, and the name of what they were shown.
Feedback = Annotated[str, Field(max_length=8_000)]
Digest = Annotated[str, Field(max_length=64)]


class ContextBody(RefBody):
    """An object as the doors name it."""

    id: Id


class Asked(Body):
    """What a person may send as a message."""

    message: str
    session_id: Id | None = None
    context: ContextBody | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    attachments: Annotated[list[Any], Field(max_length=0)] | None = None

    @property
    def about(self) -> Ref | None:
        """The name of the object that the conversation is about, if the person said it."""
        return self.context.ref if self.context else None


@dataclass(frozen=True, slots=True)
class Posted:
    """What the door answers, to whom; `stream` is that of what was stored, None where an answer is repeated."""

    answer: dict[str, Any]
    member: Member
    stream: ReadableStream | None


def take(
    to: Held | Member,
    asked: Asked,
    key: str | None,
    found: Object | None = None,
    reads_in: uuid.UUID | None = None,
) -> Posted:
    """Takes a message into a conversation or, to a member, into a new one; in a transaction.

    `found` is the object that the new one is to be about, where it was read already. The person reads on in the process
    `reads_in`, unless that is None, or the answer is repeated.
    Repeats the answer to the same key and body. Raises `Refused`, `NotFound`, `Problem`.
    """
    member = to.member if isinstance(to, Held) else to
    # Only now: what names no conversation of theirs is not counted. A silent Valkey holds it up for half a second.
    count_run(member.user)
    body = asked.model_dump(include=set(Asked.model_fields)) | {"workspace": member.workspace.pk}
    accepted: list[Accepted] = []

    def make() -> dict[str, Any]:
        accepted.append(_post(to, asked, found, reads_in))
        return accepted[0].to_json()

    answer = once(member.user, key, body, make)
    return Posted(answer, member, _stream_of(accepted[0], member) if accepted else None)


def _post(to: Held | Member, asked: Asked, found: Object | None, reads_in: uuid.UUID | None) -> Accepted:
    context, model = asked.about, asked.model or ""
    if isinstance(to, Held):
        return conversations.post_into(to, asked.message, context=context, model=model, reads_in=reads_in)
    return conversations.post_message(to, asked.message, context=context, found=found, model=model, reads_in=reads_in)


def _stream_of(accepted: Accepted, member: Member) -> ReadableStream:
    session_id = str(accepted.session_id)
    return ReadableStream(accepted.stream_id, accepted.stream, member.workspace.pk, accepted.last, session_id)


def count_run(user: User) -> None:
    """Counts as a message whatever makes the model write; raises `Problem` 429 for too many."""
    require("messages", str(user.pk), settings.LIMIT_MESSAGES)
