"""Proposals as JSON, for the API, and as events, for the log."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NotRequired, cast

from pydantic import with_config
from typing_extensions import TypedDict

from chat.events.vocabulary import NewEvent
from chat.models import Proposal, ProposalStatus
from graphs.history import queries
from graphs.history.diffs import DiffEntry, labelled
from graphs.objects.refs import ObjectName

Status = Literal["pending", "applied", "rejected", "stale", "expired", "cancelled", "failed"]


class TargetShape(ObjectName):
    version: int


@with_config(extra="forbid")
class AskedShape(TypedDict):
    level: Literal["app", "workspace", "tool", "session", "request", "default"]
    why: str


@with_config(extra="forbid")
class ProposalConflictShape(TypedDict):
    """What a field was when the change was proposed, and what it is now; of a whole item where `field` is empty."""

    object: ObjectName
    field: str
    expected: Any
    found: Any
    changedBy: NotRequired[str | None]
    changedAt: NotRequired[str | None]
    changeSetId: NotRequired[str | None]


@with_config(extra="forbid")
class ProposalParts(TypedDict):
    """What is told whole or in brief. It is sent in the order in which it is stored."""

    arguments: dict[str, Any]
    decidedArguments: dict[str, Any] | None
    diff: list[DiffEntry]
    objects: list[TargetShape]
    targets: list[TargetShape]
    conflicts: list[ProposalConflictShape]
    counts: dict[str, dict[Literal["create", "update", "move", "delete"], int]]
    cut: list[Literal["arguments", "decidedArguments", "diff", "targets", "conflicts"]]


class ProposalShape(ProposalParts):
    """Only one that was asked for by its id is whole. Everywhere else `cut` names what is not.

    `objects` are those that it changes, with the versions that it was computed from; 0 for one that it creates.
    Of a large one arguments and targets are left out, texts of the diff and of conflicts are cut. `counts` tells how
    many items come, change, move and go in the whole diff: `{node: {create: 2, move: 1}}`.
    """

    id: str
    sessionId: str
    messageId: str
    toolCallId: str
    object: ObjectName
    status: Status
    tool: str
    reason: str
    digest: str
    askedBy: list[AskedShape]
    createdAt: str
    expiresAt: str
    decidedBy: str | None
    decidedAt: str | None
    feedback: str
    problem: str
    changeSetId: str | None
    undoneBy: str | None
    askedAgain: bool


def proposal_event(proposal: Proposal) -> NewEvent:
    """The event for every window; kept for ever, it says no more of a large change than lists do."""
    return NewEvent(
        "proposal",
        {
            "proposalId": str(proposal.pk),
            "tool": proposal.tool,
            "toolCallId": proposal.tool_call_id,
            "messageId": str(proposal.message_id),
            "reason": proposal.reason,
            "digest": proposal.digest,
            **{name: proposal.brief[name] for name in ("diff", "counts", "targets", "cut")},
            "askedBy": proposal.asked_by,
            "expiresAt": proposal.expires_at.isoformat(),
        },
        proposal.message_id,
    )


def decision_event(proposal: Proposal) -> NewEvent:
    """The event of a decision, with the answer but no run: the one that proposed has ended by then."""
    return NewEvent(
        "decision",
        {
            "proposalId": str(proposal.pk),
            "status": proposal.status,
            "toolCallId": proposal.tool_call_id,
            "decidedBy": decider(proposal),
            "decidedAt": proposal.decided_at.isoformat() if proposal.decided_at else None,
            **({"feedback": proposal.feedback} if proposal.feedback else {}),
            **({"problem": proposal.problem} if proposal.problem else {}),
            **({"edited": True} if proposal.decided_arguments is not None else {}),
            **({"changeSetId": str(proposal.change_set)} if proposal.change_set else {}),
            **({"conflicts": proposal.brief["conflicts"]} if proposal.brief["conflicts"] else {}),
            **({"cut": ["conflicts"]} if "conflicts" in proposal.brief["cut"] else {}),
        },
        proposal.message_id,
    )


def undone(proposals: Iterable[Proposal]) -> Mapping[uuid.UUID, uuid.UUID]:
    """The change sets that took back what these proposals changed, by the change sets of these. One query."""
    applied = [proposal.change_set for proposal in proposals if proposal.change_set]
    return queries.undone_by(applied) if applied else {}


def proposals_json(proposals: Iterable[Proposal]) -> list[ProposalShape]:
    """Proposals in brief, as lists have them: `cut` names what is not whole. Nothing `LARGE` of them is read."""
    shown = list(proposals)
    taken_back = undone(shown)
    return [_with_parts(proposal, _stored(proposal.brief), taken_back) for proposal in shown]


def _stored(parts: ProposalParts) -> ProposalParts:
    """The parts of a brief; those of a proposal that was never shortened have no objects."""
    return {"objects": parts.get("objects", []), **parts}


def brief_json(proposal: Proposal) -> ProposalShape:
    """One proposal in brief."""
    return proposals_json([proposal])[0]


def proposal_json(proposal: Proposal) -> ProposalShape:
    """One proposal, whole, however long it is."""
    whole: ProposalParts = {
        "arguments": proposal.arguments,
        "decidedArguments": proposal.decided_arguments,
        "diff": proposal.diff,
        "objects": proposal.brief.get("objects", []),
        "targets": proposal.targets,
        "conflicts": proposal.conflicts,
        "counts": proposal.brief["counts"],
        "cut": [],
    }
    return _with_parts(proposal, whole, undone([proposal]))


def _with_parts(proposal: Proposal, parts: ProposalParts, taken_back: Mapping[uuid.UUID, uuid.UUID]) -> ProposalShape:
    """The proposal with these parts; `taken_back` is what `undone` gives."""
    undone_by = taken_back.get(proposal.change_set) if proposal.change_set else None
    return {
        "id": str(proposal.pk),
        "sessionId": str(proposal.session_id),
        "messageId": str(proposal.message_id),
        "toolCallId": proposal.tool_call_id,
        "object": proposal.ref.to_json(),
        "status": cast("Status", ProposalStatus.EXPIRED if proposal.overdue else proposal.status),
        "tool": proposal.tool,
        "reason": proposal.reason,
        "digest": proposal.digest,
        **parts,
        "diff": labelled(parts["diff"]),
        "askedBy": proposal.asked_by,
        "createdAt": proposal.created_at.isoformat(),
        "expiresAt": proposal.expires_at.isoformat(),
        "decidedBy": decider(proposal),
        "decidedAt": proposal.decided_at.isoformat() if proposal.decided_at else None,
        "feedback": proposal.feedback,
        "problem": proposal.problem,
        "changeSetId": str(proposal.change_set) if proposal.change_set else None,
        "undoneBy": str(undone_by) if undone_by else None,
        "askedAgain": proposal.asked_again is not None,
    }


def decider(proposal: Proposal) -> str | None:
    """The name of the person who decided, or None."""
    return proposal.decided_by.get_username() if proposal.decided_by else None
