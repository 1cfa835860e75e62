"""Which conversations changed an object, and which of its fields they or generations changed lately."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from graphs.history import causes
from graphs.models import Object, Origin
from graphs.site.access import Member

#: How long a field is marked that a conversation or a generation changed.
LATELY = timedelta(days=1)
#: Modifications that are looked through for such fields, and versions that are looked through for conversations.
MOST_MODIFICATIONS = 2_000
MOST_VERSIONS = 1_000
_SESSION = "session:"

_READ = """
WITH lately AS (
    SELECT m.field, m.change_set_id, c.origin, c.causes, c.actor_label, c.created_at
    FROM graphs_modification AS m JOIN graphs_changeset AS c ON c.id = m.change_set_id
    WHERE m.type = %(type)s AND m.object = %(object)s AND m.kind = %(type)s AND m.key = %(key)s AND m.action = 'update'
        AND c.created_at >= %(since)s
    ORDER BY m.version DESC, m.id DESC LIMIT %(modifications)s
), latest AS (
    SELECT change_set_id, created_at FROM graphs_revision WHERE type = %(type)s AND object = %(object)s
    ORDER BY version DESC LIMIT %(versions)s
), talks AS (
    SELECT each.cause, max(latest.created_at) AS at
    FROM latest JOIN graphs_changeset AS c ON c.id = latest.change_set_id
        CROSS JOIN LATERAL unnest(c.causes) AS each(cause)
    WHERE c.origin <> %(generation)s AND starts_with(each.cause, %(session)s)
    GROUP BY each.cause ORDER BY at DESC, each.cause
)
(SELECT field, change_set_id, origin, causes, actor_label, created_at FROM lately)
UNION ALL (SELECT NULL, NULL, '', ARRAY[cause], '', at FROM talks)
"""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """The change set that changed a field last, by whom, when, and whether a generation made it."""

    change_set: uuid.UUID
    by: str
    at: datetime
    generated: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """One of the member's own that changed the object, the last time `at` that moment."""

    title: str
    url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Conversations:
    """The member's own, the one that changed the object last in front, and how many are others'."""

    own: Sequence[Conversation] = ()
    others: int = 0

    @property
    def earlier(self) -> int:
        """How many of the member's own are not the last one."""
        return max(len(self.own) - 1, 0)


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """`fields` are those whose last change of the last day came of a model; `sessions` are conversations."""

    fields: Mapping[str, FieldChange]
    sessions: Sequence[tuple[str, datetime]]

    def conversations(self, member: Member) -> Conversations:
        """The conversations that changed the object. Of those of others nothing is told but their number."""
        explained = causes.explain(member, [cause for cause, _at in self.sessions])
        own = [
            Conversation(explained[cause].text, explained[cause].url, at)
            for cause, at in self.sessions
            if cause in explained and explained[cause].url
        ]
        return Conversations(own, len(self.sessions) - len(own))


def recent_changes(of: Object) -> RecentChanges:
    """What conversations and generations did to an object, in one statement."""
    asked: dict[str, Any] = {
        "type": of.type,
        "object": of.pk,
        "key": of.key,
        "since": timezone.now() - LATELY,
        "modifications": MOST_MODIFICATIONS,
        "versions": MOST_VERSIONS,
        "session": _SESSION,
        "generation": Origin.GENERATION,
    }
    with connection.cursor() as cursor:
        cursor.execute(_READ, asked)
        rows = cursor.fetchall()
    last: dict[str, FieldChange | None] = {}
    for field, id_, origin, led_to, by, at in rows:
        if field is not None:
            by_model = any(cause.startswith(_SESSION) for cause in led_to)
            last.setdefault(field, FieldChange(id_, by, at, origin == Origin.GENERATION) if by_model else None)
    fields = {field: change for field, change in last.items() if change}
    return RecentChanges(fields, [(led_to[0], at) for field, _id, _origin, led_to, _by, at in rows if field is None])
