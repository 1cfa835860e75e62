"""Streams that a person may read, and pages of their events."""

import re
import uuid
from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import connection

from chat.events import log_pages, presence
from chat.events.vocabulary import StoredEvent
from chat.models import Session, Stream
from chat.rights.conversations import ACCESS, access_of
from graphs.models import Object
from graphs.objects.headers import may_see, narrowed
from graphs.site.access import NotFound, member_of, parsed_id

#: Events and bytes one page of the log may hold.
MAX_EVENTS = 1_000

MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReadableStream:
    """A stream a person may read; `session_id` is None for the stream of an object, in which generations are, too.

    `reads_only`: the conversation is somebody else's, and they may not write in it: their leaving stops no answer.
    """

    id: int
    name: str
    workspace_id: int
    last_sequence: int
    session_id: str | None
    reads_only: bool = False


#: The streams that the person `u` (a row of auth_user) may read, as the columns of `ReadableStream`.
READABLE_STREAMS = f"""
SELECT stream.id, stream.name, stream.workspace_id, stream.last_sequence, session.id::text AS session_id,
    coalesce(session.owner_id <> u.id AND {ACCESS} = 'read', false) AS reads_only
FROM chat_stream AS stream LEFT JOIN chat_session AS session
    ON session.stream_id = stream.id AND NOT session.type = 'GENERATION'
WHERE u.is_active
    AND EXISTS (SELECT FROM graphs_membership WHERE workspace_id = stream.workspace_id AND user_id = u.id)
    AND (session.id IS NULL OR {ACCESS} IS NOT NULL)
"""  # noqa: S608 - what is inserted is a constant

_STREAM_FOR = f"""
SELECT readable.* FROM auth_user AS u CROSS JOIN LATERAL ({READABLE_STREAMS} AND stream.name = %s) AS readable
WHERE u.id = %s
"""  # noqa: S608


def stream_name_of(session_id: str) -> str:
    """The name of a session's stream; what is no id names nothing and raises `NotFound`."""
    return f"session_{parsed_id(session_id)}"


def stream_for(user: User, name: str) -> ReadableStream:
    """A stream the person may read: of an own session, or of an object of one of their workspaces."""
    if "\x00" in name:
        raise NotFound
    with connection.cursor() as cursor:
        cursor.execute(_STREAM_FOR, [name, user.pk])
        row = cursor.fetchone()
    if row is None or hidden_streams(user, [row[0]]):
        raise NotFound
    return ReadableStream(*row)


def hidden_streams(user: User, ids: Collection[int]) -> set[int]:
    """The streams of objects that the person may not see, or that are gone."""
    kinds = narrowed()
    if not kinds or not ids:
        return set()
    streams = Stream.objects.filter(pk__in=ids, name__regex=f"^({'|'.join(map(re.escape, kinds))})_[0-9]+$")
    hidden: set[int] = set()
    for stream in streams.select_related("workspace"):
        header = Object.objects.filter(pk=stream.name.rpartition("_")[2]).first()
        try:
            seen = header is not None and may_see(member_of(user, stream.workspace.slug), header)
        except NotFound:
            seen = False
        if not seen:
            hidden.add(stream.pk)
    return hidden


def stream_of(user: User, session: Session) -> ReadableStream:
    """The stream of a session that was found for the person."""
    stream, reads_only = session.stream, access_of(user, session) == "read"
    return ReadableStream(
        stream.pk, stream.name, stream.workspace_id, stream.last_sequence, str(session.pk), reads_only
    )


def events_page(
    stream: ReadableStream, after: int, limit: int, message_id: uuid.UUID | None = None
) -> list[StoredEvent]:
    """The next events of a stream, or of one message in it; asking counts as being there, as subscribing does."""
    if not stream.reads_only:
        presence.renew([stream.id], None)
    most = min(limit, MAX_EVENTS)
    if message_id is None:
        return log_pages.after({stream.id: after}, most, MAX_BYTES)
    return log_pages.of_message(stream.id, message_id, after, most, MAX_BYTES)
