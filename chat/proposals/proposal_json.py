"""Proposals as JSON, for the API, and as events, for the log."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NotRequired, Self

from django.utils.translation import gettext as _
from pydantic import PrivateAttr, with_config
from typing_extensions import TypedDict

from chat.events.vocabulary import NewEvent
from chat.models import FETCH, Proposal, ProposalStatus
from graphs.history import queries
from graphs.history.conflict_words import told
from graphs.history.diffs import DiffEntry, labelled
from graphs.objects.refs import ObjectName
from graphs.site.shapes import AsItIs, Id, Moment, Shape

Status = Literal["pending", "applied", "rejected", "stale", "expired", "cancelled", "failed"]


class TargetShape(ObjectName):
    version: int


Level = Literal["app", "workspace", "tool", "session", "request", "untrusted", "default"]


@with_config(extra="forbid")
class AskedShape(TypedDict):
    level: Level
    why: str


@with_config(extra="forbid")
class ProposalConflictShape(TypedDict):
    """What a field was when the change was proposed, and what it is now; of a whole item where `field` is empty.

    `label` is what the item is called, `titles` and `names` what keys in the values are.
    """

    object: ObjectName
    field: str
    expected: Any
    found: Any
    label: NotRequired[str | None]
    fieldLabel: NotRequired[str | None]
    titles: NotRequired[dict[str, str] | None]
    names: NotRequired[dict[str, str] | None]
    changedBy: NotRequired[str | None]
    changedAt: NotRequired[str | None]
    changeSetId: NotRequired[str | None]


#: What is told whole or in brief, by its name here.
PARTS = {name: name for name in ("arguments", "diff", "objects", "targets", "conflicts", "counts", "cut")} | {
    "decided_arguments": "decidedArguments"
}


class ProposalShape(Shape):
    """Only one that was asked for by its id is whole. Everywhere else `cut` names what is not.

    `objects` are those that it changes, with the versions that it was computed from; 0 for one that it creates.
    `generated`: it came of a structured generation. Of a large one arguments and targets are left out, texts of the
    diff and of conflicts are cut. `counts` tells how many items come, change, move and go in the whole diff:
    `{node: {create: 2, move: 1}}`.
    """

    id: Id
    session_id: Id
    message_id: Id
    tool_call_id: str
    object: ObjectName
    status: Status
    tool: str
    reason: str
    digest: str
    arguments: AsItIs[dict[str, Any]]
    decided_arguments: AsItIs[dict[str, Any] | None]
    diff: AsItIs[list[DiffEntry]]
    objects: AsItIs[list[TargetShape]]
    targets: AsItIs[list[TargetShape]]
    conflicts: AsItIs[list[ProposalConflictShape]]
    counts: AsItIs[dict[str, dict[Literal["create", "update", "move", "delete"], int]]]
    cut: AsItIs[list[Literal["arguments", "decidedArguments", "diff", "targets", "conflicts"]]]
    asked_by: AsItIs[list[AskedShape]]
    created_at: Moment
    expires_at: Moment
    decided_by: str | None
    decided_at: Moment | None
    feedback: str
    problem: str
    change_set_id: Id | None
    undone_by: Id | None
    asked_again: bool
    generated: bool
    _parts: tuple[str, ...] = PrivateAttr()

    @classmethod
    def of(cls, proposal: Proposal, parts: Mapping[str, Any], taken_back: Mapping[uuid.UUID, uuid.UUID]) -> Self:
        """The proposal with its parts, whole or in brief; `taken_back` is what `undone` gives."""
        shape = cls.from_attributes(
            proposal,
            object=proposal.ref.to_json(),
            status=ProposalStatus.EXPIRED if proposal.overdue else proposal.status,
            **{python: parts[wire] for python, wire in PARTS.items()} | {"diff": _labelled(proposal, parts["diff"])},
            decided_by=decider(proposal),
            change_set_id=proposal.change_set,
            undone_by=taken_back.get(proposal.change_set) if proposal.change_set else None,
            asked_again=proposal.asked_again is not None,
        )
        shape._parts = tuple(parts)
        return shape

    def to_json(self) -> dict[str, Any]:
        """The proposal as plain data, its parts in the order in which they are stored."""
        shown = super().to_json()
        parts = iter(self._parts)
        return {name: shown[name] for name in (next(parts) if each in self._parts else each for each in shown)}


def _labelled(proposal: Proposal, diff: list[DiffEntry]) -> list[DiffEntry]:
    """The diff in the language of who reads it; of a page no kind says how it is called."""
    if proposal.object_type != FETCH:
        return labelled(diff)
    return [
        {**entry, "kindLabel": _("page"), "fields": [{**each, "label": _("Address")} for each in entry["fields"]]}
        for entry in diff
    ]


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
            **({"generated": True} if proposal.generated else {}),
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
    # One that was never shortened has no objects.
    briefs = [{"objects": [], **each.brief, "conflicts": told(each.brief.get("conflicts", []))} for each in shown]
    return [ProposalShape.of(*each, taken_back) for each in zip(shown, briefs, strict=True)]


def brief_json(proposal: Proposal) -> ProposalShape:
    """One proposal in brief."""
    return proposals_json([proposal])[0]


def proposal_json(proposal: Proposal) -> ProposalShape:
    """One proposal, whole, however long it is."""
    whole = {
        "arguments": proposal.arguments,
        "decidedArguments": proposal.decided_arguments,
        "diff": proposal.diff,
        "objects": proposal.brief.get("objects", []),
        "targets": proposal.targets,
        "conflicts": told(proposal.conflicts),
        "counts": proposal.brief["counts"],
        "cut": [],
    }
    return ProposalShape.of(proposal, whole, undone([proposal]))


def decider(proposal: Proposal) -> str | None:
    """The name of the person who decided, or None."""
    return proposal.decided_by.get_username() if proposal.decided_by else None
