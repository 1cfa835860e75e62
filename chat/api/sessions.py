"""Sessions: list, read, change, hide; their messages; resume, retry, stop."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat import queries
from chat.actions import conversations, posting
from chat.api import serialising, shapes
from chat.api.messages import accepted_json
from chat.api.requests import act, own_session
from chat.models import Message
from graphs.site.api.bodies import read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, paged
from graphs.site.api.parameters import object_name
from graphs.site.api.problems import invalid

CONTEXT = OpenApiParameter("context", str, description="Kind and id of an object, for example graph:nba.")


class SessionsView(APIView):
    @extend_schema(
        operation_id="listSessions", parameters=[CONTEXT, *PAGE_PARAMETERS], responses={200: shapes.SessionPage}
    )
    def get(self, request: Request) -> Response:
        """Your conversations, the latest first; about one object with `context`."""
        sessions = queries.sessions_of(current_member(request), *object_name(request, "context"))
        return paged(
            request, sessions, ("-updated_at", "-id"), lambda rows: [serialising.session_json(row) for row in rows]
        )


class SessionView(APIView):
    @extend_schema(operation_id="getSession", responses={200: shapes.SessionShape})
    def get(self, request: Request, session_id: str) -> Response:
        """One conversation."""
        return Response(serialising.session_json(own_session(request, session_id)[0]))

    @extend_schema(
        operation_id="updateSession",
        request=shapes.SessionBody,
        responses={200: shapes.SessionShape, **problems(422)},
    )
    def patch(self, request: Request, session_id: str) -> Response:
        """Rename a conversation, choose its model, or say what happens when everybody left."""
        session, member = own_session(request, session_id)
        body = read_body(request, shapes.SessionBody)
        changed = act(
            conversations.update_session,
            member,
            str(session.pk),
            title=body.title,
            model=body.model,
            on_disconnect=body.on_disconnect,
            require_validation=body.require_validation,
        )
        return Response(serialising.session_json(changed))

    @extend_schema(operation_id="deleteSession", responses={204: None})
    def delete(self, request: Request, session_id: str) -> Response:
        """Hide a conversation and stop it; audit and history keep it."""
        session, member = own_session(request, session_id)
        conversations.delete_session(member, str(session.pk))
        return Response(status=204)


class SessionMessagesView(APIView):
    @extend_schema(operation_id="listMessages", parameters=PAGE_PARAMETERS, responses={200: shapes.MessagePage})
    def get(self, request: Request, session_id: str) -> Response:
        """The latest messages, the oldest of them first; `previous` gives earlier ones."""
        session, _member = own_session(request, session_id)
        shown: list[Message] = []

        def as_json(rows: Any) -> list[dict[str, Any]]:
            shown.extend(reversed(rows))
            return serialising.messages_json(shown)

        response = paged(request, queries.messages_of(session), ("-sequence",), as_json)
        assert response.data is not None
        earlier, later = response.data["next"], response.data["previous"]
        response.data |= {
            "previous": earlier,
            "next": later,
            "streamId": session.stream.name,
            "after": queries.reading_point(session, shown),
            "summary": queries.summary_of(session),
        }
        return response


class ResumeView(APIView):
    @extend_schema(
        operation_id="resumeSession",
        request=shapes.ResumeBody,
        responses={202: shapes.AcceptedShape, 200: shapes.RestedShape, **problems(409, 429)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Answer what a conversation waits for."""
        session, member = own_session(request, session_id)
        body = read_body(request, shapes.ResumeBody)
        if (body.answer is None) == (body.continue_ is None):
            raise invalid("body", _("Say either “answer” or “continue”."))
        posting.count_run(member.user)
        accepted = act(conversations.answer, member, str(session.pk), text=body.answer, go_on=body.continue_)
        return Response(accepted_json(accepted.to_json()), status=202)


class RetryView(APIView):
    @extend_schema(
        operation_id="retrySession",
        request=shapes.RetryBody,
        responses={202: shapes.AcceptedShape, 200: shapes.RestedShape, **problems(409, 429)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Ask the last question again after an error."""
        session, member = own_session(request, session_id)
        read_body(request, shapes.RetryBody)
        posting.count_run(member.user)
        accepted = act(conversations.retry, member, str(session.pk))
        return Response(accepted_json(accepted.to_json()), status=202)


class StopView(APIView):
    @extend_schema(operation_id="stopSession", request=shapes.StopBody, responses={204: None})
    def post(self, request: Request, session_id: str) -> Response:
        """Stop the answer that is being written; what was written is kept."""
        session, member = own_session(request, session_id)
        read_body(request, shapes.StopBody)
        conversations.stop(member, str(session.pk))
        return Response(status=204)
