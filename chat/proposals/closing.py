"""Ends proposals without anybody's decision. The caller holds their session, and goes on to `turns.apply_decisions`."""

import uuid
from collections.abc import Collection

from django.db.models import Q
from django.db.models.functions import Now

from chat.models import Proposal, ProposalStatus, Session


def cancel_pending(session: Session, messages: Collection[uuid.UUID] | None = None) -> list[Proposal]:
    """Cancels what waits in a conversation or some answers."""
    which = Q() if messages is None else Q(message__in=messages)
    return _close(session, which, ProposalStatus.CANCELLED)


def expire_due(session: Session) -> list[Proposal]:
    """Expires those that nobody decided in time."""
    return _close(session, Q(expires_at__lte=Now()), ProposalStatus.EXPIRED)


def _close(session: Session, which: Q, status: ProposalStatus) -> list[Proposal]:
    pending = session.proposals.filter(which, status=ProposalStatus.PENDING)
    ids = list(pending.values_list("pk", flat=True))
    if not ids:
        return []
    Proposal.objects.filter(pk__in=ids).update(status=status, decided_at=Now())
    return list(session.proposals.filter(pk__in=ids).defer(*Proposal.LARGE).order_by("object", "created_at", "id"))
