"""What the model reads about the changes it proposed: the results of its calls, and notes about late decisions."""

import json
from typing import Any

from chat.models import FETCH, Proposal, ProposalStatus
from graphs.models import Modification
from graphs.objects.operations import Create, from_json

#: Items and conflicts that one result names.
MAX_NAMED = 50
MAX_CONFLICTS = 10
#: Characters of edited arguments that the model reads.
MAX_ARGUMENTS_CHARS = 4_000

_NOTES = {
    ProposalStatus.APPLIED: "A person approved this change and it was made.",
    ProposalStatus.REJECTED: "A person rejected this change. Nothing was changed; do not propose the same again.",
    ProposalStatus.STALE: (
        "Nothing was changed: what this change was computed from has changed meanwhile. Read again what you need "
        "before you propose it anew."
    ),
    ProposalStatus.EXPIRED: "Nobody decided in time. Nothing was changed.",
    ProposalStatus.CANCELLED: "The person stopped the conversation before anybody decided. Nothing was changed.",
}
_MAY_BE_READ = "A person lets this address be read. Nothing was read yet: call {tool} with it again now."
_AT_ONCE = "This change was made at once: no person had to be asked."
_EDITED = "A person edited your arguments and approved them. The change was made as edited: read it again."
_FAILED = "This change was approved but could not be made. Nothing was changed. Read again before you try otherwise."
_MEANWHILE = "The person wrote meanwhile. Nothing was changed yet; a person can still decide."


def written_meanwhile(result: dict[str, Any]) -> dict[str, Any]:
    """The interim result of a call that still waits when the person writes."""
    return {**result, "note": _MEANWHILE}


def result_of(proposal: Proposal) -> dict[str, Any]:
    """The result of a call whose proposal was decided."""
    facts: dict[str, Any] = {"proposalId": str(proposal.pk), "status": str(proposal.status)}
    if proposal.feedback:
        facts["feedback"] = proposal.feedback
    match proposal.status:
        case ProposalStatus.APPLIED if proposal.object_type == FETCH:
            return facts | {"note": _MAY_BE_READ.format(tool=proposal.tool)}
        case ProposalStatus.APPLIED:
            return facts | _effect_of(proposal)
        case ProposalStatus.FAILED:
            return facts | {"error": f"{_FAILED} {proposal.problem}".strip()}
        case ProposalStatus.STALE if proposal.conflicts:
            facts["changedMeanwhile"] = [
                {"object": conflict["object"], "field": conflict["field"]}
                for conflict in proposal.conflicts[:MAX_CONFLICTS]
            ]
    return facts | {"note": _NOTES[ProposalStatus(proposal.status)]}


def note_of(proposal: Proposal) -> str:
    """Tells of a decision that came when the call had its interim result already; on one line, between brackets."""
    text = json.dumps(result_of(proposal), ensure_ascii=False, sort_keys=True)
    return f"[Not written by the person. A decision about your earlier call {proposal.tool}: {text}]"


def _effect_of(proposal: Proposal) -> dict[str, Any]:
    """What was really recorded, with the keys of what is new: the model needs them to go on."""
    changes = Modification.objects.filter(change_set_id=proposal.change_set).count()
    facts: dict[str, Any] = {"changes": changes, "note": _NOTES[ProposalStatus.APPLIED]}
    if proposal.decided_by_id is None:
        facts |= {"note": _AT_ONCE, "asked": False}
    if proposal.decided_arguments is not None:
        facts["note"] = _EDITED
        if len(json.dumps(proposal.decided_arguments)) <= MAX_ARGUMENTS_CHARS:
            facts["appliedArguments"] = proposal.decided_arguments
    made = [operation.item for operation in map(from_json, proposal.operations) if isinstance(operation, Create)]
    if made:
        facts["created"] = [item.to_json() for item in made[:MAX_NAMED]]
    return facts
