"""All that a person may ask of a conversation: each function checks, changes, and tells the log, in one transaction.

Every door (WebSocket, REST, admin, commands) calls these, so they cannot disagree.
"""

import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat import models_available, queries
from chat.engine import claims, doorbell
from chat.engine.machine import RESTING
from chat.engine.states import Phase, load
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import Message, Run, RunStatus, Session, Stream
from chat.providers.registry import ModelUnavailableError
from chat.refusals import Refused
from graphs.access import Member, graph_for

TITLE_CHARS = 80
LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class ObjectName:
    """An object as the doors name it: `{"type": "graph", "id": "nba"}`."""

    type: str
    id: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message was taken. `after` is the number to read the stream from to see everything about it."""

    session_id: uuid.UUID
    user_message_id: uuid.UUID
    message_id: uuid.UUID
    run_id: uuid.UUID
    stream: str
    after: int

    def to_json(self) -> dict[str, Any]:
        """As the doors answer; `after` is for the door that subscribes."""
        return {
            "sessionId": str(self.session_id),
            "userMessageId": str(self.user_message_id),
            "messageId": str(self.message_id),
            "runId": str(self.run_id),
            "stream": self.stream,
            "after": self.after,
        }


def post_message(
    member: Member, text: str, *, session_id: str = "", context: ObjectName | None = None, model: str = ""
) -> Accepted:
    """Stores what a person wrote and queues the run that answers it; opens a session where none is named.

    Raises `Refused` for an unusable text, context or model, `NotFound` for a foreign session or object.
    """
    _require_text(text)
    _require_model(model)
    with transaction.atomic():
        if session_id:
            session = queries.held_session(member, session_id)
            position, resting = queries.next_place(session)
        else:
            session, position, resting = open_session(member, context, model, text), 1, True
        if session_id and context not in (None, ObjectName(session.context_type, session.context_id)):
            raise Refused("validation", _("This conversation is about another object."), field="context")
        other_model = bool(session_id and model and model != session.model)
        if other_model:
            Session.objects.filter(pk=session.pk).update(model=model)
        question = Message(session=session, sequence=position, role=Message.Role.USER, content=text)
        run = _new_run(session, member, position + 1, {"event": "UserMessageSent"})
        told = [NewEvent("user_message", {"content": text}, question.pk, run.pk), _queued(run)]
        if not session_id or other_model:
            told.append(NewEvent("session_updated", {"title": session.title, "model": model}))
        before = _store(run, member, told, resting=resting, question=question)
    return Accepted(session.pk, question.pk, run.message_id, run.pk, session.stream.name, before)


def open_session(member: Member, context: ObjectName | None, model: str, first_text: str) -> Session:
    """A new conversation about an object of the workspace, titled by its first message."""
    if context is not None:
        if context.type != "graph":
            sentence = _("There is no kind of object called “%(kind)s”.") % {"kind": context.type}
            raise Refused("validation", sentence, field="context.type")
        graph_for(member, context.id)
    session_id = uuid.uuid4()
    stream = Stream.objects.create(name=f"session_{session_id}", workspace=member.workspace)
    return Session.objects.create(
        id=session_id,
        workspace=member.workspace,
        owner=member.user,
        stream=stream,
        title=_title(first_text),
        context_type=context.type if context else "",
        context_id=context.id if context else "",
        model=model,
        language=(get_language() or "en")[:10],
    )


def answer(member: Member, session_id: str, *, text: str | None = None, go_on: bool | None = None) -> Accepted:
    """Answers what the session waits for: a question with a text, the tool limit with `go_on`.

    Raises `Refused` with "conflict" when it does not wait for that.
    """
    with transaction.atomic():
        session = queries.held_session(member, session_id)
        waiting = load(session.state).waiting
        expected = "tool_limit" if go_on is not None else "question"
        if waiting is None or waiting.kind != expected or queries.live_run(session) is not None:
            raise Refused("conflict", _("This conversation does not wait for that answer (any more)."))
        trigger = {"event": "CommunicationResponseReceived", "go_on": go_on, "text": text}
        return _continue(session, member, trigger)


def retry(member: Member, session_id: str) -> Accepted:
    """Asks the last question again after an error; the person's message is not repeated.

    Raises `Refused` with "conflict" unless the last answer failed in a way that may pass.
    """
    with transaction.atomic():
        session = queries.held_session(member, session_id)
        last = session.runs.select_related("message").order_by("-message__sequence").first()
        if last is None or last.status != RunStatus.FAILED or not (last.error or {}).get("retryable"):
            raise Refused("conflict", _("There is nothing to try again here."))
        Message.objects.filter(pk=last.message_id).update(exclude_from_prompt=True)
        return _continue(session, member, {"event": "UserMessageSent"})


def stop(member: Member, session_id: str) -> None:
    """Stops the answer that is being written and those that wait; what was written is kept."""
    with transaction.atomic():
        _stop(queries.held_session(member, session_id))


def _stop(session: Session) -> None:
    # A run that another process gave back has shown something: who claims it next closes it with that.
    given_back = Q(status=RunStatus.QUEUED, first_sequence__isnull=False)
    begun = session.runs.filter(Q(status=RunStatus.RUNNING) | given_back)
    begun.filter(stop_requested_at=None).update(stop_requested_at=timezone.now())
    waiting = list(session.runs.filter(status=RunStatus.QUEUED, first_sequence=None).order_by("message__sequence"))
    transaction.on_commit(doorbell.ring)
    if not waiting:
        return
    Message.objects.filter(run__in=waiting).update(status=Message.Status.STOPPED)
    session.runs.filter(pk__in=[run.pk for run in waiting]).update(
        status=RunStatus.CANCELLED, outcome="stopped", ended_at=timezone.now()
    )
    told = []
    for run in waiting:
        told.append(NewEvent("status", {"state": "cancelled"}, run.message_id, run.pk))
        told.append(NewEvent("done", {"reason": "stopped", "fullText": ""}, run.message_id, run.pk))
    append(session.stream_id, told)


def update_session(
    member: Member,
    session_id: str,
    *,
    title: str | None = None,
    model: str | None = None,
    on_disconnect: str | None = None,
    require_validation: bool | None = None,
) -> Session:
    """Changes what is given; raises `Refused` for an unusable value."""
    if title is not None and not 0 < len(title.strip()) <= LONGEST_TITLE:
        sentence = _("A title has 1 to %(count)s characters.") % {"count": LONGEST_TITLE}
        raise Refused("validation", sentence, field="title")
    _require_model(model or "")
    with transaction.atomic():
        session = queries.held_session(member, session_id)
        session.title = session.title if title is None else title.strip()
        session.model = session.model if model is None else model
        session.on_disconnect = on_disconnect or session.on_disconnect
        if require_validation is not None:
            session.require_validation = require_validation
        session.save(update_fields=["title", "model", "on_disconnect", "require_validation"])
        append(session.stream_id, [NewEvent("session_updated", {"title": session.title, "model": session.model})])
    return session


def delete_session(member: Member, session_id: str) -> None:
    """Hides a conversation from its owner and stops it; audit and history keep it."""
    with transaction.atomic():
        session = queries.held_session(member, session_id)
        Session.objects.filter(pk=session.pk).update(hidden_at=timezone.now())
        _stop(session)


def _new_run(session: Session, member: Member, position: int, trigger: dict[str, Any]) -> Run:
    """A run and the empty answer it will fill; neither is stored yet."""
    reply = Message(session=session, sequence=position, role=Message.Role.ASSISTANT, status=Message.Status.QUEUED)
    return Run(session=session, message=reply, author=member.user, trigger=trigger)


def _store(run: Run, member: Member, told: list[NewEvent], *, resting: bool, question: Message | None = None) -> int:
    """Stores a run and what is told about it; returns the number before its first event.

    Where nothing is on its way in the session, a runner of this process begins at once. Otherwise the run waits.
    """
    session = run.session
    runner = doorbell.runner_for(session.pk) if resting and claims.knows(session) else None
    begun = claims.begin(run, member, runner.process_id, len(told)) if runner else None
    Message.objects.bulk_create([question, run.message] if question else [run.message])
    run.save(force_insert=True)
    phase = Phase.EXECUTING_ENRICHMENTS if begun else session.phase
    Session.objects.filter(pk=session.pk).update(phase=phase, updated_at=timezone.now())
    if runner and begun:
        told = [*told, claims.started(run)]
        transaction.on_commit(lambda: runner.adopt(begun), robust=True)
    else:
        transaction.on_commit(doorbell.ring)
    return append(session.stream_id, told) - len(told)


def _continue(session: Session, member: Member, trigger: dict[str, Any]) -> Accepted:
    position, resting = queries.next_place(session)
    if load(session.state).phase not in RESTING or not resting:
        raise Refused("conflict", _("An answer is being written. Wait until it is done, or stop it."))
    run = _new_run(session, member, position, trigger)
    before = _store(run, member, [_queued(run)], resting=resting)
    asked = session.messages.filter(role=Message.Role.USER).order_by("-sequence").first()
    assert asked is not None
    return Accepted(session.pk, asked.pk, run.message_id, run.pk, session.stream.name, before)


def _queued(run: Run) -> NewEvent:
    return NewEvent("status", {"state": "queued", "jobId": str(run.pk)}, run.message_id, run.pk)


def _require_text(text: str) -> None:
    if not text.strip():
        raise Refused("validation", _("Write a message first."), field="message")
    if len(text) > settings.MAX_MESSAGE_CHARS:
        raise Refused(
            "validation",
            _("The message has %(length)s characters; at most %(limit)s can be sent. Shorten it or send it in parts.")
            % {"length": len(text), "limit": settings.MAX_MESSAGE_CHARS},
            field="message",
        )


def _require_model(model: str) -> None:
    if not model:
        return
    try:
        models_available.configured().resolve(model)
    except ModelUnavailableError:
        sentence = _("There is no model called “%(model)s”.") % {"model": model[:100]}
        raise Refused("validation", sentence, field="model") from None


def _title(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"
