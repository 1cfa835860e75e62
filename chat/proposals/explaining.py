"""What led to a change, as histories show it: whose conversation, for its readers where in it, and what was edited."""

import uuid
from collections.abc import Collection, Iterable, Mapping

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from chat.models import Message, Proposal, Session, SessionType
from chat.rights.conversations import readable_by
from graphs.history import causes
from graphs.history.causes import Explanation
from graphs.objects.headers import address_of
from graphs.objects.refs import Ref
from graphs.site.access import Member

_FACTS = ("id", "owner_id", "owner__username", "title", "context_type", "context_id", "type")


def register() -> None:
    """Lets this module explain proposals, messages and sessions as causes. The app calls it once, when it is ready."""
    causes.register("proposal", edited_proposals)
    causes.register("message", messages)
    causes.register("session", sessions)


def edited_proposals(member: Member, ids: Collection[str]) -> Mapping[str, Explanation]:
    """The proposals that a person edited before they were applied: the reason of the change is the model's still."""
    return {
        id_: Explanation(edited_sentence(who), details={"proposalId": id_, "edited": True, "editedBy": who})
        for id_, who in edited_by(ids, workspace=member.workspace).items()
    }


def edited_by(ids: Collection[str], **among: object) -> dict[str, str]:
    """The names of those who edited proposals before they were applied, by the ids of these."""
    edited = Proposal.objects.filter(pk__in=_uuids(ids), decided_arguments__isnull=False, **among)
    return {str(pk): who or "?" for pk, who in edited.values_list("pk", "decided_by__username")}


def edited_sentence(who: str) -> str:
    """What histories say of a change that this person edited before it was applied."""
    return _("Edited by %(person)s before it was applied") % {"person": who}


def messages(member: Member, ids: Collection[str]) -> Mapping[str, Explanation]:
    """The answers that led to changes."""
    rows = Message.objects.filter(pk__in=_uuids(ids), session__workspace=member.workspace)
    sessions = dict(rows.values_list("pk", "session"))
    facts = _facts(member, sessions.values())
    return {str(message): _explanation(member, facts[session], message) for message, session in sessions.items()}


def sessions(member: Member, ids: Collection[str]) -> Mapping[str, Explanation]:
    """The conversations that they belong to."""
    return {str(session): _explanation(member, row) for session, row in _facts(member, _uuids(ids)).items()}


def _facts(member: Member, ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Mapping[str, object]]:
    rows = Session.objects.filter(pk__in=set(ids), workspace=member.workspace)
    read = ExpressionWrapper(Q(pk__in=readable_by(member.user)), BooleanField())
    return {row["id"]: row for row in rows.values(*_FACTS, readable=read)}


def _explanation(member: Member, facts: Mapping[str, object], message: uuid.UUID | None = None) -> Explanation:
    """The owner of a conversation; for who may read it also what it is about."""
    readable = bool(facts["readable"])
    mine = readable and facts["owner_id"] == member.user.pk
    owner = str(facts["owner__username"])
    details: dict[str, object] = {
        "sessionId": str(facts["id"]), "messageId": str(message) if message else None, "owner": owner, "mine": mine,
    }  # fmt: skip
    if facts["type"] == SessionType.GENERATION:
        return Explanation(_("A generation of %(person)s") % {"person": owner}, details=details)
    if not readable:
        return Explanation(_("A conversation of %(person)s") % {"person": owner}, details=details)
    untitled = _("Your conversation") if mine else _("A conversation of %(person)s") % {"person": owner}
    return Explanation(str(facts["title"]) or untitled, _address(member, facts, message), details)


def _address(member: Member, facts: Mapping[str, object], message: uuid.UUID | None) -> str:
    page = address_of(member, Ref(str(facts["context_type"]), str(facts["context_id"])))
    if not page:
        return ""
    query = {"session": str(facts["id"])} | ({"message": str(message)} if message else {})
    return f"{page}{'&' if '?' in page else '?'}{urlencode(query)}"


def _uuids(texts: Iterable[str]) -> list[uuid.UUID]:
    found = []
    for text in texts:
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found
