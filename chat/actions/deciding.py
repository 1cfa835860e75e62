"""What a person may do with a proposal: look at it edited, approve, reject; each decision is one transaction."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from pydantic import ValidationError

from chat.actions.refusals import Refused
from chat.engine import turns
from chat.engine.runs import Accepted
from chat.models import FETCH, Proposal, ProposalStatus, Session
from chat.proposals.applying import TOOL_PREFIX, carry_out, held_object, unknown_kind
from chat.proposals.closing import expire_due
from chat.proposals.drafting import DraftedProposal, draft
from chat.proposals.proposal_json import brief_json, decider
from chat.proposals.shortening import shorten
from chat.queries.proposals import proposal_for, proposals_of, require_proposals
from graphs.history.conflict_words import told
from graphs.history.outside import catch_up
from graphs.models import Object
from graphs.objects import actions, operations
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import require_may_edit_all
from graphs.objects.holding import held
from graphs.objects.kinds import is_object
from graphs.objects.new_keys import refuse_numbers, with_keys_of
from graphs.objects.refs import Ref
from graphs.objects.stores import headers
from graphs.site import preview_places
from graphs.site.access import Forbidden, Member, hold_role
from graphs.site.telemetry.events import about, emit

#: Proposals that one request decides.
MOST_AT_ONCE = 200
#: What an approval changes of a proposal, and what else where its arguments were edited.
_OUTCOME = ("status", "change_set", "conflicts", "problem")
_EDITED = ("decided_arguments", "operations", "targets", "diff", "digest")


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decides. `digest` names what they were shown; edited arguments need that of their preview."""

    approved: bool
    feedback: str = ""
    edited_arguments: dict[str, Any] | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a decision. `run` is how the model goes on, None if it waits for others or is done."""

    proposal: Proposal
    run: Accepted | None


def decide(member: Member, proposal_id: str, decision: Decision) -> Decided:
    """Approves or rejects a pending proposal, exactly once whoever else decides at the same time.

    Raises `NotFound`, `Forbidden` for who may not change anything, and `Refused`: "decided" (its `details` say by
    whom), "expired", "stale" with what changed since, "failed", "digest" when it is not what was shown, "validation".
    """
    if decision.edited_arguments is not None and not decision.approved:
        sentence = _(
            "Only an approval can have edited arguments. Leave them out, or say in “feedback” what should differ."
        )
        raise Refused("validation", sentence, field="editedArguments")
    with transaction.atomic():
        proposal = proposal_for(member, proposal_id)
        session = proposal.session = _held_session(proposal.session_id)
        hold_role(member).require_editor()
        mine = _claimed(proposal, member, decision)
        if mine:
            changed = _approve(proposal, member, decision) if decision.approved else ()
            shorten(proposal)
            proposal.save(update_fields=[*changed, "brief"])
            closed = [proposal]
        else:
            closed = expire_due(session)
            proposal.refresh_from_db()
        run = turns.apply_decisions(session, closed) if closed else None
    refusal = _refusal(proposal, mine)
    if refusal is not None:
        raise refusal
    named = {"object_type": proposal.object_type, "object_key": proposal.object_key}
    with about(workspace=member.workspace.pk, session=proposal.session_id, **named):
        emit(
            "hitl_decision",
            proposal=proposal.pk,
            tool=proposal.tool,
            action_type=proposal.tool.removeprefix(TOOL_PREFIX),
            user=member.user.pk,
            outcome=proposal.status,
        )
    return Decided(proposal, run)


def _claimed(proposal: Proposal, member: Member, decision: Decision) -> bool:
    """Claims the proposal; True for the one decision that finds it pending and in time."""
    status = ProposalStatus.APPLIED if decision.approved else ProposalStatus.REJECTED
    open_ = Proposal.objects.filter(pk=proposal.pk, status=ProposalStatus.PENDING, expires_at__gt=Now())
    if not open_.update(status=status, decided_by=member.user, decided_at=Now(), feedback=decision.feedback):
        return False
    proposal.refresh_from_db(fields=["status", "decided_by", "decided_at", "feedback"])
    return True


def _approve(proposal: Proposal, member: Member, decision: Decision) -> Sequence[str]:
    """Applies the proposal and returns the fields that are to be saved."""
    if problem := unknown_kind(proposal):
        proposal.status, proposal.problem = ProposalStatus.FAILED, problem
        return _OUTCOME
    items = {Ref.from_json(each) for each in (*proposal.targets, *proposal.operations)}
    concerned = {proposal.ref, *(ref for ref in items if is_object(ref.type))}
    if decision.edited_arguments is not None:
        concerned.update(actions.named_by([_asked(proposal, decision.edited_arguments)]))
    # So that whoever stands in the way is named by the history.
    catch_up(list(held(headers(proposal.workspace_id, concerned))))
    of = held_object(proposal)
    if of is not None:
        _require_shown(proposal, member, of, decision)
        try:
            require_may_edit_all(member, [*map(operations.from_json, proposal.operations)])
        except ChangeRefused:
            raise Forbidden from None
    carry_out(proposal, of, member.user)
    return _OUTCOME if decision.edited_arguments is None else (*_OUTCOME, *_EDITED)


def _require_shown(proposal: Proposal, member: Member, of: Object, decision: Decision) -> None:
    """Refuses a decision on other operations than the person saw, in the proposal or in a preview of it edited."""
    edited = decision.edited_arguments
    if edited is not None:
        edited = _keyed(proposal, edited)
        drafted = _drafted(proposal, member, of, edited)
        proposal.decided_arguments = edited
        proposal.operations, proposal.targets = drafted.operations, drafted.targets
        proposal.diff, proposal.digest = drafted.diff, drafted.digest
    if decision.digest != proposal.digest and (decision.digest or edited is not None):
        raise Refused("digest", _("This is not what would be applied now. Look at it again before you approve."))


def preview(member: Member, proposal_id: str, arguments: dict[str, Any] | None) -> DraftedProposal:
    """What the proposal would do now, with these arguments or its own.

    Raises `NotFound`, `Forbidden`, `Refused` and `TooManyPreviews`.
    """
    member.require_editor()
    with transaction.atomic():
        proposal = proposal_for(member, proposal_id)
        if proposal.object_type == FETCH and arguments is None:
            return DraftedProposal((), [], [], proposal.diff, proposal.digest)
        if problem := unknown_kind(proposal):
            raise Refused("conflict", problem)
        of = held_object(proposal)
        if of is None:
            raise Refused("conflict", _("What this proposal would change was deleted."))
        with preview_places.place(member.user.pk):
            asked = proposal.arguments if arguments is None else _keyed(proposal, arguments)
            return _drafted(proposal, member, of, asked)


def _drafted(proposal: Proposal, member: Member, of: Object, arguments: dict[str, Any]) -> DraftedProposal:
    asked, proposed = _asked(proposal, arguments), _asked(proposal, proposal.arguments)
    try:
        refuse_numbers([asked], [proposed])
        drafted = draft(of, proposal.tool, asked, arguments, proposal.pk, member)
        # What its reason speaks of is shown and stored with it.
        actions.refuse_others(asked, proposed)
        return drafted
    except ChangeRefused as error:
        raise Refused("validation", str(error), field="editedArguments") from None


def _keyed(proposal: Proposal, edited: dict[str, Any]) -> dict[str, Any]:
    """The edited arguments with the keys that were made for what they make."""
    _asked(proposal, edited)
    return with_keys_of(proposal.tool.removeprefix(TOOL_PREFIX), edited, proposal.arguments)


def _asked(proposal: Proposal, arguments: dict[str, Any]) -> actions.Action:
    if proposal.object_type == FETCH:
        sentence = _("This address cannot be edited. Reject it, and write the one you mean in the conversation.")
        raise Refused("validation", sentence, field="editedArguments")
    try:
        action: actions.Action = actions.parse(proposal.tool.removeprefix(TOOL_PREFIX), arguments)
    except ValidationError as error:
        raise Refused("validation", actions.mistakes_for_people(error), field="editedArguments") from None
    return action


def decide_many(member: Member, proposal_ids: Sequence[str], decision: Decision) -> list[Decided | Refused]:
    """What became of each, decided for itself, in order. Raises `Forbidden` and, before any is decided, `NotFound`."""
    member.require_editor()
    require_proposals(member, proposal_ids)
    outcomes: list[Decided | Refused] = []
    for proposal_id in proposal_ids:
        try:
            outcomes.append(decide(member, proposal_id, decision))
        except Refused as refusal:
            outcomes.append(refusal)
    return outcomes


def waiting_in(member: Member, session_id: str) -> list[str]:
    """The ids of what waits in one conversation, the oldest first."""
    waiting = proposals_of(member, status=ProposalStatus.PENDING, session_id=session_id)
    return [str(pk) for pk in waiting.order_by("created_at", "id").values_list("pk", flat=True)[:MOST_AT_ONCE]]


def expire_all() -> int:
    """Closes every proposal that nobody decided in time, one conversation after the other; returns how many."""
    due = Proposal.objects.filter(status=ProposalStatus.PENDING, expires_at__lte=Now())
    return sum(expire(session_id) for session_id in due.order_by().values_list("session", flat=True).distinct())


def expire(session_id: uuid.UUID) -> int:
    """Closes the proposals of one conversation that nobody decided in time; returns how many."""
    with transaction.atomic():
        session = _held_session(session_id)
        expired = expire_due(session)
        if expired:
            turns.apply_decisions(session, expired)
    return len(expired)


def _held_session(session_id: uuid.UUID) -> Session:
    sessions = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("stream", "workspace")
    return sessions.get(pk=session_id)


def _refusal(proposal: Proposal, mine: bool) -> Refused | None:
    """Why a decision had no effect, as the proposal stands now; None if it had one."""
    if mine and proposal.status in {ProposalStatus.APPLIED, ProposalStatus.REJECTED}:
        return None
    details = {"proposal": brief_json(proposal).to_json()}
    if proposal.status == ProposalStatus.EXPIRED:
        return Refused("expired", _("Nobody decided in time; this proposal has expired."), details=details)
    if not mine:
        return Refused("decided", _decided_sentence(proposal), details=details)
    if proposal.status == ProposalStatus.STALE:
        sentence = _("What this proposal would change has changed meanwhile. Nothing was applied.")
        if proposal.problem:
            sentence = _("What this proposal would change was deleted meanwhile. Nothing was applied.")
        return Refused("stale", sentence, details={**details, "conflicts": told(proposal.brief["conflicts"])})
    if proposal.problem:
        sentence = _("This proposal cannot be applied. Nothing was changed: %(problem)s")
        return Refused("failed", sentence % {"problem": proposal.problem}, details=details)
    return Refused("failed", _("This proposal cannot be applied. Nothing was changed."), details=details)


def _decided_sentence(proposal: Proposal) -> str:
    names = {"name": decider(proposal) or "", "status": proposal.get_status_display()}
    if proposal.status == ProposalStatus.STALE and names["name"]:
        sentence = _("%(name)s approved this already, but what it would change had changed. Nothing was applied.")
        return sentence % names
    if proposal.status == ProposalStatus.FAILED and names["name"]:
        return _("%(name)s approved this already, but it could not be applied. Nothing was changed.") % names
    if names["name"]:
        return _("%(name)s has decided already: %(status)s.") % names
    return _("This proposal waits for nobody any more: %(status)s.") % names
