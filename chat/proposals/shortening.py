"""What lists, pages and events say of a proposal: all of a small one, of a large one a few kB.

It is stored beside the proposal, so that a page of large ones is read as fast as one of small ones. Who looks at one
proposal, or approves it, asks for it whole.
"""

from typing import Any

from chat.models import Proposal
from graphs.history.brief_diffs import brief, chars, clipped, counts

#: Arguments and targets that are longer are left out.
MOST_CHARS = 2_000
MOST_CONFLICTS = 10


def shorten(proposal: Proposal) -> None:
    """Sets `brief`; called wherever a part of it changes, before the proposal is saved."""
    whole = {
        "arguments": proposal.arguments,
        "decidedArguments": proposal.decided_arguments,
        "diff": proposal.diff,
        "targets": proposal.targets,
        "conflicts": proposal.conflicts,
    }
    short = {
        "arguments": _short(proposal.arguments, {}),
        "decidedArguments": _short(proposal.decided_arguments, {}),
        "diff": brief(proposal.diff),
        "targets": _short(proposal.targets, []),
        "conflicts": [_conflict(conflict) for conflict in proposal.conflicts[:MOST_CONFLICTS]],
    }
    cut = [name for name in whole if short[name] != whole[name]]
    proposal.brief = {**short, "counts": counts(proposal.diff), "cut": cut}


def _short(value: Any, nothing: Any) -> Any:
    return value if chars(value) <= MOST_CHARS else nothing


def _conflict(conflict: dict[str, Any]) -> dict[str, Any]:
    return {**conflict, "expected": clipped(conflict["expected"]), "found": clipped(conflict["found"])}
