"""Structured generations as people see them: how far each is, what it waits for, what it cost, what came of it."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, Sum
from django.db.models.functions import Now

from chat.generation.asked import GenerationState
from chat.generation.progress import progress_of
from chat.models import LIVE, Proposal, ProposalStatus, Run, RunStatus, SessionType
from graphs.objects.headers import unseen
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, or_not_found, parsed_id

#: What one that has not begun waits for: another one of its object, a slot of its workspace, or a worker.
WaitsFor = Literal["object", "slots", "worker"]
#: Of what a model wrote that could not be used, as much as is told.
MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation. `run` has its session, prompt version and author; `made` are the proposals that came of it."""

    run: Run
    state: GenerationState
    waits_for: WaitsFor | None
    progress: dict[str, int] | None
    cost: Decimal | None
    made: Sequence[Proposal]

    @property
    def about(self) -> Ref:
        return Ref(self.run.session.context_type, self.run.session.context_id)

    @property
    def after(self) -> int:
        """The number after which the stream of its object tells what it writes."""
        run = self.run
        return run.session.stream.last_sequence if run.first_sequence is None else run.first_sequence - 1

    @property
    def text(self) -> str:
        """What the model of one that failed has written."""
        if self.run.status != RunStatus.FAILED:
            return ""
        written = [self.run.message.content]
        for round_ in self.run.message.rounds:
            written += [round_.text, *(call.arguments for call in round_.calls)]
        return next(filter(None, reversed(written)), "")[:MOST_TEXT]


def _of_workspace(member: Member) -> QuerySet[Run]:
    runs = Run.objects.filter(session__workspace=member.workspace, session__type=SessionType.GENERATION)
    return runs.select_related("session__stream", "prompt_version__prompt", "author", "message", "structured")


def generation_for(member: Member, run_id: str) -> Run:
    """A generation of the workspace about an object that the member may see. Foreign and absent raise `NotFound`."""
    run = or_not_found(_of_workspace(member).filter(pk=parsed_id(run_id)).first())
    about = run.session.context
    if about is not None and not unseen(member, [about]).get(about, True):
        raise NotFound
    return run


def live_generations(member: Member) -> list[Generation]:
    """Those of the workspace that wait for their turn or are at work, or of which something is, in their order.

    Those about objects that the member may not see are left out.
    """
    runs = _of_workspace(member)
    parents = runs.filter(structured__children__run__status__in=LIVE)
    found = [*(runs.filter(status__in=LIVE) | parents).distinct().order_by("created_at", "pk")]
    return told(member, found)


def failed_generations(member: Member, within: timedelta) -> list[Generation]:
    """Those that the member asked for and that failed within this time, with no later one of the prompt there."""
    later = Run.objects.filter(
        session__stream=OuterRef("session__stream"),
        prompt_version__prompt=OuterRef("prompt_version__prompt"),
        created_at__gt=OuterRef("created_at"),
    )
    failed = _of_workspace(member).filter(~Exists(later), author=member.user, status=RunStatus.FAILED)
    return told(member, list(failed.filter(ended_at__gt=Now() - within).order_by("created_at", "pk")))


def latest_generations(member: Member, about: Ref, most: int) -> list[Generation]:
    """The latest about an object, the newest first."""
    runs = _of_workspace(member).filter(session__context_type=about.type, session__context_id=about.key)
    return told(member, runs.order_by("-created_at", "-pk")[:most])


def told(member: Member, runs: Collection[Run]) -> list[Generation]:
    """What there is to tell of generations that the member may see."""
    hidden = unseen(member, {run.session.context for run in runs if run.session.context is not None})
    shown = [run for run in runs if run.session.context not in hidden or hidden[run.session.context]]
    ids = [run.pk for run in shown]
    made: dict[uuid.UUID, list[Proposal]] = {}
    for proposal in Proposal.objects.filter(message__run__in=ids).defer(*Proposal.LARGE):
        made.setdefault(proposal.message_id, []).append(proposal)
    costs: dict[Any, Decimal | None] = dict(
        Run.objects.filter(pk__in=ids).values_list("pk").annotate(Sum("model_calls__cost"))
    )
    progress, waits_for = progress_of(ids), _what_they_wait_for(shown)
    return [
        Generation(
            run,
            _state(run, made.get(run.message_id, []), progress.get(run.pk)),
            waits_for.get(run.pk),
            progress.get(run.pk),
            costs.get(run.pk),
            made.get(run.message_id, []),
        )
        for run in shown
    ]


def _state(run: Run, made: Sequence[Proposal], progress: dict[str, int] | None) -> GenerationState:
    is_open = progress is not None and progress["done"] < progress["of"]
    became = {proposal.status for proposal in made}
    ended: GenerationState = "cancelled" if became == {ProposalStatus.CANCELLED} else "succeeded"
    states: dict[str, GenerationState] = {
        RunStatus.QUEUED: "queued",
        RunStatus.RUNNING: "running",
        RunStatus.FAILED: "failed",
        RunStatus.CANCELLED: "cancelled",
        RunStatus.SUCCEEDED: "running" if is_open else "waiting" if ProposalStatus.PENDING in became else ended,
    }
    return states[run.status]


def _what_they_wait_for(runs: Iterable[Run]) -> dict[uuid.UUID, WaitsFor]:
    """What each of these that has not begun waits for, as `claims` decides it."""
    queued = [run for run in runs if run.status == RunStatus.QUEUED]
    if not queued:
        return {}
    here = {run.session.workspace_id for run in queued}
    live = Run.objects.filter(session__type=SessionType.GENERATION, status__in=LIVE, session__workspace__in=here)
    at_work: Counter[int] = Counter()
    first: dict[int, uuid.UUID] = {}
    rows = live.values_list("pk", "status", "session__stream", "session__workspace")
    for run_id, status, stream, workspace in rows.order_by("-status", "created_at", "pk"):  # those at work first
        first.setdefault(stream, run_id)
        at_work[workspace] += status == RunStatus.RUNNING
    waits: dict[uuid.UUID, WaitsFor] = {}
    for run in queued:
        if first.get(run.session.stream_id, run.pk) != run.pk:
            waits[run.pk] = "object"
        else:
            is_full = at_work[run.session.workspace_id] >= settings.GENERATION_SLOTS
            waits[run.pk] = "slots" if is_full else "worker"
    return waits
