"""The events of a conversation as a replay plays them."""

from django.core.exceptions import BadRequest

from chat.events import log_pages
from chat.events.vocabulary import frame
from chat.models import Session, Stream

#: Events and bytes of one answer.
PAGE_EVENTS = 1_000
PAGE_BYTES = 1_048_576


def frames_after(session: Session, number: str) -> str:
    """`{frames, last}` as JSON: the events after a number as a socket would get them, each with type and time.

    Raises `BadRequest` for what is no number.
    """
    if not number.isdecimal() or len(number) > 18:
        raise BadRequest("no number of an event")
    name, last = Stream.objects.values_list("name", "last_sequence").get(pk=session.stream_id)
    found = log_pages.after({session.stream_id: int(number)}, PAGE_EVENTS, PAGE_BYTES)
    frames = ",".join(
        f'{frame(each, name, str(session.pk))[:-1]},"event":"{each.type}","createdAt":"{each.created_at.isoformat()}"}}'
        for each in found
    )
    return f'{{"frames":[{frames}],"last":{last}}}'
