"""What a run stores: its rounds, its end, and what it gives back or holds; and what of it was shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from chat.engine import untrusted
from chat.engine.claims import ClaimedRun
from chat.engine.prompt_loading import Prompt
from chat.engine.states import State
from chat.events import log_pages
from chat.events.append import STORED, EventBatch, Fenced, append
from chat.events.transcript import Transcript, replay
from chat.events.vocabulary import NewEvent, to_json
from chat.models import Message, Proposal, Round, Run, RunStatus, calls_of
from chat.providers.provider import ProviderConfig
from chat.spending.calls import CallCost
from chat.spending.recording import BUDGETS, RECORDED, USAGE
from chat.spending.settling import due, record_costs
from graphs.models import Modification

#: Each row is read as it is once it is held, also where this waited for it.
_HOLD = """
WITH session AS MATERIALIZED (
    SELECT id FROM chat_session WHERE id = %(session)s FOR NO KEY UPDATE
), stream AS MATERIALIZED (
    SELECT s.epoch FROM session CROSS JOIN chat_stream AS s
    WHERE s.id = %(stream)s FOR NO KEY UPDATE OF s
)
SELECT stream.epoch, r.status FROM stream CROSS JOIN chat_run AS r
WHERE r.id = %(run)s FOR NO KEY UPDATE OF r
"""
#: It stores, too, what the run's calls took, and says whether the workspace has budgets and whether a run waits behind
#: this one: who stores one holds the conversation, as who ends this one does.
_END = """
WITH raised AS (
    UPDATE chat_stream SET last_sequence = last_sequence + %(count)s WHERE id = %(stream)s RETURNING id, last_sequence
), {stored}, {recorded}, answer AS (
    UPDATE chat_message SET status = %(message_status)s, content = %(content)s, reasoning = %(reasoning)s,
        rounds = %(rounds)s::jsonb, model = %(model)s, prompt_version = %(prompt_version)s, changes = %(changes)s
    WHERE id = %(message)s
), conversation AS (
    UPDATE chat_session SET state = %(state)s::jsonb, phase = %(phase)s, end_reason = %(end_reason)s,
        updated_at = %(now)s, {usage}{marking}
    WHERE id = %(session)s
)
UPDATE chat_run SET status = %(status)s, outcome = %(outcome)s, error = %(error)s::jsonb, gave_up = %(gave_up)s,
    provider = %(provider)s, model = %(model)s, ended_at = %(now)s, last_sequence = raised.last_sequence
FROM raised WHERE chat_run.id = %(run)s RETURNING raised.last_sequence, statement_timestamp(),
    EXISTS (SELECT FROM chat_run AS next WHERE next.session_id = %(session)s AND next.status = 'queued'),
    {budgets}
"""
_end = partial(_END.format, stored=STORED, recorded=RECORDED, usage=USAGE, budgets=BUDGETS)
_END_WITHOUT_TOOLS = _end(marking="")
_END_WITH_TOOLS = _end(marking=f", {untrusted.MARKING}")
_STORE_STATE = f"""
UPDATE chat_session SET state = %(state)s::jsonb, phase = %(phase)s, {untrusted.MARKING} WHERE id = %(session)s
"""  # noqa: S608 - the only insertion is a constant
#: Outcomes after which the turn goes on: what it changed is counted at its end.
_PAUSES = frozenset({"waiting", "toolLimit"})


@dataclass(frozen=True, slots=True)
class Provenance:
    """What an answer is made with, as far as its run came to it."""

    config: ProviderConfig | None
    prompt: Prompt | None

    def save_to(self, answer: Message) -> None:
        """Keeps with the answer, before anything is changed in its name, what made it."""
        answer.model = self.config.model if self.config else ""
        answer.prompt_version = self.prompt.version if self.prompt else ""
        answer.save(update_fields=["model", "prompt_version"])


def shown_so_far(run: ClaimedRun) -> Transcript:
    """What readers have seen of a run that another process began."""
    transcript = Transcript()
    for events in log_pages.pages_after(run.stream_id, run.first_sequence - 1):
        # That a generation begins anew is told as it is claimed: what came before has been paid for.
        replay((event for event in events if event.type != "generation"), run.message_id, transcript)
    return transcript


def save_round(run: ClaimedRun, state: State, rounds: Sequence[Round], costs: Sequence[CallCost]) -> None:
    """Stores a round that is complete with its tool results; from here another process could go on."""
    with transaction.atomic():
        hold(run)
        if len(Message.objects.values_list("rounds", flat=True).get(pk=run.message_id)) == len(rounds):
            return  # the commit had happened, only its answer was lost
        store_round(run, state, rounds, costs, ())


def store_round(
    run: ClaimedRun,
    state: State,
    rounds: Sequence[Round],
    costs: Sequence[CallCost],
    events: Sequence[NewEvent],
) -> None:
    """Stores one round inside the caller's transaction and appends its events. The caller holds the run.

    The conversation is marked if something that its tools told of is untrusted.
    """
    Message.objects.filter(pk=run.message_id).update(rounds=list(rounds))
    reached = {"state": to_json(state.to_json()), "phase": state.phase}
    with connection.cursor() as cursor:
        cursor.execute(_STORE_STATE, _read(run) | reached)
    record_costs(run.account, costs)
    if events:
        append(run.stream_id, events, run.epoch)


def _read(run: ClaimedRun) -> dict[str, Any]:
    return untrusted.values(run.account.workspace_id, run.session_id, run.read)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run came to rest. `error` is `{code, message, retryable}` for one that failed."""

    state: State
    provenance: Provenance
    outcome: str
    message_status: str
    run_status: str
    events: tuple[NewEvent, ...]
    error: dict[str, Any] | None = None
    gave_up: bool = False


def finish(
    run: ClaimedRun,
    ending: Ending,
    transcript: Transcript,
    rounds: Sequence[Round],
    costs: Sequence[CallCost],
) -> bool:
    """Stores the answer, the run's end and its events in one transaction. Does nothing a second time.

    False if it is known that no run of the conversation waits.
    """
    with transaction.atomic():
        return not hold(run) or end(run, ending, transcript, rounds, costs)


def end(
    run: ClaimedRun,
    ending: Ending,
    transcript: Transcript,
    rounds: Sequence[Round],
    costs: Sequence[CallCost],
) -> bool:
    """Stores the answer, the run's end with what it took, and its events: last in the transaction of who holds the run.

    Returns whether a run of the conversation waits.
    """
    counts = run.may_change and ending.outcome not in _PAUSES
    changes = _changes_of_turn(run, rounds) if counts else None
    costs_due = due(run.account, costs)
    # `done` also says how many changes were recorded, beside what the model says it did.
    batch = EventBatch(
        [
            replace(event, data={**event.data, "changes": changes}) if event.type == "done" else event
            for event in ending.events
        ]
    )
    values = {**_values_of(run, ending, transcript, rounds, changes), **batch.values, **costs_due.values}
    with connection.cursor() as cursor:
        if run.read:
            cursor.execute(_END_WITH_TOOLS, _read(run) | values)
        else:
            cursor.execute(_END_WITHOUT_TOOLS, values)
        last, moment, waits, budgets = cursor.fetchone()
    batch.wake_readers(run.stream_id, last, moment)
    costs_due.settle(budgets=budgets)
    return bool(waits)


def _values_of(
    run: ClaimedRun, ending: Ending, transcript: Transcript, rounds: Sequence[Round], changes: int | None
) -> dict[str, Any]:
    """What the statement that ends the run stores, but for its events."""
    config, prompt = ending.provenance.config, ending.provenance.prompt
    return {
        "run": run.id,
        "message": run.message_id,
        "session": run.session_id,
        "message_status": ending.message_status,
        "content": transcript.text,
        "reasoning": transcript.reasoning,
        "rounds": to_json([round_.to_json() for round_ in rounds]),
        "prompt_version": prompt.version if prompt else "",
        "changes": changes,
        "state": to_json(ending.state.to_json()),
        "phase": ending.state.phase,
        "end_reason": ending.state.end_reason or "",
        "status": ending.run_status,
        "outcome": ending.outcome,
        "error": to_json(ending.error) if ending.error else None,
        "gave_up": ending.gave_up,
        "provider": config.name if config else "",
        "model": config.model if config else "",
        "now": timezone.now(),
        "stream": run.stream_id,
    }


def _changes_of_turn(run: ClaimedRun, rounds: Sequence[Round]) -> int:
    """Modifications recorded since the person's last message, and through the late decisions that woke this run."""
    late = run.trigger.get("proposals", [])
    begins_turn = run.trigger["event"] == "UserMessageSent" and not late
    results = [call.result for call in calls_of(rounds)]
    if begins_turn and not any(isinstance(result, dict) and "proposalId" in result for result in results):
        return 0
    asked = Message.objects.filter(
        session=run.session_id, role=Message.Role.USER, kind=Message.TEXT, sequence__lt=run.position
    )
    since = asked.order_by("-sequence").values_list("sequence", flat=True).first() or 0
    answers = Q(message__sequence__gt=since, message__sequence__lte=run.position)
    proposals = Proposal.objects.filter(Q(pk__in=late) | answers, session=run.session_id, change_set__isnull=False)
    return Modification.objects.filter(change_set_id__in=proposals.values("change_set")).count()


def give_back(run: ClaimedRun, costs: Sequence[CallCost]) -> None:
    """Queues a run again for another process; this one writes nothing more about it, and it was no failed attempt."""
    with transaction.atomic():
        if not hold(run):
            return
        record_costs(run.account, costs)
        Run.objects.filter(pk=run.id).update(status=RunStatus.QUEUED, process=None, attempts=F("attempts") - 1)


def hold(run: ClaimedRun) -> bool:
    """Holds session, stream and run, in that order; False for one that rests. Raises `Fenced` if it is another's."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, {"session": run.session_id, "stream": run.stream_id, "run": run.id})
        epoch, status = cursor.fetchone() or (None, "")
    if epoch != run.epoch:
        raise Fenced
    return bool(status == RunStatus.RUNNING)
