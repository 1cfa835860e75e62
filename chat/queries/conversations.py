"""Sessions and messages that a person may see."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from chat.models import AlwaysSend, Feedback, Message, Proposal, RunStatus, Session, Share
from chat.prompts.always_sent import sent_in
from chat.prompts.summary_json import SummaryShape
from chat.queries.proposals import in_brief
from chat.rights.conversations import ACCESS, keeps, kept_by, readable_by, shared_with
from graphs.models import Role, Workspace
from graphs.objects.headers import rows_named
from graphs.objects.kinds import of_objects
from graphs.site import row_store
from graphs.site.access import Member, NotFound, or_not_found, parsed_id
from graphs.site.api.problems import Problem

#: A session with the person `u` who may read it.
_READ_SESSION = f"""
FROM chat_session AS session JOIN graphs_membership AS membership ON membership.workspace_id = session.workspace_id
JOIN auth_user AS u ON u.id = membership.user_id
JOIN graphs_workspace AS workspace ON workspace.id = session.workspace_id
JOIN chat_stream AS stream ON stream.id = session.stream_id
WHERE session.id = %s AND u.id = %s AND {ACCESS} IS NOT NULL
"""

_PLACE = """
(SELECT coalesce(max(sequence), 0) + 1 FROM chat_message WHERE session_id = {session}) AS position,
NOT EXISTS (SELECT FROM chat_run WHERE session_id = {session} AND status IN ('queued', 'running')) AS resting
"""
#: Written out: between a question and its answer, composing them by the ORM took as long as five such statements.
#: Who had to wait for the conversation saw its place as it was before, and what has been told since: all is told.
HELD = f"""
SELECT {row_store.columns(Session, of="session")}, {_PLACE.format(session="session.id")}, membership.role,
    CASE WHEN session.owner_id <> u.id THEN {ACCESS} END,
    stream.last_sequence > (SELECT seen.last_sequence FROM chat_stream AS seen WHERE seen.id = stream.id) AS waited,
    {row_store.columns(Workspace, of="workspace")}
{_READ_SESSION} FOR NO KEY UPDATE OF session, stream
"""  # noqa: S608 - what is inserted are names of columns and a constant
_IN = f"SELECT {row_store.columns(Workspace, of='workspace')}, membership.role {_READ_SESSION}"
#: Written out, as every list asks; deleted ones are left out as their index has it.
_COUNTS = f"""
SELECT session.context_id, count(*) FROM chat_session AS session JOIN auth_user AS u ON u.id = session.owner_id
WHERE u.id = %s AND session.workspace_id = %s AND session.hidden_at IS NULL AND {ACCESS} = 'owner'
AND session.archived_at IS NULL AND session.context_type = %s AND session.context_id = ANY(%s::text[])
GROUP BY session.context_id
"""  # noqa: S608 - what is inserted is a constant


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation that is held until the transaction ends, and a person who may write in it.

    `position` is that of its next message. `resting`: nothing is on its way before that.
    """

    session: Session
    member: Member
    position: int
    resting: bool


def _readable_sessions(user: User) -> QuerySet[Session]:
    return readable_by(user).select_related("stream", "workspace", "owner")


def hold(user: User, session_id: str, within: Workspace | None = None) -> Held:
    """A session in which the person may write, in this workspace, else in whichever of theirs it is.

    Raises `NotFound`, and `Problem` 403 for who may only read.
    """
    with connection.cursor() as cursor:
        cursor.execute(HELD, [parsed_id(session_id), user.pk])
        row = or_not_found(cursor.fetchone())
    held = held_of(user, row)
    if within not in (None, held.session.workspace):
        raise NotFound
    return held


def held_of(user: User, row: Sequence[Any]) -> Held:
    """The session of a row of `HELD`, which was asked for this person. Raises `Problem` 403 for who may only read."""
    session, (position, resting, role, access, waited, *workspace) = row_store.row_of(Session, row)
    if access == Share.Access.READ:
        raise Problem(403, "forbidden", _("This conversation was shared with you to read."))
    session.workspace, _more = row_store.row_of(Workspace, workspace)
    if waited:
        position, resting = next_position(session)
    return Held(session, Member(user, session.workspace, Role(role)), position, resting)


def held_session(member: Member, session_id: str) -> Session:
    """A session of this workspace in which the person may write, held as by `hold`."""
    return hold(member.user, session_id, member.workspace).session


def held_own_session(member: Member, session_id: str) -> Session:
    """The person's own session in this workspace, held as by `hold`. Raises `Problem` 403 for its other readers."""
    session = held_session(member, session_id)
    require_owner(member, session)
    return session


def require_owner(member: Member, session: Session) -> None:
    """Raises `Problem` 403 for whom a conversation that they may read is only shared with."""
    if not keeps(member.user, session):
        raise Problem(403, "forbidden", _("Only the owner of this conversation may do that."))


def session_for(member: Member, session_id: str) -> Session:
    """A session of this workspace that the person may read; raises `NotFound`."""
    sessions = _readable_sessions(member.user).filter(workspace=member.workspace)
    return or_not_found(sessions.filter(pk=parsed_id(session_id)).first())


def session_and_member(user: User, session_id: str) -> tuple[Session, Member]:
    """A session that the person may read in whichever of their workspaces it is; raises `NotFound`."""
    sessions = _readable_sessions(user).filter(pk=parsed_id(session_id), workspace__memberships__user=user)
    session = or_not_found(sessions.annotate(role=F("workspace__memberships__role")).first())
    return session, Member(user, session.workspace, Role(session.role))


def member_in(user: User, session_id: str) -> Member:
    """The person in the workspace of a session that they may read; raises `NotFound`."""
    rows = row_store.read(Workspace, _IN, [parsed_id(session_id), user.pk])
    workspace, (role,) = or_not_found(next(iter(rows), None))
    return Member(user, workspace, Role(role))


def sessions_of(member: Member, context_type: str = "", context_id: str = "") -> QuerySet[Session]:
    """The person's own conversations in this workspace, about one object if it is named."""
    return _listed(member, kept_by(member.user), context_type, context_id)


def sessions_shared_with(member: Member, context_type: str = "", context_id: str = "") -> QuerySet[Session]:
    """The conversations of others in this workspace that they share with the person, each with its `access`."""
    return _listed(member, shared_with(member.user), context_type, context_id)


def _listed(member: Member, sessions: QuerySet[Session], context_type: str, context_id: str) -> QuerySet[Session]:
    sessions = sessions.filter(workspace=member.workspace)
    if context_type:
        sessions = sessions.filter(context_type=context_type, context_id=context_id)
    return sessions.select_related("stream", "workspace", "owner")


def counts_about(member: Member, kind: str, keys: Iterable[str]) -> dict[str, int]:
    """How many conversations the person has about objects of a kind in this workspace, by the keys of those."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, [member.user.pk, member.workspace.pk, kind, row_store.as_array(keys)])
        return dict(cursor.fetchall())


def messages_of(session: Session) -> QuerySet[Message]:
    """What people see of a conversation."""
    return _shown(session.messages.select_related("run", "author"))


def said_in(session: Session) -> QuerySet[Message]:
    """What was asked and answered in a conversation, without what is told beside it."""
    return session.messages.exclude(role=Message.Role.SYSTEM).exclude(kind=Message.NOTE).defer("retrieved", "records")


def message_for(user: User, message_id: str) -> Message:
    """A message of a session that the person may read in whichever of their workspaces; raises `NotFound`."""
    messages = Message.objects.filter(pk=parsed_id(message_id), session__in=readable_by(user))
    return or_not_found(_shown(messages.select_related("session__stream", "run", "author")).first())


def feedback_of(member: Member, messages: Iterable[Message]) -> dict[uuid.UUID, Feedback]:
    """What the person thinks of these messages, by their ids."""
    given = Feedback.objects.filter(message__in=messages, person=member.user).order_by()
    return {each.message_id: each for each in given}


def _shown(messages: QuerySet[Message]) -> QuerySet[Message]:
    """The messages without those that are only for the model, with what is told beside them."""
    proposals = Prefetch("proposals", in_brief(Proposal.objects.all()))
    shown = messages.exclude(role=Message.Role.SYSTEM).exclude(kind=Message.NOTE)
    return shown.prefetch_related("run__model_calls", proposals)


def summary_of(session: Session) -> SummaryShape | None:
    """What stands for the earlier messages of a conversation, if it has become too long for its model."""
    summary = session.summaries.last()
    return SummaryShape.of(summary) if summary else None


def always_sent(member: Member) -> QuerySet[AlwaysSend]:
    """The records that every conversation of the workspace is sent.

    Without those of objects that the member may not see, or whose rows other code deleted.
    """
    rows = sent_in(member.workspace).select_related("added_by")
    chosen: dict[str, list[str]] = {}
    for type_, key in rows.order_by().values_list("object_type", "object_key"):
        chosen.setdefault(type_, []).append(key)
    for kind in of_objects():
        if kind.name in chosen and (kind.may_see is not None or kind.rows is not None):
            seen = rows_named(member, kind, chosen[kind.name])
            rows = rows.exclude(Q(object_type=kind.name) & ~Q(object_key__in=seen))
    return rows


def reading_point(session: Session, messages: list[Message]) -> int:
    """The number after which to read the stream so that it completes these messages without repeating them.

    `session.stream` was fetched before the messages, so their runs' last numbers count too, and a run under way on any
    page.
    """
    runs = {message.run.pk: message.run for message in messages if hasattr(message, "run")}
    runs = {run.pk: run for run in session.runs.filter(status=RunStatus.RUNNING)} | runs
    contained = max([session.stream.last_sequence, *(run.last_sequence or 0 for run in runs.values())])
    unfinished = [run.first_sequence - 1 for run in runs.values() if run.first_sequence and not run.last_sequence]
    return min([contained, *unfinished])


def next_position(session: Session) -> tuple[int, bool]:
    """The position of the next message of a held session, and whether nothing is on its way before it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_PLACE.format(session='%(session)s')}", {"session": session.pk})
        position, resting = cursor.fetchone()
    return int(position), bool(resting)
