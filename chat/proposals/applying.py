"""Does what was approved, in the transaction that approves it."""

import logging
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.db import DataError, IntegrityError
from django.utils.translation import gettext as _
from pydantic import ValidationError

from chat.models import FETCH, Proposal, ProposalStatus, SessionType
from chat.proposals.drafting import draft
from graphs.history import changes
from graphs.history.conflict_words import called
from graphs.history.recording import Because
from graphs.models import Object, Origin
from graphs.objects import actions, staleness
from graphs.objects.actions import ChangeRefused
from graphs.objects.headers import whole
from graphs.objects.holding import held
from graphs.objects.kinds import KINDS
from graphs.objects.operations import Create, Operation, from_json
from graphs.objects.preconditions import Conflict, Conflicting

log = logging.getLogger("countersign.proposals")

#: A tool is called after its action.
TOOL_PREFIX = "propose_"


def held_object(proposal: Proposal) -> Object | None:
    """The object it is about, held until the transaction ends, or the one that it creates; None if it was deleted."""
    if proposal.object_id is None:
        return proposal.about
    return held(Object.objects.filter(workspace=proposal.workspace_id, pk=proposal.object_id)).first()


def unknown_kind(proposal: Proposal) -> str:
    """A sentence if a kind that the proposal is about is no longer registered; else ""."""
    own = [] if proposal.object_type == FETCH else [proposal.object_type]
    named = [*own, *(each["type"] for each in (*proposal.operations, *proposal.targets))]
    gone = [name for name in dict.fromkeys(named) if name and name not in KINDS]
    return _("{kinds} is no longer known here.").format(kinds=", ".join(gone)) if gone else ""


def carry_out(proposal: Proposal, of: Object | None, actor: User) -> None:
    """Applies its operations and marks it applied; or stale or failed, and then nothing was changed. Saves nothing.

    One that wants to read a page has none: that its address may be asked is all that an approval says.
    """
    if proposal.object_type == FETCH:
        proposal.status = ProposalStatus.APPLIED
        return
    if of is None:
        _mark_stale(proposal, proposal.about, (Conflict(proposal.ref, "", None, None),))
        proposal.problem = _("What this proposal would change was deleted.")
        return
    moved = staleness.moved(of, proposal.targets)
    planned = _left_to_do(proposal, of, moved) if moved else proposal.operations
    if planned is None:
        _mark_stale(proposal, of, moved)
        return
    proposed, generated = f"proposal:{proposal.pk}", proposal.session.type == SessionType.GENERATION
    because = Because(
        actor=actor,
        origin=Origin.GENERATION if generated else Origin.CHAT,
        reason=proposal.reason,
        cause=proposed,
        causes=(proposed, _turn(proposal), f"session:{proposal.session_id}"),
        prompt_version=proposal.message.prompt_version,
        model=proposal.message.model,
        around=whole(of) if of.pk is not None else None,
    )
    try:
        applied = changes.apply(of, [_written_by(because.model, each) for each in map(from_json, planned)], because)
    except Conflicting as error:
        _mark_stale(proposal, of, error.conflicts)
    except ChangeRefused as refused:  # the model's own validation, which may look at more than the row
        proposal.status, proposal.problem = ProposalStatus.FAILED, str(refused)
    except (IntegrityError, DataError):
        log.exception("proposal %s cannot be applied", proposal.pk)
        proposal.status = ProposalStatus.FAILED
    else:
        proposal.status, proposal.change_set = ProposalStatus.APPLIED, applied.change_set_id


def _written_by(model: str, operation: Operation) -> Operation:
    """The operation; what is made has the model in the fields that say who wrote it."""
    if not isinstance(operation, Create):
        return operation
    names = [field.name for field in KINDS[operation.item.type].fields if field.writer]
    return replace(operation, record={**operation.record, **dict.fromkeys(names, model)}) if names else operation


def _left_to_do(proposal: Proposal, of: Object, moved: tuple[Conflict, ...]) -> list[dict[str, Any]] | None:
    """The plan without what another proposal of the turn deleted already; None if anything else would differ."""
    if not staleness.moved_only_through(of, moved, _turn(proposal), proposal.created_at):
        return None
    gone = [("delete", each.item.type, each.item.key) for each in moved if each.found is None]
    shown = [each for each in proposal.operations if (each["action"], each["type"], each["id"]) not in gone]
    try:
        action = actions.parse(proposal.tool.removeprefix(TOOL_PREFIX), proposal.arguments)
        now = draft(of, proposal.tool, action, proposal.arguments, proposal.pk).operations
    except (ValidationError, ChangeRefused):
        return None
    return shown if now == shown else None


def _turn(proposal: Proposal) -> str:
    return f"message:{proposal.message_id}"


def _mark_stale(proposal: Proposal, of: Object, conflicts: tuple[Conflict, ...]) -> None:
    proposal.status = ProposalStatus.STALE
    proposal.conflicts = called(staleness.explained(of, conflicts, proposal.created_at), of)
