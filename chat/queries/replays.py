"""The events of a conversation as a replay plays them."""

import uuid
from collections.abc import Sequence

from django.core.exceptions import BadRequest
from django.db.models import Max

from chat.events import log_pages
from chat.events.vocabulary import StoredEvent, frame
from chat.models import Session, SessionType, Stream, StreamEvent

#: Events and bytes of one answer.
PAGE_EVENTS = 1_000
PAGE_BYTES = 1_048_576


def frames_after(session: Session, number: str) -> str:
    """`{frames, last}` as JSON: the events after a number as a socket would get them, each with type and time.

    Raises `BadRequest` for what is no number.
    """
    if not number.isdecimal() or len(number) > 18:
        raise BadRequest("no number of an event")
    name = Stream.objects.values_list("name", flat=True).get(pk=session.stream_id)
    found, last = _events(session, int(number))
    frames = ",".join(
        f'{frame(each, name, str(session.pk))[:-1]},"event":"{each.type}","createdAt":"{each.created_at.isoformat()}"}}'
        for each in found
    )
    return f'{{"frames":[{frames}],"last":{last}}}'


def only_answer(session: Session) -> uuid.UUID | None:
    """The answer of a generation, whose stream is that of its object and of others; None for a conversation."""
    if session.type != SessionType.GENERATION:
        return None
    return session.runs.values_list("message_id", flat=True).first()


def _events(session: Session, number: int) -> tuple[Sequence[StoredEvent], int]:
    """A page of events after a number, and the number of the last one that there is."""
    answer = only_answer(session)
    if answer is None:
        last = Stream.objects.values_list("last_sequence", flat=True).get(pk=session.stream_id)
        return log_pages.after({session.stream_id: number}, PAGE_EVENTS, PAGE_BYTES), last
    last = StreamEvent.objects.filter(message_id=answer).aggregate(last=Max("sequence"))["last"] or 0
    return log_pages.of_message(session.stream_id, answer, number, PAGE_EVENTS, PAGE_BYTES), last
