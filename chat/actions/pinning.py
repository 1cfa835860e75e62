"""Pins messages for the model, leaves them out, and says which records are always sent."""

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.engine import open_calls
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.models import AlwaysSend, Message, Session, Summary
from chat.prompts.always_sent import MAX_RECORDS, sent_in
from chat.queries.conversations import held_own_session, message_for, summary_of
from graphs.history.outside import begin_history
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.objects.stores import has_part
from graphs.site.access import Member, NotFound


def keep_message(member: Member, message_id: str, in_prompt: str) -> Message:
    """Pins a message of an own conversation, leaves it out, or neither. Raises `NotFound`, `Refused` "conflict"."""
    with transaction.atomic():
        found = message_for(member.user, message_id)
        session = held_own_session(member, str(found.session_id))
        message = Message.objects.select_related("run").get(pk=found.pk)
        if message.status in Message.UNFINISHED:
            raise Refused("conflict", _("This answer is still being written. Wait until it is done."))
        if in_prompt == Message.InPrompt.LEFT_OUT and _waits(session, message):
            raise Refused("conflict", _("This answer waits for a decision. Decide first."))
        if message.in_prompt != in_prompt:
            if message.in_prompt == Message.InPrompt.LEFT_OUT:
                _keep_beside_summaries(message)
            message.in_prompt = in_prompt
            message.save(update_fields=["in_prompt"])
            news: dict[str, Any] = {"message": {"messageId": str(message.pk), "inPrompt": in_prompt}}
            if in_prompt == Message.InPrompt.LEFT_OUT and _forget_summaries(message):
                summary = summary_of(session)
                news["summary"] = summary.to_json() if summary else None
            append(session.stream_id, [NewEvent("session_updated", news)])
    return message_for(member.user, message_id)


def _forget_summaries(left_out: Message) -> bool:
    """Deletes the first summary that stands for a message, and those that were made from it; False if none does."""
    summaries = list(Summary.objects.filter(session=left_out.session_id))
    first = next((number for number, each in enumerate(summaries) if _stands_for(each, left_out)), len(summaries))
    Summary.objects.filter(pk__in=[each.pk for each in summaries[first:]]).delete()
    return first < len(summaries)


def _keep_beside_summaries(put_back: Message) -> None:
    for summary in Summary.objects.filter(session=put_back.session_id):
        if _stands_for(summary, put_back):
            summary.kept = sorted([*summary.kept, put_back.sequence])
            summary.save(update_fields=["kept"])


def _stands_for(summary: Summary, message: Message) -> bool:
    if summary.sequence == message.sequence:
        return summary.rounds > 0
    return summary.sequence > message.sequence and message.sequence not in summary.kept


def _waits(session: Session, message: Message) -> bool:
    waiting = open_calls.waiting_answer(session)
    return waiting is not None and waiting.pk == message.pk


def always_send(member: Member, ref: Ref, part: Ref | None = None, *, always: bool) -> None:
    """Says whether an object, or a part of it, is always sent. Raises `NotFound`, `Forbidden`, `Refused`."""
    of = object_for(member, ref)
    member.require_editor()
    part_type, part_key = part or ("", "")
    named = {"workspace": member.workspace, "object_type": ref.type, "object_key": ref.key}
    named |= {"part_type": part_type, "part_key": part_key}
    if not always:
        sent_in(member.workspace).filter(**named).delete()
        return
    if part and not has_part(of, part):
        raise NotFound
    if sent_in(member.workspace).exclude(**named).count() >= MAX_RECORDS:
        sentence = _("At most %(count)s records can always be sent. Remove one first.") % {"count": MAX_RECORDS}
        raise Refused("conflict", sentence)
    with transaction.atomic():
        begin_history(of)
        # What was chosen of an object that had this name before.
        AlwaysSend.objects.filter(**named).exclude(Q(header=None) | Q(header=of.pk)).delete()
        chosen = AlwaysSend(**named, header=of.pk, added_by=member.user)
        AlwaysSend.objects.bulk_create([chosen], ignore_conflicts=True)
