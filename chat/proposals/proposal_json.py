"""Proposals as JSON, for the API, and as events, for the log."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from chat.events.vocabulary import NewEvent
from chat.models import Proposal, ProposalStatus
from graphs.history import queries
from graphs.history.diffs import labelled


def proposal_event(proposal: Proposal) -> NewEvent:
    """Told to every window, and kept for ever: no more of a large change than lists say of it."""
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
            **({"conflicts": proposal.brief["conflicts"]} if proposal.brief["conflicts"] else {}),
            **({"cut": ["conflicts"]} if "conflicts" in proposal.brief["cut"] else {}),
        },
        proposal.message_id,
    )


def undone(proposals: Iterable[Proposal]) -> Mapping[uuid.UUID, uuid.UUID]:
    """What took back what came of these proposals: change set by change set, in one query for all of them."""
    applied = [proposal.change_set for proposal in proposals if proposal.change_set]
    return queries.undone_by(applied) if applied else {}


def proposals_json(proposals: Iterable[Proposal]) -> list[dict[str, Any]]:
    """Proposals beside others, in brief: `cut` names what is not whole. Nothing `LARGE` of them is read."""
    shown = list(proposals)
    taken_back = undone(shown)
    return [_told(proposal, proposal.brief, taken_back) for proposal in shown]


def brief_json(proposal: Proposal) -> dict[str, Any]:
    """One of them."""
    return proposals_json([proposal])[0]


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """One proposal, whole, however long it is."""
    whole = {
        "arguments": proposal.arguments,
        "decidedArguments": proposal.decided_arguments,
        "diff": proposal.diff,
        "targets": proposal.targets,
        "conflicts": proposal.conflicts,
        "counts": proposal.brief["counts"],
        "cut": [],
    }
    return _told(proposal, whole, undone([proposal]))


def _told(proposal: Proposal, parts: dict[str, Any], taken_back: Mapping[uuid.UUID, uuid.UUID]) -> dict[str, Any]:
    """`parts` is what may be told in full or in brief, `taken_back` what `undone` gives."""
    undone_by = taken_back.get(proposal.change_set) if proposal.change_set else None
    return {
        "id": str(proposal.pk),
        "sessionId": str(proposal.session_id),
        "messageId": str(proposal.message_id),
        "toolCallId": proposal.tool_call_id,
        "object": {"type": "graph", "id": proposal.graph_key},
        "status": ProposalStatus.EXPIRED if proposal.overdue else proposal.status,
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
        "changeSetId": str(proposal.change_set) if proposal.change_set else None,
        "undoneBy": str(undone_by) if undone_by else None,
        "askedAgain": proposal.asked_again is not None,
    }


def decider(proposal: Proposal) -> str | None:
    """Their name; None where nobody decided."""
    return proposal.decided_by.get_username() if proposal.decided_by else None
