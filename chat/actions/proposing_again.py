"""Asks the model to propose again what could not be applied, with what changed meanwhile."""

import json
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from chat.actions import conversations, deciding
from chat.actions.refusals import Refused
from chat.models import Proposal, ProposalStatus, SessionType
from chat.queries.conversations import Held, hold
from chat.queries.proposals import proposal_for
from graphs.site.access import Forbidden, Member, NotFound

#: Changes that the message names, and characters of each value: the model reads the rest by itself.
MOST_CHANGES = 10
LONGEST_VALUE = 80


def propose_again(member: Member, proposal_id: str) -> dict[str, Any]:
    """Posts the message where it was proposed, once a proposal. Raises `NotFound`, `Forbidden`, `Refused`."""
    member.require_editor()
    proposal = proposal_for(member, proposal_id)
    if proposal.status == ProposalStatus.PENDING:
        deciding.expire(proposal.session_id)
        proposal.refresh_from_db(fields=["status"])
    if proposal.status not in {ProposalStatus.STALE, ProposalStatus.EXPIRED, ProposalStatus.FAILED}:
        raise Refused("conflict", _("This proposal was not refused because something changed."))
    if proposal.session.type == SessionType.GENERATION:
        raise Refused("conflict", _("This was generated. Generate it again, from its page."))
    with transaction.atomic():
        held = _held(member, proposal)
        proposal.refresh_from_db(fields=["asked_again"])
        if proposal.asked_again is None:
            proposal.asked_again = conversations.post_into(held, _message(proposal)).to_json()
            proposal.save(update_fields=["asked_again"])
    return dict(proposal.asked_again)


def _held(member: Member, proposal: Proposal) -> Held:
    """The conversation it comes from. That there is one is known to all who see the proposal."""
    try:
        return hold(member.user, str(proposal.session_id))
    except NotFound:
        raise Forbidden from None


def _message(proposal: Proposal) -> str:
    lines = [
        _("Your proposal “%(title)s” could not be applied.") % {"title": proposal.reason[:200] or proposal.object_key}
    ]
    if proposal.conflicts:
        lines.append(_("This changed meanwhile:"))
        lines += [f"- {_change(conflict)}" for conflict in proposal.conflicts[:MOST_CHANGES]]
    lines.append(_("Look at how it is now, and propose again what still makes sense."))
    return "\n".join(lines)


def _change(conflict: dict[str, Any]) -> str:
    name = f"{conflict['object']['type']} {conflict['object']['id']}"
    what = f"{name}, {conflict['field']}" if conflict["field"] else name
    return f"{what}: {_value(conflict['expected'])} → {_value(conflict['found'])}"


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
