"""What a run reads and writes in the database: its prompt, its rounds, its end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from chat.engine import extras
from chat.engine.claims import ClaimedRun
from chat.engine.states import State
from chat.engine.turn_changes import changes_of_turn
from chat.events import reading
from chat.events.append import append, guard
from chat.events.vocabulary import NewEvent
from chat.models import Message, Run, RunStatus, Session, Summary
from chat.prompts import always_sent, history, window
from chat.prompts.question import context_block, workspace_block
from chat.providers.base import PromptMessage, ProviderConfig, ToolSpec
from chat.spending.calls import CallCost
from chat.spending.settling import record
from chat.tools import registry
from chat.tools.base import ToolContext
from chat.transcript import Transcript, replay
from graphs.access import Member, NotFound, graph_for
from graphs.models import Graph
from rag.retrieval import retrieve

#: Outcomes after which the turn goes on: what it changed is counted at its end.
_PAUSES = frozenset({"waiting", "toolLimit"})


class ContextGone(Exception):
    """What the conversation is about was deleted."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What every call of a run begins with, and what its tools work on.

    `sent` are the messages of the history, `summary` what stands for those before them; of the run's own rounds the
    first `rounds_left_out` are summarised too. `left_out` are the positions of messages that the person left out.
    `budgeted`: a budget may concern the calls.
    """

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...]
    tool_context: ToolContext
    version: str
    sent: tuple[window.Sent, ...] = ()
    summary: str = ""
    rounds_left_out: int = 0
    left_out: frozenset[int] = frozenset()
    budgeted: bool = True


@dataclass(frozen=True, slots=True)
class Means:
    """What an answer is made with, as far as its run came to it."""

    config: ProviderConfig | None
    prompt: Prompt | None

    def note(self, answer: Message) -> None:
        """Keeps with the answer, before anything is changed in its name, what made it."""
        answer.model = self.config.model if self.config else ""
        answer.prompt_version = self.prompt.version if self.prompt else ""
        answer.save(update_fields=["model", "prompt_version"])


def load_prompt(run: ClaimedRun, member: Member) -> Prompt:
    """System prompt, history and tools as they stand before this run's own rounds.

    The question's context is looked up and stored with the question, once. Raises `ContextGone`.
    """
    graph = _graph(run, member) if run.context_type == "graph" else None
    earlier = list(Message.objects.filter(session_id=run.session_id, sequence__lt=run.position).order_by("sequence"))
    asked = (message for message in reversed(earlier) if message.role == Message.Role.USER)
    question = next((message for message in asked if message.kind != Message.NOTE), None)
    block = "" if question is None or question.retrieved else _context(question, graph, run, member)
    found = extras.look(run.account)
    if question is not None and block:
        _enrich(question, block, member, earlier, found)
    levels = history.system_levels(run.session_id, graph, member, earlier, flagged=found.always_sent)
    summary = _summary(run) if found.summary else None
    sent = window.sent((message for message in earlier if message.kind != Message.SYSTEM_PROMPT), summary)
    told = summary.content if summary else ""
    return Prompt(
        messages=history.prompt(levels, told, [entry for each in sent for entry in each.entries]),
        tools=registry.specs(member.role, run.context_type),
        tool_context=ToolContext(member, graph, run.session_id),
        version=history.version_for(member),
        sent=tuple(sent),
        summary=told,
        rounds_left_out=window.rounds_left_out(run.position, summary),
        left_out=window.left_out(earlier),
        budgeted=found.budgets,
    )


def _summary(run: ClaimedRun) -> Summary | None:
    return Summary.objects.filter(session_id=run.session_id, sequence__lte=run.position).last()


def _graph(run: ClaimedRun, member: Member) -> Graph:
    try:
        return graph_for(member, run.context_id)
    except NotFound:
        raise ContextGone from None


def _context(question: Message, graph: Graph | None, run: ClaimedRun, member: Member) -> str:
    """What is looked up for a question; never empty."""
    if graph is None:
        return workspace_block(member.workspace)
    return context_block(retrieve(graph, question.content, run.account))


def _enrich(question: Message, block: str, member: Member, earlier: Sequence[Message], found: extras.Extras) -> None:
    """Stores with the question what stands with it from now on."""
    begun = earlier[0].kind == Message.SYSTEM_PROMPT
    changed = always_sent.since_then(member.workspace, earlier, flagged=found.always_sent) if begun else ""
    if Message.objects.filter(pk=question.pk, retrieved="").update(retrieved=block, records=changed):
        question.retrieved, question.records = block, changed
    else:  # another process was first: one of the two was taken for dead
        question.refresh_from_db(fields=["retrieved", "records"])


def shown_so_far(run: ClaimedRun) -> Transcript:
    """What readers have seen of a run that another process began."""
    transcript = Transcript()
    for events in reading.pages_after(run.stream_id, run.first_sequence - 1):
        replay(events, run.message_id, transcript)
    return transcript


def save_round(run: ClaimedRun, state: State, rounds: Sequence[dict[str, Any]], costs: Sequence[CallCost]) -> None:
    """Stores a round that is complete with its tool results; from here another process could go on."""
    with transaction.atomic():
        hold(run)
        if len(Message.objects.values_list("rounds", flat=True).get(pk=run.message_id)) == len(rounds):
            return  # the commit had happened, only its answer was lost
        store_round(run, state, rounds, costs, ())


def store_round(
    run: ClaimedRun,
    state: State,
    rounds: Sequence[dict[str, Any]],
    costs: Sequence[CallCost],
    told: Sequence[NewEvent],
) -> None:
    """The same in the caller's transaction, which holds the run, with what readers are told about it."""
    Message.objects.filter(pk=run.message_id).update(rounds=list(rounds))
    Session.objects.filter(pk=run.session_id).update(state=state.to_json(), phase=state.phase)
    record(run.account, costs)
    if told:
        append(run.stream_id, told, run.epoch)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run came to rest. `error` is `{code, message, retryable}` for one that failed."""

    state: State
    means: Means
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
    rounds: Sequence[dict[str, Any]],
    costs: Sequence[CallCost],
) -> None:
    """Stores the answer and the run's end, and tells the readers, in one transaction. Does nothing a second time."""
    with transaction.atomic():
        last = hold(run)
        if Run.objects.filter(pk=run.id, status=RunStatus.RUNNING).exists():
            end(run, ending, transcript, rounds, costs, last)


def end(
    run: ClaimedRun,
    ending: Ending,
    transcript: Transcript,
    rounds: Sequence[dict[str, Any]],
    costs: Sequence[CallCost],
    last: int,
) -> None:
    """The same in the caller's transaction, which holds the run; `last` is the last number of its stream."""
    config, prompt = ending.means.config, ending.means.prompt
    counts = run.may_change and ending.outcome not in _PAUSES
    changes = changes_of_turn(run, rounds) if counts else None
    Message.objects.filter(pk=run.message_id).update(
        status=ending.message_status,
        content=transcript.text,
        reasoning=transcript.reasoning,
        rounds=list(rounds),
        model=config.model if config else "",
        prompt_version=prompt.version if prompt else "",
        changes=changes,
    )
    record(run.account, costs)
    Session.objects.filter(pk=run.session_id).update(
        state=ending.state.to_json(),
        phase=ending.state.phase,
        end_reason=ending.state.end_reason or "",
        updated_at=timezone.now(),
    )
    Run.objects.filter(pk=run.id).update(
        status=ending.run_status,
        outcome=ending.outcome,
        error=ending.error,
        gave_up=ending.gave_up,
        provider=config.name if config else "",
        model=config.model if config else "",
        ended_at=timezone.now(),
        last_sequence=last + len(ending.events),
    )
    append(run.stream_id, [_counted(event, changes) for event in ending.events], run.epoch)


def _counted(event: NewEvent, changes: int | None) -> NewEvent:
    """Beside what the model says it did stands what was recorded."""
    return replace(event, data={**event.data, "changes": changes}) if event.type == "done" else event


def give_back(run: ClaimedRun, costs: Sequence[CallCost]) -> None:
    """Queues a run again for another process; this one writes nothing more about it, and it was no failed attempt."""
    with transaction.atomic():
        hold(run)
        if not Run.objects.filter(pk=run.id, status=RunStatus.RUNNING).exists():
            return
        record(run.account, costs)
        Run.objects.filter(pk=run.id).update(status=RunStatus.QUEUED, process=None, attempts=F("attempts") - 1)


def hold(run: ClaimedRun) -> int:
    """Holds session and stream, in the order in which everybody takes them, and returns the stream's last number.

    Raises `Fenced`.
    """
    Session.objects.select_for_update(no_key=True).values_list("pk").get(pk=run.session_id)
    return guard(run.stream_id, run.epoch)
