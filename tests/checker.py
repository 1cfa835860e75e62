"""What must hold after every flow and every fault, whatever happened: the invariants I1, I2, I3, I5, I7, I9 and I10.

And of what came later: a summary stands for each message once and is told as it is stored; a live edit is in the
history once or waits for it; nothing stays set aside of the calls of a run that rests.

After a test with real processes, one call does everything:

    with site(2) as here:
        listener = Listener(here.web)          # or `Capture("alice", events=[...])` for a client of your own
        ...
        checker.check_run(here, listener)

It raises `AssertionError` that names the stream, the message, the run or the line of the log. I9 looks for canaries:
where people of two workspaces talk, write `canary_of("demo")` and `canary_of("other")` (`tests/captures.py`) into what
they say. A process that ended is replaced by `here.replace(process)`, which keeps its log for I10. `check_database()`
alone is for tests without processes. A client that must have seen everything: `check_received(..., caught_up=True)`.
"""

import uuid
from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from django.conf import settings
from django.db import connection
from django.db.models import F

from chat.engine.machine import RESTING
from chat.engine.states import Phase
from chat.events.transcript import replay
from chat.events.vocabulary import StoredEvent, storable
from chat.generation.filling import OF_EMPTY_FIELDS
from chat.models import (
    FETCH,
    WAITING,
    Message,
    Proposal,
    ProposalStatus,
    Reservation,
    Run,
    RunStatus,
    SentRequest,
    Session,
    SessionType,
)
from chat.prompts import window
from chat.prompts.summary_json import shown
from chat.queries.answers import tool_calls
from chat.sent_requests import kept_requests
from graphs.models import ChangeSet, Graph, LiveEdit, Modification
from tests.captures import Client, check_clients, check_received, events_of, stored_events, stored_frames
from tests.cast import PASSWORD
from tests.checked_logs import check_logs

__all__ = ["check_received", "stored_events", "stored_frames"]

_GAPS = """
SELECT s.name, s.last_sequence, max(e.sequence), min(e.sequence) FILTER (WHERE e.first <> e.previous + 1)
FROM chat_stream s LEFT JOIN (
    SELECT stream_id, sequence, lag(sequence, 1, 0::bigint) OVER (PARTITION BY stream_id ORDER BY sequence) AS previous,
           sequence - coalesce((data -> 'folded' ->> 'count')::bigint, 1) + 1 AS first
    FROM chat_streamevent
) AS e ON e.stream_id = s.id
GROUP BY s.id
HAVING coalesce(max(e.sequence), 0) <> s.last_sequence OR bool_or(e.first <> e.previous + 1)
"""
_DEAD = """
SELECT r.id FROM chat_run r WHERE r.status = 'running' AND NOT EXISTS (
    SELECT 1 FROM chat_process p WHERE p.id = r.process AND p.seen_at > now() - make_interval(secs => %s))
"""
_LIVE = {RunStatus.QUEUED, RunStatus.RUNNING}
_ENDS = {"done", "error"}


class Logged(Protocol):
    """Processes that were kept under watch: `tests/site.py`, `tests/whole_site.py`."""

    @property
    def secrets(self) -> set[str]: ...

    def logs(self) -> str: ...


def check_run(site: Logged, *clients: Client) -> None:
    """Everything about a run of real processes: what is stored, what the clients received, what the logs say."""
    check_database()
    check_clients(clients)
    tokens = [token for client in clients if (token := getattr(client, "token", ""))]
    check_logs(site.logs(), {*site.secrets, *tokens, PASSWORD})


def check_database() -> None:
    """All of that but what clients and logs say, I3 twice, and whole requests, for everything that is stored."""
    check_gap_free()
    check_replay()
    check_replay()
    check_proposals()
    check_requests()
    check_summaries()
    check_live_edits()
    check_reservations()
    check_nothing_left_running()


def check_gap_free() -> None:
    """I1: the sequence of every stream is 1..n, and the stream knows its n."""
    with connection.cursor() as cursor:
        cursor.execute(_GAPS)
        gaps = cursor.fetchall()
        cursor.execute("SELECT count(*) FROM chat_streamevent WHERE stream_id NOT IN (SELECT id FROM chat_stream)")
        orphans = cursor.fetchone()[0]
    assert not gaps, f"streams with gaps (name, last, last stored, first after a gap): {gaps}"
    assert not orphans, f"{orphans} events of streams that do not exist"


def check_replay() -> None:
    """I3: for every session, its events tell what its messages, its runs and their ends say."""
    for session in Session.objects.select_related("stream"):
        events = events_of(session.stream)
        if session.type != SessionType.GENERATION:  # What that asks is in the program, and stands in no log.
            _check_questions(session, events)
        for run in session.runs.select_related("message"):
            _check_answer(run, events)


def _check_questions(session: Session, events: Sequence[StoredEvent]) -> None:
    told = [(event.message_id, event.data["content"]) for event in events if event.type == "user_message"]
    asked = session.messages.filter(role=Message.Role.USER, kind=Message.TEXT).order_by("sequence")
    assert told == [(message.pk, storable(message.content)) for message in asked], f"questions of session {session.pk}"


def _check_answer(run: Run, all_events: Sequence[StoredEvent]) -> None:
    # How far what comes of a generation is, is told after its end.
    events = [event for event in all_events if event.run_id == run.pk and event.type != "generation"]
    transcript = replay(all_events, run.message_id)
    ends = [event for event in events if event.type in _ENDS]
    if run.status in _LIVE:
        assert not ends, f"run {run.pk} is {run.status} and has ended"
        return
    assert [event.type for event in ends] == ["error" if run.error else "done"], f"ends of run {run.pk}"
    assert events[-1] is ends[0], f"run {run.pk} went on after its end"
    assert run.last_sequence in {None, ends[0].sequence}, f"last number of run {run.pk}"
    assert run.error or ends[0].data["fullText"] == transcript.text, f"full text of run {run.pk}"
    message = run.message
    assert message.content == transcript.text, f"content of message {message.pk}"
    assert message.reasoning == transcript.reasoning, f"reasoning of message {message.pk}"
    calls = tool_calls(message)
    replayed = [call.for_readers() for call in transcript.tool_calls]
    assert calls == replayed, f"tool calls of message {message.pk}:\n{calls}\n{replayed}"


def check_proposals() -> None:
    """I5: what waits has a call that waits, what was decided has a result, what was applied has one change set.

    A page that may be read changes nothing.
    """
    for proposal in Proposal.objects.select_related("message", "session__stream"):
        name = f"proposal {proposal.pk} ({proposal.status})"
        call_id = proposal.tool_call_id.removesuffix(OF_EMPTY_FIELDS)
        (call,) = (each for each in tool_calls(proposal.message) if each["id"] == call_id)
        if call_id != proposal.tool_call_id:
            continue  # The call has the result of what changes filled fields.
        assert call["result"]["proposalId"] == str(proposal.pk), name
        if proposal.status == ProposalStatus.PENDING:
            assert call["result"]["status"] == ProposalStatus.PENDING, name
        elif call["status"] == WAITING or call["result"]["status"] not in {proposal.status, ProposalStatus.PENDING}:
            raise AssertionError(f"{name}: its call says {call['result']}")
        events = events_of(proposal.session.stream)
        told = [event.data["status"] for event in events if event.type == "decision" and _about(event, proposal)]
        if proposal.session.type == SessionType.GENERATION:  # Whose stream is the object's: both are told in it.
            told = list(dict.fromkeys(told))
        assert told == ([] if proposal.status == ProposalStatus.PENDING else [proposal.status]), f"{name}: told {told}"
        applied = list(ChangeSet.objects.filter(cause=f"proposal:{proposal.pk}").values_list("pk", flat=True))
        changes = proposal.status == ProposalStatus.APPLIED and proposal.object_type != FETCH
        assert applied == ([proposal.change_set] if changes else []), name
    _check_waiting_sessions()


def _about(event: StoredEvent, proposal: Proposal) -> bool:
    return bool(event.data["proposalId"] == str(proposal.pk))


def _check_waiting_sessions() -> None:
    """Who waits for a decision has something to decide; who does not has no call that waits."""
    resting = Session.objects.exclude(runs__status__in=_LIVE)
    for session in resting.filter(proposals__isnull=False).distinct():
        open_ = [
            call
            for answer in session.messages.filter(role=Message.Role.ASSISTANT)
            for call in tool_calls(answer)
            if call["status"] == WAITING
        ]
        assert bool(open_) == (session.phase == Phase.WAITING_VALIDATION), f"session {session.pk}: {session.phase}"


def check_requests() -> None:
    """What a model was sent can be put together again, and its call is one of the run that sent it."""
    for request in SentRequest.objects.select_related("run"):
        chain = kept_requests.chain_of(request.run.session_id, request)
        assert len(chain.ids) == request.entries, f"request {request.pk} has {len(chain.ids)} of {request.entries}"
        assert kept_requests.body_of(request.run.session_id, request)["model"] == request.model, f"request {request.pk}"
        assert {call.run_id for call in request.model_calls.all()} == {request.run_id}, f"calls of {request.pk}"


def check_summaries() -> None:
    """What is sent no more is in a summary, no two are about the same, and readers were told of each as it is."""
    for session in Session.objects.filter(summaries__isnull=False).distinct().select_related("stream"):
        summaries = list(session.summaries.order_by("pk"))
        places = [(summary.sequence, summary.rounds) for summary in summaries]
        assert places == sorted(set(places)), f"summaries of session {session.pk}: {places}"
        told = _told_summaries(session)
        stored = [(each.created_at.isoformat(), shown(each.content)) for each in summaries]
        assert [one for one in told if one in stored] == stored, f"told summaries of {session.pk}: {told}, not {stored}"
        messages = session.messages.exclude(kind=Message.SYSTEM_PROMPT).filter(exclude_from_prompt=False)
        sent = {each.message.pk for each in window.sent(messages, summaries[-1])}
        for message in messages.exclude(pk__in=sent):
            covered = [one for one in summaries if message.sequence < one.sequence and message.sequence not in one.kept]
            assert covered, f"message {message.pk} is neither sent nor summarised"


def _told_summaries(session: Session) -> list[tuple[str, str]]:
    """When each was made and its text, once: one that stands alone again, since those after it went, is told again."""
    told = [event.data.get("summary") for event in events_of(session.stream)]
    return list(dict.fromkeys((summary["createdAt"], summary["content"]) for summary in told if summary))


def check_live_edits() -> None:
    """Each is saved or its graph is known to have unsaved ones; the history has of them what they touched, once."""
    unsaved = set(LiveEdit.objects.filter(saved_at=None).values_list("object", flat=True))
    known = set(Graph.objects.exclude(unsaved_since=None).values_list("pk", flat=True))
    assert unsaved == known, f"graphs with unsaved edits {unsaved}, known to have some {known}"
    touched: dict[uuid.UUID, set[str]] = defaultdict(set)
    for change_set, items in LiveEdit.objects.exclude(change_set=None).values_list("change_set", "items"):
        touched[change_set].update(items)
    kept: dict[uuid.UUID, list[tuple[str, ...]]] = defaultdict(list)
    for one in Modification.objects.filter(change_set__in=touched):
        kept[one.change_set_id].append((f"{one.kind}:{one.key}", one.action, one.field))
    assert kept.keys() == touched.keys(), (
        f"change sets of live edits that are not there: {touched.keys() - kept.keys()}"
    )
    for change_set, modified in kept.items():
        assert len(modified) == len(set(modified)), f"change set {change_set} has something twice"
        assert {item for item, *_what in modified} <= touched[change_set], f"change set {change_set} has more"


def check_reservations() -> None:
    """What the last owner of a run set aside for its calls is settled once the run rests."""
    left = Reservation.objects.filter(run__isnull=False, epoch__gte=F("run__epoch")).exclude(run__status__in=_LIVE)
    assert not left.exists(), f"set aside for nobody: {list(left.values_list('pk', 'run', 'purpose'))}"


def check_nothing_left_running() -> None:
    """I7: whatever is running has a living process, and no session looks busy without a run."""
    with connection.cursor() as cursor:
        cursor.execute(_DEAD, [settings.PROCESS_SILENT_S])
        dead = [str(row[0]) for row in cursor.fetchall()]
    assert not dead, f"runs of dead processes: {dead}"
    resting = {*RESTING, Phase.COMPLETED}
    stuck = Session.objects.exclude(phase__in=resting).exclude(runs__status__in=_LIVE)
    assert not stuck.exists(), f"sessions that are busy without a run: {[(one.pk, one.phase) for one in stuck]}"
    shown = Message.objects.filter(status__in=[Message.Status.QUEUED, Message.Status.STREAMING])
    idle = shown.exclude(run__status__in=_LIVE)
    assert not idle.exists(), f"messages that are still being written by nobody: {[one.pk for one in idle]}"
