"""Sessions and messages that a person may see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F, Prefetch, Q, QuerySet

from chat.models import AlwaysSend, Message, Proposal, RunStatus, Session, SessionType
from chat.prompts.always_sent import sent_in
from chat.prompts.summary_json import SummaryShape
from chat.queries.proposals import in_brief
from graphs.models import Role, Workspace
from graphs.objects.headers import rows_named
from graphs.objects.kinds import of_objects
from graphs.site import row_store
from graphs.site.access import Member, NotFound, or_not_found, parsed_id

#: The sessions of the person `u` that they did not delete, in the workspaces they are in.
_OWN_SESSION = """
FROM chat_session AS session JOIN auth_user AS u ON u.id = session.owner_id
JOIN graphs_membership AS membership ON membership.workspace_id = session.workspace_id AND membership.user_id = u.id
JOIN graphs_workspace AS workspace ON workspace.id = session.workspace_id
JOIN chat_stream AS stream ON stream.id = session.stream_id
WHERE session.id = %s AND u.id = %s AND u.is_active AND session.hidden_at IS NULL AND session.type <> 'GENERATION'
"""

_PLACE = """
(SELECT coalesce(max(sequence), 0) + 1 FROM chat_message WHERE session_id = {session}) AS position,
NOT EXISTS (SELECT FROM chat_run WHERE session_id = {session} AND status IN ('queued', 'running')) AS resting
"""
#: Written out: between a question and its answer, composing them by the ORM took as long as five such statements.
#: Who had to wait for the conversation saw its place as it was before, and what has been told since: all is told.
HELD = f"""
SELECT {row_store.columns(Session, of="session")}, {_PLACE.format(session="session.id")}, membership.role,
    stream.last_sequence > (SELECT seen.last_sequence FROM chat_stream AS seen WHERE seen.id = stream.id) AS waited,
    {row_store.columns(Workspace, of="workspace")}
{_OWN_SESSION} FOR NO KEY UPDATE OF session, stream
"""  # noqa: S608 - what is inserted are names of columns and a constant
_IN = f"SELECT {row_store.columns(Workspace, of='workspace')}, membership.role {_OWN_SESSION}"
#: Written out, as every list asks.
_COUNTS = """
SELECT session.context_id, count(*) FROM chat_session AS session JOIN auth_user AS u ON u.id = session.owner_id
JOIN graphs_membership AS membership ON membership.workspace_id = session.workspace_id AND membership.user_id = u.id
WHERE u.id = %s AND u.is_active AND session.workspace_id = %s AND session.hidden_at IS NULL
AND session.type <> 'GENERATION'
AND session.context_type = %s AND session.context_id = ANY(%s::text[]) GROUP BY session.context_id
"""


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation that is held until the transaction ends, and its person.

    `position` is that of its next message. `resting`: nothing is on its way before that.
    """

    session: Session
    member: Member
    position: int
    resting: bool


def _visible_sessions(user: User) -> QuerySet[Session]:
    """The conversations of the person that they did not delete; a generation is none."""
    own = Session.objects.filter(owner=user, hidden_at=None, workspace__memberships__user=user, owner__is_active=True)
    return own.exclude(type=SessionType.GENERATION).select_related("stream", "workspace")


def hold(user: User, session_id: str, within: Workspace | None = None) -> Held:
    """The person's own session in this workspace, else in whichever of theirs it is; raises `NotFound`."""
    with connection.cursor() as cursor:
        cursor.execute(HELD, [parsed_id(session_id), user.pk])
        held = held_of(user, or_not_found(cursor.fetchone()))
    if within not in (None, held.session.workspace):
        raise NotFound
    return held


def held_of(user: User, row: Sequence[Any]) -> Held:
    """The session of a row of `HELD`, which was asked for this person."""
    session, (position, resting, role, waited, *workspace) = row_store.row_of(Session, row)
    session.workspace, _more = row_store.row_of(Workspace, workspace)
    if waited:
        position, resting = next_position(session)
    return Held(session, Member(user, session.workspace, Role(role)), position, resting)


def held_session(member: Member, session_id: str) -> Session:
    """The person's own session in this workspace, held until the transaction ends; raises `NotFound`."""
    return hold(member.user, session_id, member.workspace).session


def session_for(member: Member, session_id: str) -> Session:
    """The person's own session in this workspace; raises `NotFound`."""
    return or_not_found(sessions_of(member).filter(pk=parsed_id(session_id)).first())


def session_and_member(user: User, session_id: str) -> tuple[Session, Member]:
    """The person's own session in whichever of their workspaces it is; raises `NotFound`."""
    sessions = _visible_sessions(user).annotate(role=F("workspace__memberships__role"))
    session = or_not_found(sessions.filter(pk=parsed_id(session_id)).first())
    return session, Member(user, session.workspace, Role(session.role))


def member_in(user: User, session_id: str) -> Member:
    """The person in the workspace of a session of theirs; raises `NotFound`."""
    rows = row_store.read(Workspace, _IN, [parsed_id(session_id), user.pk])
    workspace, (role,) = or_not_found(next(iter(rows), None))
    return Member(user, workspace, Role(role))


def sessions_of(member: Member, context_type: str = "", context_id: str = "") -> QuerySet[Session]:
    """The person's conversations in this workspace, about one object if it is named."""
    sessions = _visible_sessions(member.user).filter(workspace=member.workspace)
    if context_type:
        sessions = sessions.filter(context_type=context_type, context_id=context_id)
    return sessions


def counts_about(member: Member, kind: str, keys: Iterable[str]) -> dict[str, int]:
    """How many conversations the person has about objects of a kind in this workspace, by the keys of those."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, [member.user.pk, member.workspace.pk, kind, row_store.as_array(keys)])
        return dict(cursor.fetchall())


def messages_of(session: Session) -> QuerySet[Message]:
    """What people see of a conversation."""
    return _shown(session.messages.select_related("run"))


def message_for(user: User, message_id: str) -> Message:
    """A message of one of the person's own sessions in whichever of their workspaces; raises `NotFound`."""
    messages = Message.objects.filter(pk=parsed_id(message_id), session__in=_visible_sessions(user))
    return or_not_found(_shown(messages.select_related("session__stream", "run")).first())


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
