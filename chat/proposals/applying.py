"""Doing what was approved, in the transaction that approves it."""

import logging

from django.contrib.auth.models import User
from django.db import DataError, IntegrityError
from pydantic import ValidationError

from chat.models import Proposal, ProposalStatus
from chat.proposals.drafting import draft
from graphs import actions, operations, targets, writing
from graphs.conflicts import Conflict, Conflicting
from graphs.models import Graph, Origin
from graphs.recording import Because
from graphs.refusals import ChangeRefused

log = logging.getLogger("countersign.proposals")

#: A tool is called after its action.
TOOL_PREFIX = "propose_"


def held_graph(proposal: Proposal) -> Graph | None:
    """The graph it is about, held until the transaction ends; None when it was deleted."""
    graphs = Graph.objects.select_for_update(no_key=True).filter(workspace=proposal.workspace_id)
    return graphs.filter(pk=proposal.graph).first()


def carry_out(proposal: Proposal, graph: Graph | None, actor: User) -> None:
    """Applies its operations and marks it applied; or stale or failed, and then nothing was changed. Saves nothing."""
    if graph is None:
        proposal.status = ProposalStatus.FAILED
        return
    moved = targets.moved(graph, proposal.targets)
    if moved and not _still_the_same(proposal, graph, moved):
        _mark_stale(proposal, graph, moved)
        return
    planned = [operations.from_json(each) for each in proposal.operations]
    try:
        applied = writing.apply(graph, planned, _because(proposal, actor))
    except Conflicting as error:
        _mark_stale(proposal, graph, error.conflicts)
    except (IntegrityError, DataError):
        log.exception("proposal %s cannot be applied", proposal.pk)
        proposal.status = ProposalStatus.FAILED
    else:
        proposal.status, proposal.change_set = ProposalStatus.APPLIED, applied.change_set_id


def _still_the_same(proposal: Proposal, graph: Graph, moved: tuple[Conflict, ...]) -> bool:
    """Where only other proposals of the same turn, which the person saw beside it, were applied meanwhile: whether what
    was shown is still exactly what would happen."""
    if not targets.moved_only_through(graph, moved, _turn(proposal), proposal.created_at):
        return False
    try:
        action = actions.parse(proposal.tool.removeprefix(TOOL_PREFIX), proposal.arguments)
        return draft(graph, proposal.tool, action, proposal.arguments, proposal.pk).operations == proposal.operations
    except (ValidationError, ChangeRefused):
        return False


def _turn(proposal: Proposal) -> str:
    return f"message:{proposal.message_id}"


def _mark_stale(proposal: Proposal, graph: Graph, conflicts: tuple[Conflict, ...]) -> None:
    proposal.status = ProposalStatus.STALE
    proposal.conflicts = targets.explained(graph, conflicts, proposal.created_at)


def _because(proposal: Proposal, actor: User) -> Because:
    """The proposal caused it; the message and the session name everything that one of them changed."""
    proposed = f"proposal:{proposal.pk}"
    return Because(
        actor=actor,
        origin=Origin.CHAT,
        reason=proposal.reason,
        cause=proposed,
        causes=(proposed, _turn(proposal), f"session:{proposal.session_id}"),
        prompt_version=proposal.message.prompt_version,
        model=proposal.message.model,
    )
