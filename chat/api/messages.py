"""POST chat/messages, and the models to choose from."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat import asking, models_available
from chat.api import shapes
from chat.api.requests import act, own_session
from graphs.api.bodies import read_body
from graphs.api.members import current_member
from graphs.api.openapi import problems
from graphs.api.parameters import IDEMPOTENCY_KEY, idempotency_key


def accepted_json(accepted: dict[str, Any]) -> dict[str, Any]:
    """What a door answers about a run it queued."""
    names = ("sessionId", "userMessageId", "messageId", "runId")
    return {name: accepted[name] for name in names} | {"streamId": accepted["stream"]}


class MessagesView(APIView):
    @extend_schema(
        operation_id="postMessage",
        parameters=[IDEMPOTENCY_KEY],
        request=shapes.MessageBody,
        responses={202: shapes.AcceptedShape, 200: shapes.RestedShape, **problems(422, 429)},
    )
    def post(self, request: Request) -> Response:
        """Write to a conversation, or open one. With `wait` the answer comes with the response."""
        body = read_body(request, shapes.MessageBody)
        member = own_session(request, body.session_id)[1] if body.session_id else current_member(request)
        return Response(accepted_json(act(asking.post, member, body, idempotency_key(request))), status=202)


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
