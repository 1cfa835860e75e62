"""POST chat/messages, and the models to choose from."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import deepening, pinning, posting
from chat.api import serialising, shapes
from chat.api.requests import act, own_message_and_member, own_session
from chat.api.serialising import model_json
from chat.engine import available_models
from graphs.site.api.bodies import read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key


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
        return Response(accepted_json(act(posting.post, member, body, idempotency_key(request))), status=202)


class DeepenView(APIView):
    @extend_schema(
        operation_id="deepenMessage",
        request=shapes.DeepenBody,
        responses={202: shapes.AcceptedShape, 200: shapes.RestedShape, **problems(409, 429)},
    )
    def post(self, request: Request, message_id: str) -> Response:
        """Ask the question of an answer again, of the next stronger model. Asked twice, the same answer is named."""
        message, member = own_message_and_member(request, message_id)
        read_body(request, shapes.DeepenBody)
        posting.count_run(member.user)
        accepted = act(deepening.deepen, member, str(message.session_id), message.pk)
        return Response(accepted_json(accepted.to_json()), status=202)


class MessageView(APIView):
    @extend_schema(
        operation_id="updateMessage",
        request=shapes.MessageKeepingBody,
        responses={200: shapes.MessageShape, **problems(409)},
    )
    def patch(self, request: Request, message_id: str) -> Response:
        """Pin a message, so that the model always sees it, or leave it out; from the next question on."""
        message, member = own_message_and_member(request, message_id)
        body = read_body(request, shapes.MessageKeepingBody)
        kept = act(pinning.keep_message, member, str(message.pk), body.in_prompt)
        return Response(serialising.messages_json([kept])[0])


class ModelsView(APIView):
    @extend_schema(operation_id="listModels", responses={200: shapes.ModelList})
    def get(self, request: Request) -> Response:
        """The models that can be chosen for a conversation or an answer, the default first."""
        current_member(request)
        registry = available_models.configured()
        choices = registry.choices()
        default = next((choice.id for choice in choices if choice.default), "")
        results = [model_json(choice, registry.stronger(choice.id)) for choice in choices]
        return Response({"results": results, "next": None, "previous": None, "default": default})
