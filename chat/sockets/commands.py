"""What frames of the chat socket do, in the database and in the name of a person who may be here."""

import uuid
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from chat.access.checks import Reader, check_and_hold, check_and_join
from chat.actions import conversations, deciding, deepening, posting
from chat.actions.refusals import Refused
from chat.models import Message
from chat.queries.conversations import Held, member_in
from chat.queries.proposals import member_at, proposal_and_member
from chat.queries.streams import ReadableStream
from chat.rights.conversations import may_read
from chat.sockets import frames
from chat.sockets.closing import ACCESS_CODES, Closing
from graphs.models import Object
from graphs.site.access import Member, NotFound, parsed_id

#: Proposals that a refusal names in its sentence.
MOST_NAMED = 10


def post(
    reader: Reader, workspace: str, frame: frames.Chat, process: uuid.UUID | None = None
) -> tuple[dict[str, Any], ReadableStream | None]:
    """Takes a message into a conversation, in whichever workspace of the person it is, else into a new one in this.

    Whether the person may be here is asked together with what they ask in. They read on in this `process`, unless it
    is None: that is stored with the message, and the stream is returned, but where an answer is repeated.
    """
    to: Held | Member | None
    found: Object | None = None
    with transaction.atomic():
        if frame.session_id is not None:
            end, to = check_and_hold(reader, frame.session_id)
        else:
            end, to, found = check_and_join(reader, workspace, frame.about)
        if end:
            raise Closing(ACCESS_CODES[end])
        if to is None:
            raise NotFound
        posted = posting.take(to, frame, frame.idempotency_key, found, process)
        return posted.answer, posted.stream if process is not None else None


def retry(user: User, frame: frames.Retry) -> dict[str, Any]:
    member = member_in(user, frame.session_id)
    posting.count_run(user)
    return conversations.retry(member, frame.session_id, frame.correction, frame.model).to_json()


def answer(user: User, frame: frames.Resume) -> dict[str, Any]:
    """Answers a question, or the limit of tools."""
    member = member_in(user, frame.session_id)
    posting.count_run(user)
    if (frame.answer is None) == (frame.continue_ is None):
        raise Refused("validation", _("Say either “answer” or “continue”."))
    return conversations.answer(member, frame.session_id, text=frame.answer, go_on=frame.continue_).to_json()


def decide(user: User, frame: frames.Resume) -> tuple[deciding.Decided, bool]:
    """Decides on a proposal of any conversation of the workspace; True if the person may read the conversation.

    Without a proposal's id it is the one that waits in the conversation.
    """
    proposal_id = frame.proposal_id or _only_one_waiting(user, frame)
    proposal, member = proposal_and_member(user, proposal_id)
    if proposal.session_id != parsed_id(frame.session_id):
        raise NotFound
    decision = _decision(frame)
    member.require_editor()
    posting.count_run(user)
    decided = deciding.decide(member, str(proposal.pk), decision)
    return decided, may_read(user, proposal.session)


def _decision(frame: frames.Resume) -> deciding.Decision:
    if frame.approved is None or frame.answer is not None or frame.continue_ is not None:
        raise Refused("validation", _("A decision says “approved”, and nothing else is answered with it."))
    return deciding.Decision(frame.approved, frame.feedback, frame.edited_arguments, frame.digest)


def _only_one_waiting(user: User, frame: frames.Resume) -> str:
    """The id of the only proposal that waits in a conversation, the person's own or a colleague's."""
    member = member_at(user, frame.session_id)
    waiting = deciding.waiting_in(member, frame.session_id)
    if not waiting:
        member_in(user, frame.session_id)  # Whether a conversation exists that is not for them is not told.
    _decision(frame)
    member.require_editor()
    if not waiting:
        raise Refused("conflict", _("No proposal waits for a decision in this conversation."))
    if len(waiting) > 1:
        named = ", ".join(waiting[:MOST_NAMED]) + ("…" if len(waiting) > MOST_NAMED else "")
        sentence = _("Several proposals wait in this conversation. Name one as “proposalId”: %(ids)s")
        raise Refused("validation", sentence % {"ids": named}, details={"proposalIds": waiting})
    return waiting[0]


def deepen(user: User, message: Message) -> dict[str, Any]:
    member = member_in(user, str(message.session_id))
    posting.count_run(user)
    return deepening.deepen(member, str(message.session_id), message.pk).to_json()


def stop(user: User, session_id: str) -> None:
    conversations.stop(member_in(user, session_id), session_id)
