"""What the log and the API say of proposals."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import timezone

from chat.events.vocabulary import NewEvent
from chat.models import Proposal, ProposalStatus
from graphs import history
from graphs.diffs import labelled


def proposal_event(proposal: Proposal) -> NewEvent:
    return NewEvent(
        "proposal",
        {
            "proposalId": str(proposal.pk),
            "tool": proposal.tool,
            "toolCallId": proposal.tool_call_id,
            "messageId": str(proposal.message_id),
            "reason": proposal.reason,
            "diff": proposal.diff,
            "digest": proposal.digest,
            "targets": proposal.targets,
            "askedBy": proposal.asked_by,
            "expiresAt": proposal.expires_at.isoformat(),
        },
        proposal.message_id,
    )


def decision_event(proposal: Proposal) -> NewEvent:
    """Names the answer but no run: the run that proposed has ended by then."""
    return NewEvent(
        "decision",
        {
            "proposalId": str(proposal.pk),
            "status": proposal.status,
            "toolCallId": proposal.tool_call_id,
            "decidedBy": decider(proposal),
            "decidedAt": proposal.decided_at.isoformat() if proposal.decided_at else None,
            **({"feedback": proposal.feedback} if proposal.feedback else {}),
            **({"edited": True} if proposal.decided_arguments is not None else {}),
            **({"changeSetId": str(proposal.change_set)} if proposal.change_set else {}),
            **({"conflicts": proposal.conflicts} if proposal.conflicts else {}),
        },
        proposal.message_id,
    )


def undone(proposals: Iterable[Proposal]) -> Mapping[uuid.UUID, uuid.UUID]:
    """What took back what came of these proposals: change set by change set, in one query for all of them."""
    applied = [proposal.change_set for proposal in proposals if proposal.change_set]
    return history.undone_by(applied) if applied else {}


def proposals_json(proposals: Iterable[Proposal]) -> list[dict[str, Any]]:
    shown = list(proposals)
    taken_back = undone(shown)
    return [proposal_json(proposal, taken_back) for proposal in shown]


def proposal_json(proposal: Proposal, taken_back: Mapping[uuid.UUID, uuid.UUID] | None = None) -> dict[str, Any]:
    """One that nobody decided in time counts as expired from that moment on. `taken_back` is what `undone` gives."""
    taken_back = undone([proposal]) if taken_back is None else taken_back
    undone_by = taken_back.get(proposal.change_set) if proposal.change_set else None
    late = proposal.status == ProposalStatus.PENDING and proposal.expires_at <= timezone.now()
    return {
        "id": str(proposal.pk),
        "sessionId": str(proposal.session_id),
        "messageId": str(proposal.message_id),
        "toolCallId": proposal.tool_call_id,
        "object": {"type": "graph", "id": proposal.graph_key},
        "status": ProposalStatus.EXPIRED if late else proposal.status,
        "tool": proposal.tool,
        "arguments": proposal.arguments,
        "decidedArguments": proposal.decided_arguments,
        "reason": proposal.reason,
        "diff": labelled(proposal.diff),
        "digest": proposal.digest,
        "targets": proposal.targets,
        "askedBy": proposal.asked_by,
        "createdAt": proposal.created_at.isoformat(),
        "expiresAt": proposal.expires_at.isoformat(),
        "decidedBy": decider(proposal),
        "decidedAt": proposal.decided_at.isoformat() if proposal.decided_at else None,
        "feedback": proposal.feedback,
        "changeSetId": str(proposal.change_set) if proposal.change_set else None,
        "undoneBy": str(undone_by) if undone_by else None,
        "conflicts": proposal.conflicts,
    }


def decider(proposal: Proposal) -> str | None:
    """Their name; None where nobody decided."""
    return proposal.decided_by.get_username() if proposal.decided_by else None
