"""Which conversations changed an object, and which of its fields lately."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone

from graphs.history import causes
from graphs.models import Modification, Object
from graphs.site.access import Member

#: How long a field is marked that a conversation changed.
LATELY = timedelta(days=1)
#: Modifications that are looked through for such fields, and versions that are looked through for conversations.
MOST_MODIFICATIONS = 2_000
MOST_VERSIONS = 1_000
_SESSION = "session:"

_CONVERSATIONS = """
SELECT each.cause, max(latest.created_at), count(*)
FROM (
    SELECT change_set_id, created_at FROM graphs_revision WHERE type = %s AND object = %s ORDER BY version DESC LIMIT %s
) AS latest
JOIN graphs_changeset AS c ON c.id = latest.change_set_id CROSS JOIN LATERAL unnest(c.causes) AS each(cause)
WHERE starts_with(each.cause, %s) GROUP BY each.cause ORDER BY 2 DESC, 1
"""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """The change set that changed a field last, by whom and when."""

    change_set: uuid.UUID
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Conversation:
    """One of the member's own that changed the object `changes` times, the last time `at` that moment."""

    title: str
    url: str
    at: datetime
    changes: int


@dataclass(frozen=True, slots=True)
class Conversations:
    """The member's own, the one that changed the object last in front, and how many are others'."""

    own: Sequence[Conversation] = ()
    others: int = 0

    @property
    def earlier(self) -> int:
        """How many of the member's own are not the last one."""
        return max(len(self.own) - 1, 0)


def changed_by_conversations(of: Object) -> dict[str, FieldChange]:
    """The fields of an object whose last change of the last day came of a conversation."""
    since = timezone.now() - LATELY
    rows = Modification.objects.filter(type=of.type, object=of.pk, kind=of.type, key=of.key, action="update")
    rows = rows.filter(change_set__created_at__gte=since).order_by("-version", "-id")
    found: dict[str, FieldChange | None] = {}
    facts = ("field", "change_set", "change_set__causes", "change_set__actor_label", "change_set__created_at")
    for field, id_, led_to, by, at in rows.values_list(*facts)[:MOST_MODIFICATIONS]:
        talked = any(cause.startswith(_SESSION) for cause in led_to)
        found.setdefault(field, FieldChange(id_, by, at) if talked else None)
    return {field: change for field, change in found.items() if change}


def conversations_about(member: Member, of: Object) -> Conversations:
    """The conversations that changed an object. Of those of others nothing is told but their number."""
    with connection.cursor() as cursor:
        cursor.execute(_CONVERSATIONS, [of.type, of.pk, MOST_VERSIONS, _SESSION])
        rows = cursor.fetchall()
    explained = causes.explain(member, [cause for cause, _at, _n in rows])
    own = [
        Conversation(explained[cause].text, explained[cause].url, at, changes)
        for cause, at, changes in rows
        if cause in explained and explained[cause].url
    ]
    return Conversations(own, len(rows) - len(own))
