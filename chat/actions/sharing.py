"""Shares a conversation with members and by links, and takes that back; each one transaction, for its owner alone."""

from datetime import datetime, timedelta
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.models import Share, SharedLink
from chat.queries.conversations import held_own_session
from chat.rights.links import digest_of, new_token
from graphs.site.access import Member, NotFound, parsed_id
from graphs.site.telemetry.events import emit

#: The longest that a link leads anywhere.
MOST_DAYS = 90
#: People and links of one conversation.
MOST_SHARES = 200
MOST_LINKS = 20


def share_with(member: Member, session_id: str, username: str, access: Literal["read", "write"]) -> Share:
    """Lets a member of the workspace read a conversation, or write along, whatever they might before.

    Where somebody else writes, every change asks from now on, until the owner says otherwise: a model may do for the
    owner what another one told it. Raises `NotFound`, `Problem` 403, and `Refused`.
    """
    with transaction.atomic():
        session = held_own_session(member, session_id)
        person = _colleague(member, username)
        if session.shares.exclude(user=person).count() >= MOST_SHARES:
            raise _full(MOST_SHARES)
        if access == "write" and not session.require_validation:
            session.require_validation = True
            session.save(update_fields=["require_validation"])
        share, _created = Share.objects.update_or_create(session=session, user=person, defaults={"access": access})
    emit("conversation_shared", session=session.pk, user=member.user.pk, person=person.pk, access=access)
    return share


def share_by_link(
    member: Member, session_id: str, expires_at: datetime, *, reasoning: bool, tool_results: bool
) -> tuple[SharedLink, str]:
    """A new link to a conversation, with its token, which nobody can learn later. Raises as `share_with` does."""
    now = timezone.now()
    if not now < expires_at <= now + timedelta(days=MOST_DAYS):
        sentence = _("A link lasts until a moment within the next %(days)s days.") % {"days": MOST_DAYS}
        raise Refused("validation", sentence, field="expiresAt")
    token = new_token()
    with transaction.atomic():
        session = held_own_session(member, session_id)
        session.links.filter(expires_at__lte=now).delete()
        if session.links.count() >= MOST_LINKS:
            raise _full(MOST_LINKS)
        link = SharedLink.objects.create(
            session=session,
            digest=digest_of(token),
            reasoning=reasoning,
            tool_results=tool_results,
            expires_at=expires_at,
        )
        link.refresh_from_db()  # before anybody can take it back
    emit("conversation_linked", session=session.pk, user=member.user.pk, link=link.pk)
    return link, token


def unshare(member: Member, session_id: str, share_id: str | None = None) -> None:
    """Takes one share or link of a conversation back, without an id all of them. Raises `NotFound`, `Problem` 403."""
    with transaction.atomic():
        session = held_own_session(member, session_id)
        named = {} if share_id is None else {"pk": parsed_id(share_id)}
        gone = session.shares.filter(**named).delete()[0] + session.links.filter(**named).delete()[0]
        if share_id is not None and not gone:
            raise NotFound
    emit("conversation_unshared", session=session.pk, user=member.user.pk, count=gone)


def revoke(person: User, given: QuerySet[Share] | QuerySet[SharedLink]) -> None:
    """Takes these shares or links of any conversations back, for who looks after a workspace. They end at once."""
    for row in given.select_related("session"):
        row.delete()
        emit("conversation_unshared", session=row.session_id, user=person.pk, count=1)


def _colleague(member: Member, username: str) -> User:
    """Another member of the workspace; raises `Refused`."""
    if username == member.user.get_username():
        raise Refused("validation", _("The conversation is yours already."), field="user")
    people = User.objects.filter(is_active=True, memberships__workspace=member.workspace)
    person = people.filter(username=username).first()
    if person is None:
        sentence = _("There is no member of this workspace called “%(name)s”.") % {"name": username}
        raise Refused("validation", sentence, field="user")
    return person


def _full(most: int) -> Refused:
    return Refused("conflict", _("At most %(count)s can be given. Take one back first.") % {"count": most})
