"""What lists, pages and events say of a proposal: a small one whole, a few kB of a large one, stored beside it."""

from typing import Any

from chat.models import Proposal
from graphs.history.brief_diffs import brief, chars, counts
from graphs.history.first_difference import clipped_both
from graphs.models import Object
from graphs.objects.kinds import is_object

#: Arguments and targets that are longer are left out.
MOST_CHARS = 2_000
MOST_CONFLICTS = 10
_SIDES = ("expected", "found")


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
        "conflicts": [
            {**conflict, **dict(zip(_SIDES, clipped_both(*(conflict[side] for side in _SIDES)), strict=True))}
            for conflict in proposal.conflicts[:MOST_CONFLICTS]
        ],
    }
    cut = [name for name in whole if short[name] != whole[name]]
    proposal.brief = {**short, "objects": _objects(proposal), "counts": counts(proposal.diff), "cut": cut}


def _objects(proposal: Proposal) -> list[dict[str, Any]]:
    """The objects that it changes, in the versions that it was computed from; 0 for one that it creates."""
    own = proposal.ref
    named = [(each["type"], each["id"]) for each in proposal.operations]
    changed = dict.fromkeys(ref if is_object(ref[0]) else own for ref in named)
    known = {(each["type"], each["id"]): each["version"] for each in proposal.brief.get("objects", [])}
    known |= {(each["type"], each["id"]): each["version"] for each in proposal.targets}
    if own in changed and own not in known:
        known[own] = _own_version(proposal)
    return [{"type": type_, "id": key, "version": known.get((type_, key), 0)} for type_, key in changed]


def _own_version(proposal: Proposal) -> int:
    try:
        return proposal.object.version if proposal.object is not None else 0
    except Object.DoesNotExist:
        return 0


def _short(value: Any, nothing: Any) -> Any:
    return value if chars(value) <= MOST_CHARS else nothing
