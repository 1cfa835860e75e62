"""Pages of the log: events of a session, of a message, of any stream that a person may read, as plain data."""

import uuid
from collections.abc import Sequence
from typing import Any, Self

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.requests import own_message, own_session, own_stream
from chat.events.notices import stream_of
from chat.events.vocabulary import EventType, StoredEvent, event_json
from chat.queries import streams
from graphs.api.objects import ID, TYPE
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.parameters import number
from graphs.site.api.problems import Problem
from graphs.site.shapes import AsItIs, Shape

BIGGEST = 2**62
AFTER = OpenApiParameter("after", {"type": "integer", "minimum": 0, "default": 0})
LIMIT = OpenApiParameter("limit", {"type": "integer", "minimum": 0, "maximum": streams.MAX_EVENTS})


class EventShape(Shape):
    stream: str
    sequence: int
    type: EventType
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
    def of(cls, stream: streams.ReadableStream, events: Sequence[StoredEvent]) -> Self:
        last = max([stream.last_sequence, *(event.sequence for event in events[-1:])])
        return cls(events=[event_json(event, stream.name) for event in events], last=last)


class SessionEventsView(APIView):
    large_answer = True

    @extend_schema(operation_id="listSessionEvents", parameters=[AFTER, LIMIT], responses={200: EventPage})
    def get(self, request: Request, session_id: str) -> Response:
        """The conversation's events after a number."""
        session, _member = own_session(request, session_id)
        return _page(request, streams.readable(session))


class StreamEventsView(APIView):
    large_answer = True

    @extend_schema(operation_id="listStreamEvents", parameters=[AFTER, LIMIT], responses={200: EventPage})
    def get(self, request: Request, stream_name: str) -> Response:
        """The events of a stream after a number."""
        return _page(request, own_stream(request, stream_name))


class ObjectStreamView(APIView):
    @extend_schema(operation_id="getObjectStream", parameters=[TYPE, ID], responses={200: ObjectStream})
    def get(self, request: Request, object_type: str, object_id: str) -> Response:
        """The id of an object's stream, which tells of its changes. It is made if there is none yet."""
        of = object_for(current_member(request), Ref(object_type, object_id))
        return Response(ObjectStream(stream=stream_of(of)).to_json())


class MessageEventsView(APIView):
    large_answer = True

    @extend_schema(operation_id="listMessageEvents", parameters=[AFTER, LIMIT], responses={200: EventPage})
    def get(self, request: Request, message_id: str) -> Response:
        """The events of one message, numbered as in the conversation's stream."""
        message = own_message(request, message_id)
        return _page(request, streams.readable(message.session), message.pk)


class ServerSentEventsView(APIView):
    """Describes `chat/web/sse.py`, which answers before Django does."""

    @extend_schema(
        operation_id="streamEvents",
        parameters=[
            OpenApiParameter("streams", str, required=True, description="One to eight stream ids with commas."),
            OpenApiParameter("cursor", str, description="The `id:` of the last event read, also as Last-Event-ID."),
        ],
        responses={(200, "text/event-stream"): str, **problems(429)},
    )
    def get(self, request: Request) -> Response:
        """Events as they are stored, as server-sent events; each `data:` is an event as in the pages."""
        raise Problem(503, "not_served", _("This server was started without event streams. Read the pages instead."))


def _page(request: Request, stream: streams.ReadableStream, message_id: uuid.UUID | None = None) -> Response:
    """The events after the cursor. A cursor beyond the end is refused, as it is one of another stream."""
    after = number(request, "after", 0, BIGGEST)
    most = number(request, "limit", streams.MAX_EVENTS, streams.MAX_EVENTS)
    if after > stream.last_sequence:
        sentence = _("The stream has not come so far. Read it from an earlier number.")
        raise Problem(400, "cursor", sentence, errors={"after": [sentence]})
    return Response(EventPage.of(stream, streams.events_page(stream, after, most, message_id)).to_json())
