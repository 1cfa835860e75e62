"""Who may read a conversation, and who keeps it. Doors, streams, searches, exports and tools ask here; none decides.

The rule is one text: a relation of conversations with people, for statements that are written out and for the ORM.
"""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from chat.models import Session

#: Conversations (`session`) that are not deleted, with the members of their workspaces (`membership`) who may sign in
#: (`person`).
_WITH_MEMBERS = """
chat_session AS session
JOIN graphs_membership AS membership ON membership.workspace_id = session.workspace_id
JOIN auth_user AS person ON person.id = membership.user_id AND person.is_active
    AND session.hidden_at IS NULL AND ({right})
"""
#: Those who write in it, name it, put it away and delete it.
KEEPERS = _WITH_MEMBERS.format(right="session.owner_id = person.id")
#: Those who read it: its messages, events, stream and exports.
READERS = KEEPERS


def readable_by(user: User) -> QuerySet[Session]:
    """The conversations that the person may read, in whichever of their workspaces."""
    return _of(user, READERS)


def kept_by(user: User) -> QuerySet[Session]:
    """The conversations that the person keeps, in whichever of their workspaces; by their index, as lists ask."""
    return _of(user, KEEPERS).filter(owner=user)


def may_read(user: User, session: Session) -> bool:
    return readable_by(user).filter(pk=session.pk).exists()


def keeps(user: User, session: Session) -> bool:
    return kept_by(user).filter(pk=session.pk).exists()


def _of(user: User, relation: str) -> QuerySet[Session]:
    ids = f"SELECT session.id FROM {relation} WHERE person.id = %s"  # noqa: S608 - a constant
    return Session.objects.filter(pk__in=RawSQL(ids, [user.pk]))  # noqa: S611 - what it is given is a parameter
