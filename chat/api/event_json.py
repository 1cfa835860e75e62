"""Pages of events. The events themselves are plain data (`chat.events.vocabulary.event_json`): there are thousands."""

from typing import Any, Self

from chat import queries
from chat.events.vocabulary import event_json
from graphs.site.shapes import AsItIs, Shape


class EventShape(Shape):
    stream: str
    sequence: int
    type: str
    data: dict[str, Any]
    message_id: str | None
    run_id: str | None
    created_at: str


class ObjectStream(Shape):
    """The id of the stream of an object."""

    stream: str


class EventPage(Shape):
    """`last` is the last number of the stream, not of the page."""

    events: AsItIs[list[EventShape]]
    last: int

    @classmethod
    def of(cls, page: queries.EventPage) -> Self:
        return cls(events=[event_json(event, page.stream.name) for event in page.events], last=page.last)
