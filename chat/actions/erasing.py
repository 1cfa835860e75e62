"""Erasing a conversation for good: a person's right, and its operators' work, who own the tables."""

import uuid

from django.db import connection, transaction

from chat.models import Session, SessionType
from graphs.site.access import NotFound


def erase(session_id: uuid.UUID) -> int:
    """Deletes a conversation with all that is of it, and returns how many events it had. Raises `NotFound`.

    Only the owner of the tables may: PostgreSQL refuses it to the role that runs.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        conversations = Session.objects.exclude(type=SessionType.GENERATION)
        session = conversations.select_for_update().select_related("stream").filter(pk=session_id).first()
        if session is None:
            raise NotFound
        stream = session.stream
        session.delete()
        cursor.execute("SELECT chat_erase_events(%s)", [stream.pk])
        (events,) = cursor.fetchone()
        stream.delete()
    return int(events)
