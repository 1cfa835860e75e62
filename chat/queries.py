"""All that a person may see of conversations. No door fetches a session, message or stream any other way."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import F, Prefetch, Q, QuerySet
from django.db.models.functions import Now

from chat.events import presence, reading
from chat.events.vocabulary import StoredEvent
from chat.models import AlwaysSend, Message, Proposal, ProposalStatus, Run, RunStatus, Session, Stream
from chat.prompts.telling import summary_json
from chat.proposals.telling import proposals_json
from chat.spending.settling import COUNTS, OF_CONVERSATION
from graphs.access import Member, NotFound
from graphs.models import Role, Workspace

#: Events and bytes one page of the log may hold.
MAX_EVENTS = 1_000
MAX_BYTES = 4 * 1024 * 1024
#: More proposals that wait are not counted.
MOST_COUNTED = 99


@dataclass(frozen=True, slots=True)
class ReadableStream:
    """A stream a person may read; `session_id` is None for the stream of an object."""

    id: int
    name: str
    workspace_id: int
    last_sequence: int
    session_id: uuid.UUID | None


@dataclass(frozen=True, slots=True)
class EventPage:
    """Some events of a stream; `last` is the stream's last number, never before that of an event here."""

    stream: ReadableStream
    events: list[StoredEvent]

    @property
    def last(self) -> int:
        return max([self.stream.last_sequence, *(event.sequence for event in self.events[-1:])])


#: The streams that the person `u` (a row of auth_user) may read, as the columns of `ReadableStream`.
READABLE_STREAMS = """
SELECT stream.id, stream.name, stream.workspace_id, stream.last_sequence, session.id AS session_id
FROM chat_stream AS stream LEFT JOIN chat_session AS session ON session.stream_id = stream.id
WHERE u.is_active
    AND EXISTS (SELECT FROM graphs_membership WHERE workspace_id = stream.workspace_id AND user_id = u.id)
    AND (session.id IS NULL OR session.owner_id = u.id AND session.hidden_at IS NULL)
"""
_STREAM_FOR = f"""
SELECT readable.* FROM auth_user AS u CROSS JOIN LATERAL ({READABLE_STREAMS} AND stream.name = %s) AS readable
WHERE u.id = %s
"""  # noqa: S608
#: The sessions of the person `u` that they did not delete, in the workspaces they are in.
_OWN_SESSION = """
FROM chat_session AS session JOIN auth_user AS u ON u.id = session.owner_id
JOIN graphs_membership AS membership ON membership.workspace_id = session.workspace_id AND membership.user_id = u.id
JOIN graphs_workspace AS workspace ON workspace.id = session.workspace_id
WHERE session.id = %s AND u.id = %s AND u.is_active AND session.hidden_at IS NULL
"""
#: Written out: between a question and its answer, composing them by the ORM took as long as five such statements.
_HELD = f"SELECT session.* {_OWN_SESSION} AND workspace.id = %s FOR NO KEY UPDATE OF session"
_IN = f"SELECT workspace.*, membership.role {_OWN_SESSION}"


def parsed_id(text: str) -> uuid.UUID:
    """An id from outside; whatever is not one names nothing and raises `NotFound`."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotFound from None


def _visible_sessions(user: User) -> QuerySet[Session]:
    return Session.objects.filter(
        owner=user, hidden_at=None, workspace__memberships__user=user, owner__is_active=True
    ).select_related("stream", "workspace")


def held_session(member: Member, session_id: str) -> Session:
    """The person's own session in this workspace, held until the transaction ends; raises `NotFound`."""
    where = [parsed_id(session_id), member.user.pk, member.workspace.pk]
    session = next(iter(Session.objects.raw(_HELD, where)), None)
    if session is None:
        raise NotFound
    session.workspace = member.workspace
    return session


def session_for(member: Member, session_id: str) -> Session:
    """The person's own session in this workspace; raises `NotFound`."""
    session = _visible_sessions(member.user).filter(workspace=member.workspace, pk=parsed_id(session_id)).first()
    if session is None:
        raise NotFound
    return session


def session_and_member(user: User, session_id: str) -> tuple[Session, Member]:
    """The person's own session in whichever of their workspaces it is; raises `NotFound`."""
    sessions = _visible_sessions(user).annotate(role=F("workspace__memberships__role"))
    session = sessions.filter(pk=parsed_id(session_id)).first()
    if session is None:
        raise NotFound
    return session, Member(user, session.workspace, Role(session.role))


def member_in(user: User, session_id: str) -> Member:
    """The person in the workspace of a session of theirs; raises `NotFound`."""
    workspace = next(iter(Workspace.objects.raw(_IN, [parsed_id(session_id), user.pk])), None)
    if workspace is None:
        raise NotFound
    return Member(user, workspace, Role(workspace.role))  # type: ignore[attr-defined]


def sessions_of(member: Member, context_type: str = "", context_id: str = "") -> QuerySet[Session]:
    """The person's conversations in this workspace, about one object where it is named."""
    sessions = _visible_sessions(member.user).filter(workspace=member.workspace)
    if context_type:
        sessions = sessions.filter(context_type=context_type, context_id=context_id)
    return sessions


def messages_of(session: Session) -> QuerySet[Message]:
    """What people see of a conversation; what is only for the model is left out."""
    shown = session.messages.exclude(role=Message.Role.SYSTEM).exclude(kind=Message.NOTE)
    proposals = Prefetch("proposals", _in_brief(Proposal.objects.all()))
    return shown.select_related("run").prefetch_related("run__model_calls", proposals)


def summary_of(session: Session) -> dict[str, Any] | None:
    """What stands for the earlier messages of a conversation, where it has become too long for its model."""
    summary = session.summaries.last()
    return summary_json(summary) if summary else None


def always_sent(member: Member) -> QuerySet[AlwaysSend]:
    """The records that every conversation of the workspace is sent."""
    return AlwaysSend.objects.filter(workspace=member.workspace).select_related("added_by")


def reading_point(session: Session, messages: list[Message]) -> int:
    """The number after which to read the stream so that it completes these messages without repeating them.

    `session.stream` was fetched before the messages: what they contain beyond it, their runs' last numbers tell. A run
    that is being driven counts even when its message is on another page.
    """
    runs = {message.run.pk: message.run for message in messages if hasattr(message, "run")}
    runs = {run.pk: run for run in session.runs.filter(status=RunStatus.RUNNING)} | runs
    contained = max([session.stream.last_sequence, *(run.last_sequence or 0 for run in runs.values())])
    unfinished = [run.first_sequence - 1 for run in runs.values() if run.first_sequence and not run.last_sequence]
    return min([contained, *unfinished])


def proposals_of(member: Member, *, status: str = "", session_id: str = "", graph_key: str = "") -> QuerySet[Proposal]:
    """The proposals of the workspace, whoever's conversation they come from: of one state, session or graph.

    One that nobody decided in time is expired from that moment on, whether or not anybody noticed.
    """
    proposals = _in_brief(Proposal.objects.filter(workspace=member.workspace))
    late = Q(status=ProposalStatus.PENDING, expires_at__lte=Now())
    if status == ProposalStatus.PENDING:
        proposals = proposals.filter(status=status, expires_at__gt=Now())
    elif status == ProposalStatus.EXPIRED:
        proposals = proposals.filter(Q(status=status) | late)
    elif status:
        proposals = proposals.filter(status=status)
    if session_id:
        proposals = proposals.filter(session=parsed_id(session_id))
    return proposals.filter(graph_key=graph_key) if graph_key else proposals


def waiting_count(member: Member) -> tuple[int, bool]:
    """How many proposals wait in the workspace, up to `MOST_COUNTED`; and whether there are more."""
    count = proposals_of(member, status=ProposalStatus.PENDING).order_by()[: MOST_COUNTED + 1].count()
    return min(count, MOST_COUNTED), count > MOST_COUNTED


def _in_brief(proposals: QuerySet[Proposal]) -> QuerySet[Proposal]:
    """To be shown beside each other."""
    return proposals.select_related("decided_by").defer(*Proposal.LARGE)


def proposal_for(member: Member, proposal_id: str) -> Proposal:
    """A proposal of this workspace; raises `NotFound`."""
    proposals = Proposal.objects.filter(workspace=member.workspace)
    return _one_proposal(proposals, proposal_id)


def require_proposals(member: Member, proposal_ids: Collection[str]) -> None:
    """Raises `NotFound` unless all of them are of this workspace."""
    ids = set(map(parsed_id, proposal_ids))
    if Proposal.objects.filter(workspace=member.workspace, pk__in=ids).count() < len(ids):
        raise NotFound


def proposal_and_member(user: User, proposal_id: str) -> tuple[Proposal, Member]:
    """A proposal in whichever of the person's workspaces it is; raises `NotFound`."""
    proposals = Proposal.objects.filter(workspace__memberships__user=user, workspace__memberships__user__is_active=True)
    proposal = _one_proposal(proposals.annotate(role=F("workspace__memberships__role")), proposal_id)
    return proposal, Member(user, proposal.workspace, Role(proposal.role))


def _one_proposal(proposals: QuerySet[Any], proposal_id: str) -> Any:
    related = ("workspace", "session", "message", "decided_by")
    proposal = proposals.select_related(*related).filter(pk=parsed_id(proposal_id)).first()
    if proposal is None:
        raise NotFound
    return proposal


def message_for(user: User, message_id: str) -> Message:
    """A message of one of the person's own sessions in whichever of their workspaces; raises `NotFound`."""
    message = (
        Message.objects.filter(pk=parsed_id(message_id), session__in=_visible_sessions(user))
        .exclude(role=Message.Role.SYSTEM)
        .exclude(kind=Message.NOTE)
        .select_related("session__stream", "run")
        .prefetch_related("run__model_calls", Prefetch("proposals", _in_brief(Proposal.objects.all())))
        .first()
    )
    if message is None:
        raise NotFound
    return message


def stream_for(user: User, name: str) -> ReadableStream:
    """A stream the person may read: of an own session, or of an object of one of their workspaces."""
    if "\x00" in name:
        raise NotFound
    with connection.cursor() as cursor:
        cursor.execute(_STREAM_FOR, [name, user.pk])
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    return ReadableStream(*row)


def readable(stream: Stream) -> ReadableStream:
    session = getattr(stream, "session", None)
    return ReadableStream(
        stream.pk, stream.name, stream.workspace_id, stream.last_sequence, session.pk if session else None
    )


def events_page(stream: ReadableStream, after: int, limit: int) -> EventPage:
    """One page of the log; asking counts as being there."""
    presence.seen([stream.id], None)
    return EventPage(stream, reading.after({stream.id: after}, min(limit, MAX_EVENTS), MAX_BYTES))


def events_of_message(message: Message, after: int, limit: int) -> EventPage:
    """The events of one message, in order."""
    stream = readable(message.session.stream)
    presence.seen([stream.id], None)
    return EventPage(stream, reading.of_message(stream.id, message.pk, after, min(limit, MAX_EVENTS), MAX_BYTES))


_PLACE = """
SELECT coalesce((SELECT max(sequence) FROM chat_message WHERE session_id = %(session)s), 0) + 1,
    NOT EXISTS (SELECT 1 FROM chat_run WHERE session_id = %(session)s AND status IN ('queued', 'running'))
"""


def next_place(session: Session) -> tuple[int, bool]:
    """Where the next message of a held session belongs, and whether nothing is on its way before it."""
    with connection.cursor() as cursor:
        cursor.execute(_PLACE, {"session": session.pk})
        position, resting = cursor.fetchone()
    return int(position), bool(resting)


def live_run(session: Session) -> Run | None:
    """The run that is being driven or waits next."""
    return session.runs.filter(status__in=[RunStatus.RUNNING, RunStatus.QUEUED]).order_by("message__sequence").first()


def stream_name_of(session_id: str) -> str:
    """The name of a session's stream; what is no id names nothing and raises `NotFound`."""
    return f"session_{parsed_id(session_id)}"


def run_result(run_id: uuid.UUID) -> dict[str, Any] | None:
    """How a run ended, for the door that began it and waits; None while it is still on its way."""
    run = Run.objects.select_related("message").get(pk=run_id)
    if run.status in {RunStatus.QUEUED, RunStatus.RUNNING}:
        return None
    kinds = {"waiting": "interrupt", "toolLimit": "toolLimit", "error": "error"}
    return {
        "type": kinds.get(run.outcome, "message"),
        "message": run.message.content,
        "toolCalls": tool_calls(run.message),
        "proposals": proposals_json(_in_brief(run.message.proposals.all())),
        **({"error": run.error} if run.error else {}),
    }


def usage_of(run: Run) -> dict[str, Any] | None:
    """What all calls of a run used together, as in a `usage` event; None before the first one ended.

    Vectors are not counted: they are for the graph.
    """
    calls = [call for call in run.model_calls.all() if call.purpose in OF_CONVERSATION]
    if not calls:
        return None
    costs = [call.cost for call in calls if call.cost is not None]
    return {
        "promptTokens": sum(call.prompt_tokens for call in calls),
        "completionTokens": sum(call.completion_tokens for call in calls),
        "cachedTokens": sum(call.cached_tokens for call in calls),
        "cacheWriteTokens": sum(call.cache_write_tokens for call in calls),
        "reasoningTokens": sum(call.reasoning_tokens for call in calls),
        "cost": float(sum(costs)) if len(costs) == len(calls) else None,
        "estimated": any(call.estimated for call in calls),
    }


def usage_of_session(session: Session) -> dict[str, Any]:
    """What all answers and summaries of a conversation used. `cost` is of the calls that have a price."""
    nothing = dict.fromkeys((*COUNTS, "cost", "unpricedTokens"), 0)
    return {**nothing, "estimated": False, **session.usage}


def tool_calls(message: Message) -> list[dict[str, Any]]:
    """The calls of an answer for readers: `{id, name, args, result, status}`."""
    return [
        {key: call[key] for key in ("id", "name", "args", "result", "status")}
        for round_ in message.rounds
        for call in round_["toolCalls"]
    ]
