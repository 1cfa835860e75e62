"""With whom a conversation is shared."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Session, Share, SharedLink

#: Members that one answer names.
MOST_PEOPLE = 500


def shares_of(session: Session) -> QuerySet[Share]:
    return session.shares.select_related("user")


def links_of(session: Session) -> QuerySet[SharedLink]:
    """The links of a conversation that still lead to it."""
    return session.links.filter(expires_at__gt=timezone.now())


def could_share_with(session: Session) -> list[str]:
    """The names of the other members of its workspace, in their order."""
    others = User.objects.filter(is_active=True, memberships__workspace=session.workspace).exclude(pk=session.owner_id)
    return list(others.order_by("username").values_list("username", flat=True)[:MOST_PEOPLE])
