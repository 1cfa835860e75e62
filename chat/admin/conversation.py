"""One page of a session's messages, with the runs that wrote them, as the audit shows it."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Sum
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from chat.admin import figures
from chat.api.markdown import render
from chat.models import Call, Message, ModelCall, Process, Proposal, Round, Run, Session, Summary
from chat.prompts import window
from chat.prompts.summary_json import shown
from chat.spending.recording import OF_CONVERSATION
from graphs.admin.display import pretty
from graphs.models import ChangeSet

MESSAGES_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A tool call; `arguments` and `result` are readable JSON."""

    name: str
    status: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class ShownRound:
    """What one call of the model said, thought and asked for."""

    html: SafeString
    reasoning: str
    calls: tuple[ShownCall, ...]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run with what its calls of the model took together; `process` names who drove it."""

    run: Run
    calls: int
    prompt_tokens: str
    completion_tokens: str
    cost: str
    latency: str
    took: str
    process: str


@dataclass(frozen=True, slots=True)
class ShownSummary:
    """One summary: `covers` says what it stands for; only the `latest` one is still sent."""

    summary: Summary
    text: str
    covers: str
    before: str
    after: str
    latest: bool


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message with what came of it and the `summaries` that end at it; `summarised`: a model gets it no longer."""

    message: Message
    rounds: tuple[ShownRound, ...]
    run: ShownRun | None
    proposals: tuple[Proposal, ...]
    change_sets: tuple[ChangeSet, ...]
    summaries: tuple[ShownSummary, ...]
    summarised: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    page: Page
    messages: tuple[ShownMessage, ...]

    @property
    def runs(self) -> list[ShownRun]:
        return [shown.run for shown in self.messages if shown.run]


def conversation_page(session: Session, page: str) -> Conversation:
    """The messages of a page ("1", "2", …; anything else is the first), in as many queries however many they are."""
    of_session = session.messages.select_related("run__author", "author").prefetch_related("feedback__person")
    found = Paginator(of_session, MESSAGES_PER_PAGE).get_page(page)
    messages = list(found)
    runs = [message.run for message in messages if hasattr(message, "run")]
    calls = _totals(runs)
    processes = Process.objects.in_bulk({run.process for run in runs if run.process})
    shown_runs = {run.message_id: _shown_run(run, calls.get(run.pk, {}), processes) for run in runs}
    proposals, change_sets = _proposals(messages), _change_sets(session, messages)
    summaries = list(session.summaries.all())
    ending, gone = _by_position(summaries), _no_longer_sent(messages, summaries)
    return Conversation(
        found,
        tuple(
            ShownMessage(
                message,
                _rounds(message),
                shown_runs.get(message.pk),
                tuple(proposals[message.pk]),
                tuple(change_sets[f"message:{message.pk}"]),
                tuple(ending.get(message.sequence, ())),
                message.sequence in gone,
            )
            for message in messages
        ),
    )


def _proposals(messages: Iterable[Message]) -> Mapping[uuid.UUID, list[Proposal]]:
    found: dict[uuid.UUID, list[Proposal]] = defaultdict(list)
    for proposal in Proposal.objects.filter(message__in=messages).defer("operations", "diff", "arguments"):
        found[proposal.message_id].append(proposal)
    return found


def _change_sets(session: Session, messages: Iterable[Message]) -> Mapping[str, list[ChangeSet]]:
    """The change sets by the cause that names the message."""
    causes = {f"message:{message.pk}" for message in messages}
    found: dict[str, list[ChangeSet]] = defaultdict(list)
    rows = ChangeSet.objects.filter(workspace=session.workspace_id, causes__overlap=list(causes))
    for change_set in rows.order_by("created_at", "id"):
        for cause in causes.intersection(change_set.causes):
            found[cause].append(change_set)
    return found


def page_of(session: Session, message_id: str) -> str:
    """The page on which this message of the session stands; the first for what is none."""
    try:
        position = session.messages.filter(pk=uuid.UUID(message_id)).values("sequence")
    except ValueError:
        return ""
    return str(1 + max(0, session.messages.filter(sequence__lte=position[:1]).count() - 1) // MESSAGES_PER_PAGE)


def _rounds(message: Message) -> tuple[ShownRound, ...]:
    """An answer's rounds; one without rounds is shown by its text."""
    if message.role != Message.Role.ASSISTANT:
        return ()
    rounds = message.rounds or [Round(message.content, message.reasoning)]
    return tuple(
        ShownRound(
            html=mark_safe(render(round_.text)),  # noqa: S308 - `render` sanitises
            reasoning=round_.reasoning,
            calls=tuple(_call(call) for call in round_.calls),
        )
        for round_ in rounds
    )


def _call(call: Call) -> ShownCall:
    """Arguments that were no JSON, or refused, are shown as the model wrote them."""
    return ShownCall(
        name=call.name,
        status=call.status,
        arguments=pretty(call.args) if call.args or not call.arguments else call.arguments,
        result=pretty(call.result),
    )


def _totals(runs: Iterable[Run]) -> dict[uuid.UUID, dict[str, Any]]:
    """What the calls of each run took together."""
    calls = ModelCall.objects.filter(run__in=list(runs), purpose__in=OF_CONVERSATION).order_by().values("run")
    tokens = {"prompt": Sum("prompt_tokens"), "completion": Sum("completion_tokens")}
    sums = calls.annotate(calls=Count("pk"), cost=Sum("cost"), latency_ms=Sum("latency_ms"), **tokens)
    return {row["run"]: dict(row) for row in sums}


def _shown_run(run: Run, total: Mapping[str, Any], processes: Mapping[uuid.UUID, Process]) -> ShownRun:
    cost: Decimal | None = total.get("cost")
    driver = processes.get(run.process) if run.process else None
    latency = timedelta(milliseconds=total["latency_ms"]) if total else None
    return ShownRun(
        run=run,
        calls=total.get("calls", 0),
        prompt_tokens=figures.number(total.get("prompt", 0)),
        completion_tokens=figures.number(total.get("completion", 0)),
        cost=figures.money(cost),
        latency=figures.duration(latency),
        took=figures.duration(run.ended_at - run.started_at if run.ended_at and run.started_at else None),
        process=driver.label if driver else str(run.process or figures.NOTHING)[:8],
    )


def _by_position(summaries: Sequence[Summary]) -> Mapping[int, list[ShownSummary]]:
    """The summaries by the position of the message where each ends."""
    found: dict[int, list[ShownSummary]] = defaultdict(list)
    for summary in summaries:
        found[summary.sequence].append(
            ShownSummary(
                summary=summary,
                text=shown(summary.content),
                covers=_covers(summary),
                before=figures.number(summary.tokens_before),
                after=figures.number(summary.tokens_after),
                latest=summary is summaries[-1],
            )
        )
    return found


def _no_longer_sent(messages: Iterable[Message], summaries: Sequence[Summary]) -> Collection[int]:
    """The positions of the messages that a model gets the latest summary for."""
    if not summaries:
        return ()
    shown_to_model = [message for message in messages if message.kind != Message.SYSTEM_PROMPT]
    sent = {each.message.sequence for each in window.sent(shown_to_model, summaries[-1])}
    return {message.sequence for message in shown_to_model if not message.exclude_from_prompt} - sent


def _covers(summary: Summary) -> str:
    parts = []
    if summary.sequence > 1:
        parts.append(_("messages before #%(position)s") % {"position": summary.sequence})
    if summary.kept:
        kept = ", ".join(f"#{position}" for position in summary.kept)
        parts.append(_("without %(positions)s") % {"positions": kept})
    if summary.rounds:
        first = _("the first rounds of #%(position)s (%(count)s)")
        parts.append(first % {"position": summary.sequence, "count": summary.rounds})
    return ", ".join(parts)
