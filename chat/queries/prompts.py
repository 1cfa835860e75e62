"""What came of the versions of a prompt in a workspace: runs, changes that people took or refused, votes, cost."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Avg, Count, DurationField, ExpressionWrapper, F, Q, Sum

from chat.managed_prompts.versions import active_versions, prompts_in, versions_in
from chat.models import (
    FETCH,
    Feedback,
    ModelCall,
    Prompt,
    PromptActivation,
    PromptVersion,
    Proposal,
    ProposalStatus,
    Run,
)
from graphs.site.access import Member

#: Activations that are told.
MOST_ACTIVATIONS = 50
#: Changes that a person was asked about: no pages to read, and nothing that was let through without asking.
ASKED = ~Q(object_type=FETCH) & ~Q(asked_by=[])


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What came of one version. Cost is of the calls whose price is known, duration of runs that ended, in ms."""

    runs: int = 0
    failed: int = 0
    accepted: int = 0
    rejected: int = 0
    voted_up: int = 0
    voted_down: int = 0
    cost: Decimal | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ListedPrompt:
    """A prompt with the version that counts in the workspace, None if there is none."""

    prompt: Prompt
    active: PromptVersion | None


def listed_prompts(member: Member, *, archived: bool = False) -> list[ListedPrompt]:
    """The prompts that a workspace has, by their keys: those that are archived, or the others."""
    prompts = list(prompts_in(member.workspace).filter(archived_at__isnull=not archived))
    active = active_versions(member.workspace, prompts)
    return [ListedPrompt(prompt, active.get(prompt.pk)) for prompt in prompts]


def versions_of(member: Member, prompt: Prompt) -> list[PromptVersion]:
    """The versions that the workspace sees, the latest first, without their texts."""
    return list(versions_in(member.workspace, prompt).defer("texts"))


def activations_of(member: Member, prompt: Prompt) -> list[PromptActivation]:
    """Who made which version count in the workspace or on the site, the latest first."""
    here = Q(workspace=member.workspace) | Q(workspace=None)
    made = PromptActivation.objects.filter(here, version__prompt=prompt).select_related("version__prompt", "person")
    return list(made[:MOST_ACTIVATIONS])


def outcomes_of(member: Member, versions: Collection[PromptVersion]) -> dict[int, Outcomes]:
    """What came of these versions in the workspace, by their primary keys."""
    runs = Run.objects.filter(prompt_version__in=versions, session__workspace=member.workspace)
    took = ExpressionWrapper(F("ended_at") - F("started_at"), output_field=DurationField())
    told = runs.values("prompt_version").annotate(
        count=Count("pk"), failed=Count("pk", filter=Q(status="failed")), took=Avg(took)
    )
    calls = ModelCall.objects.filter(run__in=runs).values("run__prompt_version").annotate(cost=Sum("cost"))
    costs = {row["run__prompt_version"]: row["cost"] for row in calls}
    proposed = Proposal.objects.filter(ASKED, message__run__in=runs).values("message__run__prompt_version")
    decided = {
        version: (accepted, rejected)
        for version, accepted, rejected in proposed.annotate(
            accepted=Count("pk", filter=Q(status=ProposalStatus.APPLIED)),
            rejected=Count("pk", filter=Q(status=ProposalStatus.REJECTED)),
        ).values_list("message__run__prompt_version", "accepted", "rejected")
    }
    given = Feedback.objects.filter(message__run__in=runs).order_by().values("message__run__prompt_version")
    votes = {
        version: (up, down)
        for version, up, down in given.annotate(
            up=Count("pk", filter=Q(vote=Feedback.Vote.UP)), down=Count("pk", filter=Q(vote=Feedback.Vote.DOWN))
        ).values_list("message__run__prompt_version", "up", "down")
    }
    return {
        row["prompt_version"]: Outcomes(
            runs=row["count"],
            failed=row["failed"],
            accepted=decided.get(row["prompt_version"], (0, 0))[0],
            rejected=decided.get(row["prompt_version"], (0, 0))[1],
            voted_up=votes.get(row["prompt_version"], (0, 0))[0],
            voted_down=votes.get(row["prompt_version"], (0, 0))[1],
            cost=costs.get(row["prompt_version"]),
            duration_ms=int(row["took"].total_seconds() * 1000) if row["took"] is not None else None,
        )
        for row in told
    }
