"""The runs that a process drives: begun where they are stored, or claimed: those that wait, or of dead processes."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from django.conf import settings
from django.db import connection, transaction
from django.db.models.functions import Now

from chat.engine import open_calls
from chat.engine.states import STATE_VERSION, Phase, State, state_of
from chat.events.append import append
from chat.events.vocabulary import NewEvent
from chat.generation.asked import AskedGeneration, asked_generation, generation_event
from chat.models import Message, Process, Round, Run, RunStatus, Session, SessionType
from chat.prompts.earlier import EarlierMessage
from graphs.models import Object, Role
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, member_of
from graphs.site.accounts import Account

StopReason = Literal["asked", "deserted"]

_CLAIMABLE = """
SELECT r.id FROM chat_run r JOIN chat_session s ON s.id = r.session_id JOIN chat_message m ON m.id = r.message_id
WHERE CASE jsonb_typeof(s.state -> 'version') WHEN 'number' THEN (s.state -> 'version')::numeric ELSE 0 END <= %s
    AND {which} AND (%s OR r.process = %s) AND (
    (r.status = 'queued' AND {turn})
    OR (%s AND r.status = 'running' AND NOT EXISTS (
        SELECT 1 FROM chat_process p
        WHERE p.id = r.process AND p.seen_at > now() - make_interval(secs => %s)))
    OR (r.status = 'running' AND r.process = %s AND r.id <> ALL(%s::uuid[])
        AND r.started_at < now() - make_interval(secs => %s)))
"""
_OF_CONVERSATIONS = _CLAIMABLE.format(
    which="NOT s.type = 'GENERATION'",
    turn="""NOT EXISTS (
        SELECT 1 FROM chat_run o JOIN chat_message om ON om.id = o.message_id
        WHERE o.session_id = r.session_id AND o.id <> r.id AND (
            o.status = 'running' OR (o.status = 'queued' AND om.sequence < m.sequence)))""",
)
#: One at a time of an object, whose stream they share, and so many of a workspace.
_OF_GENERATIONS = _CLAIMABLE.format(
    which="s.type = 'GENERATION'",
    turn="""NOT EXISTS (
        SELECT 1 FROM chat_run o JOIN chat_session os ON os.id = o.session_id
        WHERE os.stream_id = s.stream_id AND os.type = 'GENERATION' AND o.id <> r.id AND (
            o.status = 'running' OR (o.status = 'queued' AND (o.created_at, o.id) < (r.created_at, r.id))))
        AND (SELECT count(*) FROM chat_run o JOIN chat_session os ON os.id = o.session_id
            WHERE os.workspace_id = s.workspace_id AND os.type = 'GENERATION' AND o.status = 'running') < %s""",
)
_LOCKED = "LIMIT %s FOR NO KEY UPDATE OF s, r SKIP LOCKED"
_CLAIM = f"{_OF_CONVERSATIONS} ORDER BY r.created_at {_LOCKED}"
_ANY = f"SELECT EXISTS ({_OF_CONVERSATIONS})"
#: Those that a model asked for in a conversation come first: somebody waits there.
_CLAIM_GENERATION = f"""
{_OF_GENERATIONS} ORDER BY (SELECT NOT g.by_model FROM chat_structuredrun g WHERE g.run_id = r.id), r.created_at
{_LOCKED}
"""  # noqa: S608 - what is inserted are constants
_ANY_GENERATION = f"SELECT EXISTS ({_OF_GENERATIONS})"
#: Held by who claims generations: the slots of a workspace are counted, and what others claim meanwhile is not seen.
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('chat.generations'))"
#: The stream's new epoch ends that of any owner before.
_TAKE_OVER = "UPDATE chat_stream SET epoch = epoch + 1 WHERE id = %s RETURNING epoch, last_sequence"
#: Whether a workspace has what is rare.
HAS_BUDGETS = "EXISTS (SELECT FROM chat_budget WHERE workspace_id = %(workspace)s AND active)"
HAS_ALWAYS_SENT = "EXISTS (SELECT FROM chat_alwayssend WHERE workspace_id = %(workspace)s)"
_WATCHED = """
SELECT r.id, r.stop_requested_at IS NOT NULL OR NOT EXISTS (
           SELECT 1 FROM graphs_membership m JOIN auth_user u ON u.id = m.user_id
           WHERE m.user_id = r.author_id AND m.workspace_id = s.workspace_id AND u.is_active),
       s.on_disconnect = 'cancel' AND EXISTS (
           SELECT 1 FROM chat_presence p WHERE p.stream_id = s.stream_id AND p.seen_at >= r.created_at
       ) AND NOT EXISTS (
           SELECT 1 FROM chat_presence p
           WHERE p.stream_id = s.stream_id AND p.seen_at > now() - make_interval(secs => %s))
FROM chat_run r JOIN chat_session s ON s.id = r.session_id WHERE r.id = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a conversation holds that was stored this moment, and is not read back: its question, and what it is about.

    `budgets` and `always_sent` say whether its workspace has some.
    """

    question: EarlierMessage
    about: Object | None
    budgets: bool
    always_sent: bool


@dataclass(frozen=True, slots=True)
class ClaimedRun:
    """A run this process owns until it rests or the process falls silent.

    `member` is None when its author lost access. `resumed` when another process had begun it; `rounds` are the rounds
    that one stored. `died` when that one did not give it back, and may have been asking a model. `read` gains the names
    of the objects that its tools tell of. `asked_with` names the managed prompt that its question was made of;
    `generation` is what was asked of that where the run generates. `opening` is what it begins with where this process
    has just opened the conversation.
    """

    id: uuid.UUID
    session_id: uuid.UUID
    message_id: uuid.UUID
    position: int
    stream_id: int
    epoch: int
    first_sequence: int
    trigger: dict[str, Any]
    state: State
    member: Member | None
    account: Account
    context: Ref | None
    model: str
    language: str
    resumed: bool
    died: bool
    stop_requested: bool
    attempts: int
    rounds: list[Round]
    asked_with: str
    generation: AskedGeneration | None = None
    read: set[Ref] = field(default_factory=set)
    opening: Opening | None = None

    @property
    def may_change(self) -> bool:
        """Whether its model can propose anything."""
        return self.member is not None and self.member.role.may_edit


def claim(
    process: uuid.UUID,
    limit: int,
    *,
    take_over: bool = True,
    others: bool = True,
    driven: Collection[uuid.UUID] = (),
) -> list[ClaimedRun]:
    """Takes up to `limit` runs that wait or whose process is silent; tells readers of new ones that they started.

    A run in the name of this process that is not among the `driven` ones is one whose COMMIT was not answered. Without
    `take_over` only runs that wait and such, without `others` only such.
    """
    silent_s = settings.PROCESS_SILENT_S
    conditions: list[Any] = [STATE_VERSION, others, process, take_over, silent_s, process, list(driven), silent_s]
    with connection.cursor() as cursor:  # after each run, and every second: there is nothing nearly always
        cursor.execute(_ANY, conditions)
        if not cursor.fetchone()[0]:
            return []
    with transaction.atomic():
        Process.objects.filter(pk=process).update(seen_at=Now())
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM, [*conditions, limit])
            ids = [row[0] for row in cursor.fetchall()]
        if not ids:
            return []
        runs = Run.objects.select_related("session__workspace", "author", "message").filter(pk__in=ids)
        return [_take(run, process) for run in runs.order_by("session__stream_id")]


def claim_generations(
    process: uuid.UUID,
    limit: int,
    *,
    take_over: bool = True,
    others: bool = True,
    driven: Collection[uuid.UUID] = (),
) -> list[ClaimedRun]:
    """Takes up to `limit` generations as `claim` takes runs of conversations, one by one as slots are counted."""
    silent_s = settings.PROCESS_SILENT_S
    conditions: list[Any] = [STATE_VERSION, others, process, settings.GENERATION_SLOTS]
    known = list(driven)
    conditions += [take_over, silent_s, process, known, silent_s]
    claimed_runs: list[ClaimedRun] = []
    while len(claimed_runs) < limit:
        with connection.cursor() as cursor:
            cursor.execute(_ANY_GENERATION, conditions)
            if not cursor.fetchone()[0]:
                break
        with transaction.atomic():
            Process.objects.filter(pk=process).update(seen_at=Now())
            with connection.cursor() as cursor:
                cursor.execute(_ONE_AT_A_TIME)
                cursor.execute(_CLAIM_GENERATION, [*conditions, 1])
                found = cursor.fetchone()
            if found is None:
                break
            runs = Run.objects.select_related(
                "session__workspace", "author", "message", "structured", "prompt_version__prompt"
            )
            claimed_runs.append(_take(runs.get(pk=found[0]), process))
        known.append(found[0])
    return claimed_runs


def _take(run: Run, process: uuid.UUID) -> ClaimedRun:
    session = run.session
    resumed = run.first_sequence is not None
    died = run.status == RunStatus.RUNNING and run.process != process
    with connection.cursor() as cursor:
        cursor.execute(_TAKE_OVER, [session.stream_id])
        run.epoch, last = cursor.fetchone()
    # The answer before it may have come to wait for a person who had written this already.
    closed = [] if resumed else open_calls.close(session)
    run.first_sequence = run.first_sequence or last + len(closed) + 1
    run.status, run.process, run.attempts = RunStatus.RUNNING, process, run.attempts + 1
    run.started_at = run.started_at or Now()
    run.save(update_fields=["epoch", "first_sequence", "status", "process", "attempts", "started_at"])
    Session.objects.filter(pk=session.pk).update(phase=Phase.EXECUTING_ENRICHMENTS)
    events = []
    if not resumed:
        Message.objects.filter(pk=run.message_id).update(status=Message.Status.STREAMING)
        events = [*closed, NewEvent("status", {"state": "started"}, run.message_id, run.pk)]
    if session.type == SessionType.GENERATION:
        if resumed:
            _forget_begun(run)
        events.append(generation_event(run, "running"))
    if events:
        append(session.stream_id, events)
    return claimed(run, author_of(run), resumed=resumed, died=died)


def _forget_begun(run: Run) -> None:
    """Lets a generation begin anew that another process had begun: only its end has an effect."""
    run.session.state, run.message.rounds = {}, []
    Session.objects.filter(pk=run.session_id).update(state={})
    Message.objects.filter(pk=run.message_id).update(rounds=[])


def claimed(
    run: Run, member: Member | None, *, resumed: bool = False, died: bool = False, opening: Opening | None = None
) -> ClaimedRun:
    """The run as its process drives it: just begun, unless `resumed` after another one gave it back or `died`."""
    session = run.session
    assert run.first_sequence is not None
    if run.reads_only and member is not None:
        member = replace(member, role=Role.VIEWER)
    return ClaimedRun(
        id=run.pk,
        session_id=session.pk,
        message_id=run.message_id,
        position=run.message.sequence,
        stream_id=session.stream_id,
        epoch=run.epoch,
        first_sequence=run.first_sequence,
        trigger=run.trigger,
        state=replace(state_of(session), session_type=SessionType(session.type)),
        member=member,
        account=Account(session.workspace_id, run.author_id, session.pk, run.pk, run.epoch, str(session.context or "")),
        context=session.context,
        model=run.asked_model or session.model,
        language=session.language,
        resumed=resumed,
        died=died,
        stop_requested=run.stop_requested_at is not None,
        attempts=run.attempts,
        rounds=run.message.rounds,
        asked_with=str(run.prompt_version) if run.prompt_version_id else "",
        generation=asked_generation(run) if session.type == SessionType.GENERATION else None,
        opening=opening,
    )


def author_of(run: Run) -> Member | None:
    """The person who asked for the run, with their present role; None if they lost access."""
    try:
        return member_of(run.author, run.session.workspace.slug)
    except NotFound:
        return None


def to_stop(run_ids: list[uuid.UUID]) -> dict[uuid.UUID, StopReason]:
    """Runs that a person stopped, whose author lost access, or whose readers left longer ago than the grace period."""
    with connection.cursor() as cursor:
        cursor.execute(_WATCHED, [settings.DISCONNECT_GRACE_S, run_ids])
        return {
            run_id: "asked" if stopped else "deserted"
            for run_id, stopped, deserted in cursor.fetchall()
            if stopped or deserted
        }


def abandon(run: ClaimedRun) -> None:
    """Gives up a run whose driver broke, so that it is claimed again like that of a dead process."""
    Run.objects.filter(pk=run.id, epoch=run.epoch, status=RunStatus.RUNNING).update(process=None)


def register(process: uuid.UUID, label: str) -> None:
    Process.objects.create(id=process, label=label)


def leave(process: uuid.UUID) -> None:
    Process.objects.filter(pk=process).delete()
