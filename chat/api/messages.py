"""POST chat/messages, and the events of one message."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat import actions, models_available, queries
from chat.api import serialising, shapes
from chat.api.requests import act, idempotency_key, number
from chat.idempotency import once
from graphs.api.bodies import read_body
from graphs.api.limits import require
from graphs.api.members import current_member

BIGGEST = 2**62
IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)
AFTER = OpenApiParameter("after", {"type": "integer", "minimum": 0, "default": 0})
LIMIT = OpenApiParameter("limit", {"type": "integer", "minimum": 0, "maximum": queries.MAX_EVENTS})


def accepted_json(accepted: dict[str, Any]) -> dict[str, Any]:
    """What a door answers about a run it queued."""
    names = ("sessionId", "userMessageId", "messageId", "runId")
    return {name: accepted[name] for name in names} | {"streamId": accepted["stream"]}


class MessagesView(APIView):
    @extend_schema(
        operation_id="postMessage",
        parameters=[IDEMPOTENCY_KEY],
        request=shapes.MessageBody,
        responses={202: shapes.AcceptedShape, 200: shapes.RestedShape},
    )
    def post(self, request: Request) -> Response:
        """Write to a conversation, or open one. With `wait` the answer comes with the response."""
        body = read_body(request, shapes.MessageBody)
        require("messages", str(request.user.pk), settings.LIMIT_MESSAGES)
        if body.session_id:
            member = queries.session_and_member(request.user, body.session_id)[1]
        else:
            member = current_member(request)
        context = actions.ObjectName(body.context.type, body.context.id) if body.context else None

        def post() -> dict[str, Any]:
            return actions.post_message(
                member, body.message, session_id=body.session_id or "", context=context, model=body.model or ""
            ).to_json()

        accepted = act(once, request.user, idempotency_key(request), body.model_dump(exclude={"wait"}), post)
        return Response(accepted_json(accepted), status=202)


class MessageEventsView(APIView):
    @extend_schema(operation_id="listMessageEvents", parameters=[AFTER, LIMIT], responses={200: shapes.EventPage})
    def get(self, request: Request, message_id: str) -> Response:
        """The events of one message."""
        message = queries.message_for(current_member(request), message_id)
        limit = number(request, "limit", queries.MAX_EVENTS, queries.MAX_EVENTS)
        page = queries.events_of_message(message, number(request, "after", 0, BIGGEST), limit)
        return Response(serialising.events_json(page))


class ModelsView(APIView):
    @extend_schema(operation_id="listModels", responses={200: shapes.ModelList})
    def get(self, request: Request) -> Response:
        """The models that can be chosen for a conversation."""
        current_member(request)
        registry = models_available.configured()
        choices = registry.choices()
        default = next((choice.id for choice in choices if choice.default), "")
        results = [{"id": choice.id, "label": f"{choice.provider} · {choice.model}"} for choice in choices]
        return Response({"results": results, "next": None, "previous": None, "default": default})
