"""Posting a message through a door: counted, and once for each idempotency key whatever the door."""

from typing import Annotated, Any

from django.conf import settings
from django.contrib.auth.models import User
from pydantic import Field

from chat.actions import conversations
from chat.actions.idempotency import once
from graphs.site.access import Member
from graphs.site.api.bodies import Body
from graphs.site.api.limits import require

Id = Annotated[str, Field(min_length=1, max_length=100)]
#: What a person gives the model to think about with their decision, and the name of what they were shown.
Feedback = Annotated[str, Field(max_length=8_000)]
Digest = Annotated[str, Field(max_length=64)]


class ContextBody(Body):
    """An object as the doors name it."""

    type: Annotated[str, Field(min_length=1, max_length=30)]
    id: Id


class Asked(Body):
    """What a person may send as a message."""

    message: str
    session_id: Id | None = None
    context: ContextBody | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    attachments: Annotated[list[Any], Field(max_length=0)] | None = None


def post(member: Member, asked: Asked, key: str | None) -> dict[str, Any]:
    """Takes a message, or repeats the answer that the same key and body got.

    Raises `Refused` for an unusable one, `NotFound` for a foreign session or object, `Problem` 429 for too many.
    """
    count_run(member.user)
    context = conversations.ObjectName(asked.context.type, asked.context.id) if asked.context else None

    def act() -> dict[str, Any]:
        return conversations.post_message(
            member, asked.message, session_id=asked.session_id or "", context=context, model=asked.model or ""
        ).to_json()

    body = asked.model_dump(include=set(Asked.model_fields)) | {"workspace": member.workspace.pk}
    return once(member.user, key, body, act)


def count_run(user: User) -> None:
    """Everything that makes the model write counts as a message; raises `Problem` 429 for too many."""
    require("messages", str(user.pk), settings.LIMIT_MESSAGES)
