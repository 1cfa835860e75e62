"""Structured generations as people see them: how far each is, what it waits for, what it cost, what came of it."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from django.conf import settings
from django.db.models import QuerySet, Sum

from chat.generation.asked import GenerationState
from chat.generation.progress import progress_of
from chat.models import Proposal, ProposalStatus, Run, RunStatus, SessionType, calls_of
from graphs.objects.headers import unseen
from graphs.objects.refs import Ref
from graphs.site.access import Member, NotFound, or_not_found, parsed_id

#: What one that has not begun waits for: another one of its object, a slot of its workspace, or a worker.
WaitsFor = Literal["object", "slots", "worker"]
#: Of what a model wrote that could not be used, as much as is told.
MOST_TEXT = 20_000
_LIVE = (RunStatus.QUEUED, RunStatus.RUNNING)


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
    def text(self) -> str:
        """What the model of one that failed has written."""
        if self.run.status != RunStatus.FAILED:
            return ""
        calls = [call.arguments for call in calls_of(self.run.message.rounds) if call.arguments]
        return (calls[-1] if calls else self.run.message.content)[:MOST_TEXT]


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
    parents = runs.filter(structured__children__run__status__in=_LIVE)
    found = [*(runs.filter(status__in=_LIVE) | parents).distinct().order_by("created_at", "pk")]
    return told(member, found)


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
    progress = progress_of(ids)
    return [_told(run, made.get(run.message_id, []), costs.get(run.pk), progress.get(run.pk)) for run in shown]


def _told(run: Run, made: Sequence[Proposal], cost: Decimal | None, progress: dict[str, int] | None) -> Generation:
    is_open = progress is not None and progress["done"] < progress["of"]
    waits = any(proposal.status == ProposalStatus.PENDING for proposal in made)
    states: dict[str, GenerationState] = {
        RunStatus.QUEUED: "queued",
        RunStatus.RUNNING: "running",
        RunStatus.FAILED: "failed",
        RunStatus.CANCELLED: "cancelled",
        RunStatus.SUCCEEDED: "running" if is_open else "waiting" if waits else "succeeded",
    }
    waits_for = _waits_for(run) if run.status == RunStatus.QUEUED else None
    return Generation(run, states[run.status], waits_for, progress, cost, made)


def _waits_for(run: Run) -> WaitsFor:
    """What one that has not begun waits for, as `claims` decides it."""
    others = Run.objects.filter(session__type=SessionType.GENERATION, status__in=_LIVE).exclude(pk=run.pk)
    here = others.filter(session__stream=run.session.stream_id)
    earlier = here.filter(status=RunStatus.QUEUED, created_at__lt=run.created_at)
    if earlier.exists() or here.filter(status=RunStatus.RUNNING).exists():
        return "object"
    at_work = others.filter(session__workspace=run.session.workspace_id, status=RunStatus.RUNNING)
    return "slots" if at_work.count() >= settings.GENERATION_SLOTS else "worker"
