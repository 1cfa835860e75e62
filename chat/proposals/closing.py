"""Ends proposals without anybody's decision."""

import uuid
from collections.abc import Collection, Sequence

from django.db.models import Q
from django.db.models.functions import Now

from chat.events import notices
from chat.models import Proposal, ProposalStatus, Session
from chat.proposals.proposal_json import decision_event


def cancel_pending(session: Session, messages: Collection[uuid.UUID] | None = None) -> list[Proposal]:
    """Cancels what waits in a conversation or some answers. The caller holds it and tells its stream."""
    which = Q() if messages is None else Q(message__in=messages)
    return _close(session, which, ProposalStatus.CANCELLED)


def expire_due(session: Session) -> list[Proposal]:
    """Expires those that nobody decided in time, likewise."""
    return _close(session, Q(expires_at__lte=Now()), ProposalStatus.EXPIRED)


def _close(session: Session, which: Q, status: ProposalStatus) -> list[Proposal]:
    pending = session.proposals.filter(which, status=ProposalStatus.PENDING)
    ids = list(pending.values_list("pk", flat=True))
    if not ids:
        return []
    Proposal.objects.filter(pk__in=ids).update(status=status, decided_at=Now())
    closed = list(session.proposals.filter(pk__in=ids).defer(*Proposal.LARGE).order_by("object", "created_at", "id"))
    tell_others(closed)
    return closed


def tell_others(decided: Sequence[Proposal]) -> None:
    """Appends to the streams of objects and the workspace, before the session's stream is held."""
    for proposal in decided:
        notices.notify_of(proposal, [decision_event(proposal)])
    notices.notify_workspace(decided[0].workspace_id, decided)
