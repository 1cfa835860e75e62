"""Decides who may read a conversation: every door, list, search, export and tool asks here, and nowhere else.

A conversation is its owner's. They share it with members of its workspace, who read it or write along, for as long as
the owner has access themselves: who gave a share gives only what is theirs.
"""

import uuid
from typing import Literal

from django.contrib.auth.models import User
from django.db.models import F, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from chat.models import Session, Share, SharedLink

#: What a person may do with a conversation. Who may write may read; the owner may do everything.
Access = Literal["owner", "write", "read"]
#: Who may ask, answer and stop.
WRITES: tuple[Access, ...] = ("owner", "write")

#: How the person `u` (a row of auth_user) may read `session` (a row of chat_session): an `Access`, NULL if not at all.
#: The shares are only looked at where the person is not the owner, by a function of the database.
ACCESS = """
CASE
    WHEN session.hidden_at IS NOT NULL OR session.type = 'GENERATION' OR NOT u.is_active OR NOT EXISTS (
        SELECT FROM graphs_membership WHERE workspace_id = session.workspace_id AND user_id = u.id
    ) THEN NULL
    WHEN session.owner_id = u.id THEN 'owner'
    ELSE chat_shared(session.id, u.id)
END
"""
#: Looks first for what could concern the person: their own conversations, and those that somebody shared with them.
_READABLE = f"""
SELECT session.id FROM (
    SELECT id FROM chat_session WHERE owner_id = %s UNION ALL SELECT session_id FROM chat_share WHERE user_id = %s
) AS concerning JOIN chat_session AS session ON session.id = concerning.id JOIN auth_user AS u ON u.id = %s
WHERE {ACCESS} IS NOT NULL
"""  # noqa: S608 - what is inserted is a constant


def readable_by(user: User) -> QuerySet[Session]:
    """The conversations that the person may read, in whichever of their workspaces."""
    return Session.objects.filter(pk__in=RawSQL(_READABLE, [user.pk] * 3))  # noqa: S611 - a constant with parameters


def kept_by(user: User) -> QuerySet[Session]:
    """The person's own conversations, which they name, share and delete; by their index, as lists ask."""
    return readable_by(user).filter(owner=user, hidden_at=None)


def shared_with(user: User) -> QuerySet[Session]:
    """The conversations of others that the person may read, each with its `access`."""
    return readable_by(user).filter(shares__user=user).exclude(owner=user).annotate(access=F("shares__access"))


def access_to(user: User, session_id: str) -> RawSQL:
    """How the person may read the session of a column, `table.column`: an `Access`, NULL if not at all."""
    asked = f"""
        SELECT {ACCESS} FROM chat_session AS session, auth_user AS u WHERE session.id = {session_id} AND u.id = %s
    """  # noqa: S608 - what is inserted are the name of a column and a constant
    return RawSQL(asked, [user.pk])  # noqa: S611 - as above, with a parameter


def access_of(user: User, session: Session) -> Access:
    """How a person may read a session that was found for them. The owner's own costs no statement."""
    if session.owner_id == user.pk:
        return "owner"
    share = Share.objects.filter(session=session, user=user, access=Share.Access.WRITE)
    return "write" if share.exists() else "read"


def may_read(user: User, session: Session) -> bool:
    return readable_by(user).filter(pk=session.pk).exists()


def keeps(user: User, session: Session) -> bool:
    return kept_by(user).filter(pk=session.pk).exists()


def is_shared(session_id: uuid.UUID) -> bool:
    """Whether anybody but the owner may read a conversation now, or once they are let in again."""
    shares, links = Share.objects.filter(session=session_id), SharedLink.objects.filter(session=session_id)
    return shares.exists() or links.filter(expires_at__gt=Now()).exists()
