"""Posts a message through a door: counted, and once for each idempotency key whatever the door."""

import hashlib
import json
from dataclasses import dataclass
from typing import Annotated, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils.translation import gettext as _
from pydantic import Field

from chat.actions import conversations
from chat.actions.refusals import Refused
from chat.engine.runs import Accepted
from chat.models import IdempotencyKey
from chat.queries.conversations import Held
from graphs.objects.ref_body import RefBody
from graphs.site.access import Member
from graphs.site.api.bodies import Body
from graphs.site.api.limits import require

Id = Annotated[str, Field(min_length=1, max_length=100)]
#: What a person gives the model to think about with their decision, and the name of what they were shown.
Feedback = Annotated[str, Field(max_length=8_000)]
Digest = Annotated[str, Field(max_length=64)]

_RESERVE = """
INSERT INTO chat_idempotencykey (user_id, key, body_digest) VALUES (%s, %s, %s)
ON CONFLICT (user_id, key) DO NOTHING
"""


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


@dataclass(frozen=True, slots=True)
class Posted:
    """What the door answers; `accepted` is None where it repeats an answer."""

    answer: dict[str, Any]
    accepted: Accepted | None


def post(to: Held | Member, asked: Asked, key: str | None) -> dict[str, Any]:
    """What the door answers to a message that is taken as `take` does."""
    return take(to, asked, key).answer


def take(to: Held | Member, asked: Asked, key: str | None) -> Posted:
    """Takes a message into a conversation or, to a member, into a new one; in a transaction.

    Repeats the answer to the same key and body. Raises `Refused`, `NotFound`, `Problem`.
    """
    member = to.member if isinstance(to, Held) else to
    # Only now: what names no conversation of theirs is not counted. A silent Valkey holds it up for half a second.
    count_run(member.user)
    if not key:
        accepted = _post(to, asked)
        return Posted(accepted.to_json(), accepted)
    key = _digest(key)
    body = asked.model_dump(include=set(Asked.model_fields)) | {"workspace": member.workspace.pk}
    digest = _digest(json.dumps(body, sort_keys=True))
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_RESERVE, [member.user.pk, key, digest])
            first = cursor.rowcount == 1
        kept = IdempotencyKey.objects.get(user=member.user, key=key)
        if first:
            accepted = _post(to, asked)
            kept.answer = accepted.to_json()
            kept.save(update_fields=["answer"])
            return Posted(kept.answer, accepted)
        if kept.body_digest != digest:
            raise Refused("idempotency_key", _("This Idempotency-Key was used for another request. Use a new one."))
    return Posted(dict(kept.answer or {}), None)


def _post(to: Held | Member, asked: Asked) -> Accepted:
    context, model = asked.context.ref if asked.context else None, asked.model or ""
    if isinstance(to, Held):
        return conversations.post_into(to, asked.message, context=context, model=model)
    return conversations.post_message(to, asked.message, context=context, model=model)


def count_run(user: User) -> None:
    """Counts as a message whatever makes the model write; raises `Problem` 429 for too many."""
    require("messages", str(user.pk), settings.LIMIT_MESSAGES)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
