"""What a person may ask of a conversation, each in one transaction; every door calls these."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.engine import available_models, doorbell, error_texts, offered_models, open_calls
from chat.engine.machine import RESTING
from chat.engine.runs import Accepted, new_run, queued, start
from chat.engine.states import load
from chat.engine.turns import apply_decisions
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.generation.asked import generation_event
from chat.models import LIVE, Message, Proposal, Run, RunStatus, Session, SessionType, Stream, calls_of
from chat.models.runs import Correction
from chat.prompts import correcting
from chat.proposals import cancel_pending
from chat.queries.conversations import Held, held_own_session, held_session, next_position
from chat.rights.conversations import WRITES, access_to
from graphs.models import Object, Role
from graphs.objects.headers import object_for, seen
from graphs.objects.kinds import is_object
from graphs.objects.refs import Ref
from graphs.site.access import Forbidden, Member, NotFound, or_not_found, parsed_id

TITLE_CHARS = 80
LONGEST_TITLE = 200


def post_message(
    member: Member,
    text: str,
    *,
    context: Ref | None = None,
    found: Object | None = None,
    model: str = "",
    reads_in: uuid.UUID | None = None,
) -> Accepted:
    """Stores a message of a new conversation and the run that answers it; who asks reads on in a process, if any.

    `found` is the object of the context, where it was read already.
    Raises `Refused` and `NotFound` before it writes, so that a caller's transaction goes on.
    """
    _require_text(text)
    require_model(member, model)
    _require_object(member, context, found)
    with transaction.atomic(savepoint=False):
        session = new_session(member, context, model, text)
        return _ask(Held(session, member, 1, resting=True), text, about=found, reads_in=reads_in)


def post_into(
    held: Held, text: str, *, context: Ref | None = None, model: str = "", reads_in: uuid.UUID | None = None
) -> Accepted:
    """Stores a message and the run that answers it, with a model for this answer only. Raises `Refused`."""
    _require_text(text)
    require_model(held.member, model)
    _require_not_archived(held.session)
    if context not in (None, held.session.context):
        raise Refused("validation", _("This conversation is about another object."), field="context")
    if not model:
        require_model(held.member, held.session.model)
    return _ask(held, text, model, reads_in=reads_in)


def _ask(
    held: Held, text: str, model: str = "", *, about: Object | None = None, reads_in: uuid.UUID | None = None
) -> Accepted:
    session, member = held.session, held.member
    author = member.user if member.user.pk != session.owner_id else None
    question = Message(session=session, sequence=held.position, role=Message.Role.USER, content=text, author=author)
    run = new_run(session, member.user, held.position + 1, {"event": "UserMessageSent"}, model=model)
    events = open_calls.close(session)
    written = {"content": text} | ({"author": author.get_username()} if author else {})
    events += [NewEvent("user_message", written, question.pk, run.pk), queued(run)]
    if session._state.adding:
        events.append(NewEvent("session_updated", {"title": session.title, "model": session.model}))
    return start(run, member, events, resting=held.resting, question=question, about=about, reads_in=reads_in)


def _require_object(member: Member, context: Ref | None, found: Object | None) -> None:
    """Refuses a conversation about what is no object that the member may see; `found` is it, where it was read."""
    if context is None:
        return
    if not is_object(context.type):
        sentence = _("There is no kind of object called “%(kind)s”.") % {"kind": context.type}
        raise Refused("validation", sentence, field="context.type")
    if found is None:
        object_for(member, context)
    else:
        seen(member, found)


def new_session(member: Member, context: Ref | None, model: str, first_text: str) -> Session:
    """A new conversation about an object of the workspace, titled by its first message; `start` stores it."""
    title = " ".join(first_text.split())
    session_id = uuid.uuid4()
    return Session(
        id=session_id,
        workspace=member.workspace,
        owner=member.user,
        stream=Stream(name=f"session_{session_id}", workspace=member.workspace),
        title=title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1].rstrip() + "…",
        context_type=context.type if context else "",
        context_id=context.key if context else "",
        model=model,
        language=(get_language() or "en")[:10],
    )


def answer(member: Member, session_id: str, *, text: str | None = None, go_on: bool | None = None) -> Accepted:
    """Answers what the session waits for. Raises `Refused` with "conflict" if it does not wait for that."""
    with transaction.atomic():
        session = held_session(member, session_id)
        waiting = load(session.state).waiting
        expected = "tool_limit" if go_on is not None else "question"
        if waiting is None or waiting.waits_for != expected or not next_position(session)[1]:
            raise Refused("conflict", _("This conversation does not wait for that answer (any more)."))
        asked = session.runs.select_related("message").order_by("-message__sequence").first()
        trigger = {"event": "CommunicationResponseReceived", "go_on": go_on, "text": text}
        return _continue(session, member, trigger, goes_on_from=asked)


def retry(
    member: Member,
    session_id: str,
    correction: Correction | None = None,
    model: str = "",
    run_id: uuid.UUID | None = None,
) -> Accepted:
    """Asks the last question again, with `correction` otherwise than before; "model" is that with another `model`.

    Raises `Refused` "conflict" unless its answer failed in a way that may pass, or that this may help; with `run_id`
    also unless that is the run of the last answer.
    """
    if bool(model) != (correction == "model"):
        raise Refused("validation", _("Another model is named with the correction “model”."), field="model")
    with transaction.atomic():
        session = held_session(member, session_id)
        last = session.runs.select_related("message").order_by("-message__sequence").first()
        error = (last.error or {}) if last is not None and last.status == RunStatus.FAILED else {}
        may_help = correction in error.get("corrections", ()) if correction else error.get("retryable")
        if last is None or not may_help or run_id not in (None, last.pk):
            raise Refused("conflict", _("There is nothing to try again here."))
        require_model(member, model)
        if not any(map(open_calls.was_applied, calls_of(last.message.rounds))):
            Message.objects.filter(pk=last.message_id).update(exclude_from_prompt=True)
        trigger: dict[str, Any] = {"event": "UserMessageSent"}
        if correction or last.trigger.get("tried"):
            tried = [*last.trigger.get("tried", ()), *filter(None, [correction])]
            trigger |= {"tried": tried} | ({"correction": correction} if correction else {})
        note = correcting.note_about(error["code"]) if correction == "shorter" else ""
        return _continue(session, member, trigger, goes_on_from=last, model=model, note=note)


def stop(member: Member, session_id: str) -> None:
    """Stops the answer being written and those that wait, and cancels what a resting conversation waits for."""
    with transaction.atomic():
        session = held_session(member, session_id)
        waiting = open_calls.waiting_answer(session)
        stop_runs(session, session.runs.all(), cancel_pending(session, [waiting.pk]) if waiting else [])


def stop_run(member: Member, run_id: str) -> None:
    """Stops one answer that is written or waits: where the member may write, or as an admin of the workspace anybody's.

    Raises `Forbidden` for others, and `Refused` "conflict" where the member may write and it has ended.
    """
    with transaction.atomic():
        here = Session.objects.filter(workspace=member.workspace, hidden_at=None, runs=parsed_id(run_id))
        here = here.exclude(type=SessionType.GENERATION)
        here = here.annotate(access=access_to(member.user, "chat_session.id"))
        held = here.select_related("stream").select_for_update(no_key=True, of=("self", "stream"))
        session = or_not_found(held.first())
        runs = session.runs.filter(pk=run_id)
        live = runs.filter(status__in=LIVE).exists()
        writes = session.access in WRITES
        if not (writes or live):
            raise NotFound
        if not (writes or member.role == Role.ADMIN):
            raise Forbidden
        if not live:
            raise Refused("conflict", _("This answer has ended meanwhile."))
        stop_runs(session, runs, [])


def stop_runs(session: Session, runs: QuerySet[Run], cancelled: Sequence[Proposal]) -> None:
    """Stops runs of a held session. `cancelled` are changes that nobody decides about any more."""
    # A run that another process gave back has shown something: who claims it next closes it with that.
    given_back = Q(status=RunStatus.QUEUED, first_sequence__isnull=False)
    begun = runs.filter(Q(status=RunStatus.RUNNING) | given_back)
    begun.filter(stop_requested_at=None).update(stop_requested_at=timezone.now())
    waiting = list(runs.filter(status=RunStatus.QUEUED, first_sequence=None).order_by("message__sequence"))
    transaction.on_commit(doorbell.ring)
    if not (waiting or cancelled):
        return
    Message.objects.filter(run__in=waiting).update(status=Message.Status.STOPPED)
    runs.filter(pk__in=[run.pk for run in waiting]).update(
        status=RunStatus.CANCELLED, outcome="stopped", ended_at=timezone.now()
    )
    events = []
    for run in waiting:
        events.append(NewEvent("status", {"state": "cancelled"}, run.message_id, run.pk))
        events.append(NewEvent("done", {"reason": "stopped", "fullText": ""}, run.message_id, run.pk))
        if session.type == SessionType.GENERATION:
            events.append(generation_event(run, "cancelled"))
    apply_decisions(session, cancelled, events)


def update_session(
    member: Member,
    session_id: str,
    *,
    title: str | None = None,
    model: str | None = None,
    on_disconnect: str | None = None,
    require_validation: bool | None = None,
    archived: bool | None = None,
) -> Session:
    """Changes what is given; raises `Refused` for an unusable value."""
    if title is not None and not 0 < len(title.strip()) <= LONGEST_TITLE:
        sentence = _("A title has 1 to %(count)s characters.") % {"count": LONGEST_TITLE}
        raise Refused("validation", sentence, field="title")
    if model:
        require_model(member, model)
    with transaction.atomic():
        session = held_own_session(member, session_id)
        given = {
            "title": None if title is None else title.strip(),
            "model": model,
            "on_disconnect": on_disconnect or None,
            "require_validation": require_validation,
        }
        new: dict[str, Any] = {
            name: value for name, value in given.items() if value not in (None, getattr(session, name))
        }
        news = {"title": new.get("title", session.title), "model": new.get("model", session.model)}
        if archived not in (None, session.archived):
            new["archived_at"] = timezone.now() if archived else None
            news["archived"] = archived
        if not new:
            return session
        for name, value in new.items():
            setattr(session, name, value)
        session.save(update_fields=new)
        append(session.stream_id, [NewEvent("session_updated", news)])
    return session


def delete_session(member: Member, session_id: str) -> None:
    """Hides a conversation from its owner and stops it; audit and history keep it."""
    with transaction.atomic():
        session = held_own_session(member, session_id)
        Session.objects.filter(pk=session.pk).update(hidden_at=timezone.now())
        stop_runs(session, session.runs.all(), cancel_pending(session))


def _continue(
    session: Session,
    member: Member,
    trigger: dict[str, Any],
    *,
    goes_on_from: Run | None,
    model: str = "",
    note: str = "",
) -> Accepted:
    """Starts a run with the model of the previous one, and deeper than the same answer if that one was to go deeper.

    `model` is another one for it, and `note` what the model is told before.
    """
    position = require_rest(session)
    asked_model = model or (goes_on_from.asked_model if goes_on_from else "")
    require_model(member, asked_model or session.model)
    if note:
        Message.objects.create(
            session=session, sequence=position, role=Message.Role.USER, kind=Message.NOTE, content=note
        )
        position += 1
    run = new_run(session, member.user, position, trigger, model=asked_model)
    if goes_on_from:
        run.prompt_version_id, run.reads_only = goes_on_from.prompt_version_id, goes_on_from.reads_only
    run.message.deepens_id = goes_on_from.message.deepens_id if goes_on_from else None
    return start(run, member, [queued(run)], resting=True)


def require_rest(session: Session) -> int:
    """The position of a held session's next message; raises `Refused` "conflict" while something is on its way."""
    _require_not_archived(session)
    position, resting = next_position(session)
    if load(session.state).phase not in RESTING or not resting:
        raise Refused("conflict", _("An answer is being written. Wait until it is done, or stop it."))
    return position


def _require_not_archived(session: Session) -> None:
    if session.archived:
        raise Refused("conflict", _("This conversation is archived. Bring it back first."))


def _require_text(text: str) -> None:
    if not text.strip():
        raise Refused("validation", _("Write a message first."), field="message")
    if len(text) > settings.MAX_MESSAGE_CHARS:
        raise Refused(
            "validation",
            _("The message has %(length)s characters; at most %(limit)s can be sent. Shorten it or send it in parts.")
            % {"length": intcomma(len(text)), "limit": intcomma(settings.MAX_MESSAGE_CHARS)},
            field="message",
        )


def require_model(member: Member, model: str) -> None:
    """Raises `Refused` "model_unavailable" for a model that this person is not offered, with those that they are.

    "" is the default. A vendor has models of any price, and the workspace pays.
    """
    if offered_models.refuses(member, model):
        available = [choice.id for choice in offered_models.offered_to(member)]
        choices = available_models.configured().choices()
        default = next((choice.id for choice in choices if choice.default), "")
        sentence = error_texts.model_unavailable(model or default, available)
        raise Refused("model_unavailable", sentence, field="model", details={"available": available})
