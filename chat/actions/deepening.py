"""Asks an answer's question again, of the next stronger model, which knows the first answer; both stay."""

import uuid

from django.db import transaction
from django.utils.translation import gettext as _

from chat.actions.conversations import require_rest
from chat.actions.refusals import Refused
from chat.engine import available_models, offered_models, open_calls
from chat.engine.runs import Accepted, new_run, queued, start
from chat.models import Message, Run, RunStatus, Session
from chat.prompts.deepening import note_about
from chat.providers.configured_models import ModelUnavailableError
from chat.queries.conversations import held_session
from graphs.site.access import Member, or_not_found


def deepen(member: Member, session_id: str, message_id: uuid.UUID) -> Accepted:
    """Begins the deeper answer, or names the one begun before unless that failed. Raises `NotFound`, `Refused`."""
    with transaction.atomic():
        session = held_session(member, session_id)
        answers = session.messages.filter(pk=message_id, role=Message.Role.ASSISTANT).select_related("run")
        answer = or_not_found(answers.first())
        if begun := _begun_before(answer):
            return _as_accepted_before(session, begun)
        position = require_rest(session)
        if open_calls.waiting_answer(session):
            raise Refused("conflict", _("A change waits for a decision. Decide about it first."))
        stronger = offered_models.stronger(member, _model_of(answer.run, session))
        if stronger is None:
            raise Refused("conflict", _("There is no stronger model than the one that answered."))
        question = _question_of(answer)
        if question.in_prompt == Message.InPrompt.LEFT_OUT:
            raise Refused("conflict", _("The question is left out for the model. Let it be sent again first."))
        asked = session.messages.filter(role=Message.Role.USER, kind=Message.TEXT)
        later = asked.filter(sequence__gt=answer.sequence).exists()
        Message.objects.create(
            session=session,
            sequence=position,
            role=Message.Role.USER,
            kind=Message.NOTE,
            content=note_about(question.content if later else ""),
        )
        run = new_run(session, member.user, position + 1, {"event": "UserMessageSent"}, model=stronger.id)
        run.prompt_version_id, run.reads_only = answer.run.prompt_version_id, answer.run.reads_only
        run.message.deepens = answer
        return start(run, member, [queued(run)], resting=True, question=question)


def _begun_before(answer: Message) -> Run | None:
    live = Run.objects.filter(message__deepens=answer).exclude(status__in=[RunStatus.FAILED, RunStatus.CANCELLED])
    return live.select_related("message").order_by("-message__sequence").first()


def _as_accepted_before(session: Session, run: Run) -> Accepted:
    stream = session.stream
    before = run.first_sequence - 1 if run.first_sequence else stream.last_sequence
    question = _question_of(run.message)
    return Accepted(session.pk, question.pk, run.message_id, run.pk, stream.pk, before, stream.last_sequence)


def _model_of(run: Run, session: Session) -> str:
    """The model that gave an answer, or was meant to."""
    if run.provider:
        return f"{run.provider}:{run.model}"
    try:
        return available_models.configured().resolve(run.asked_model or session.model or None).id
    except ModelUnavailableError:
        return ""


def _question_of(answer: Message) -> Message:
    asked = answer.session.messages.filter(role=Message.Role.USER, kind=Message.TEXT, sequence__lt=answer.sequence)
    return or_not_found(asked.order_by("-sequence").first())
