"""How a run begins: stored with its empty answer, and driven at once if nothing else is on its way."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from chat.engine import claims, doorbell
from chat.engine.states import Phase, knows
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Run, Session
from chat.queries.streams import stream_name_of
from graphs.site.access import Member


@dataclass(frozen=True, slots=True)
class Accepted:
    """What doors answer about a stored run. `after` is the number to read the stream from to see all about it."""

    session_id: uuid.UUID
    user_message_id: uuid.UUID
    message_id: uuid.UUID
    run_id: uuid.UUID
    after: int

    @property
    def stream(self) -> str:
        return stream_name_of(str(self.session_id))

    def to_json(self) -> dict[str, Any]:
        """The answer of the doors; `after` is for the door that subscribes."""
        return {
            "sessionId": str(self.session_id),
            "userMessageId": str(self.user_message_id),
            "messageId": str(self.message_id),
            "runId": str(self.run_id),
            "stream": self.stream,
            "after": self.after,
        }


def new_run(session: Session, author: User, position: int, trigger: dict[str, Any], *, model: str = "") -> Run:
    """A run and the empty answer it will fill; neither is stored yet. `model` is for this answer only."""
    reply = Message(session=session, sequence=position, role=Message.Role.ASSISTANT, status=Message.Status.QUEUED)
    return Run(session=session, message=reply, author=author, trigger=trigger, asked_model=model)


def start(
    run: Run, member: Member | None, events: Sequence[NewEvent], *, resting: bool, question: Message | None = None
) -> Accepted:
    """Stores a run and its first events, last in the transaction, with its `question` if that is a new one.

    Without `question` it belongs to the last one that a person asked.
    """
    session = run.session
    runner, begun = doorbell.local, None
    if runner and resting and knows(session) and runner.takes(session.pk):
        begun = claims.begin(run, member, runner.process_id, len(events))
    if question is None:
        question = session.messages.filter(role=Message.Role.USER, kind=Message.TEXT).order_by("-sequence")[0]
    Message.objects.bulk_create([question, run.message] if question._state.adding else [run.message])
    run.save(force_insert=True)
    phase = Phase.EXECUTING_ENRICHMENTS if begun else session.phase
    Session.objects.filter(pk=session.pk).update(phase=phase, updated_at=timezone.now())
    if runner and begun:
        events = [*events, NewEvent("status", {"state": "started"}, run.message_id, run.pk)]
        transaction.on_commit(lambda: runner.adopt(begun), robust=True)
    else:
        transaction.on_commit(doorbell.ring)
    after = append(session.stream_id, events) - len(events)
    return Accepted(session.pk, question.pk, run.message_id, run.pk, after)


def queued(run: Run) -> NewEvent:
    deepens = {"deepens": str(run.message.deepens_id)} if run.message.deepens_id else {}
    return NewEvent("status", {"state": "queued", "jobId": str(run.pk), **deepens}, run.message_id, run.pk)
