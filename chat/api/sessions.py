"""Sessions: list, read, change, hide; their messages; resume, retry, stop."""

from typing import Annotated, Literal, Self

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import conversations, posting
from chat.api.message_json import MessagePage, MessageShape
from chat.api.requests import session_to_read
from chat.api.run_json import AcceptedShape, RestedShape
from chat.engine import offered_models
from chat.engine.states import Phase, load
from chat.models import Session
from chat.models.runs import Correction
from chat.queries.answers import SessionUsageShape
from chat.queries.conversations import messages_of, reading_point, sessions_of, sessions_shared_with, summary_of
from chat.rights.conversations import Access, access_of
from graphs.objects.refs import ObjectName
from graphs.site.access import Member
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, PageShape, asked_page
from graphs.site.api.parameters import object_name, truth
from graphs.site.api.problems import invalid
from graphs.site.shapes import AsItIs, Id, Moment, Shape

CONTEXT = OpenApiParameter("context", str, description="Kind and id of an object, for example graph:nba.")
SHARED = OpenApiParameter("shared", bool, description="Those of other members, who share them with you.")

ARCHIVED = OpenApiParameter("archived", bool, description="Those that are archived, in place of the others.")


class ResumeBody(Body):
    answer: Annotated[str, Field(max_length=32_000)] | None = None
    continue_: bool | None = Field(None, alias="continue")
    wait: bool | None = None


class RetryBody(Body):
    """`correction` is one that the error names; "model" asks the `model`."""

    correction: Correction | None = None
    model: Annotated[str, Field(max_length=100)] = ""
    wait: bool | None = None


class StopBody(Body):
    pass


class SessionBody(Body):
    title: Annotated[str, Field(max_length=conversations.LONGEST_TITLE)] | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    on_disconnect: Literal["continue", "cancel"] | None = None
    require_validation: bool | None = None
    archived: bool | None = None


class WaitsForPerson(Shape):
    """Waits for a decision or an answer about `id`."""

    kind: Literal["validation", "question", "completion"]
    id: str


class WaitsAtToolLimit(Shape):
    """Waits for whether it may read on; says what the event of that said."""

    kind: Literal["tool_limit"]
    rounds_used: int
    max_extended: int


class SessionShape(Shape):
    """`access`: what the person may do with it. Who writes along may ask, answer and stop; the rest is the owner's."""

    id: Id
    title: str
    owner: str
    access: AsItIs[Access]
    type: AsItIs[Literal["CHAT", "AUTOMATION"]]
    context: ObjectName | None
    model: str
    model_available: bool
    phase: AsItIs[Phase]
    waiting: WaitsForPerson | WaitsAtToolLimit | None
    usage: SessionUsageShape
    stream_id: str
    on_disconnect: AsItIs[Literal["continue", "cancel"]]
    require_validation: bool
    archived: bool
    created_at: Moment
    updated_at: Moment

    @classmethod
    def of(cls, session: Session, member: Member, access: Access | None = None) -> Self:
        """A session that the member may read; `access` is looked up where it is not known."""
        context = session.context.to_json() if session.context else None
        return cls.from_attributes(
            session,
            owner=session.owner.get_username(),
            access=access or access_of(member.user, session),
            context=context,
            model_available=offered_models.can_ask(member, session.model),
            waiting=_waiting(session),
            usage=SessionUsageShape.of(session),
            stream_id=session.stream.name,
        )


class SessionPage(PageShape[SessionShape]): ...


def _waiting(session: Session) -> WaitsForPerson | WaitsAtToolLimit | None:
    """What the session waits for."""
    state = load(session.state)
    if state.waiting is None:
        return None
    if state.waiting.waits_for == "tool_limit":
        limit = settings.TOOL_ROUNDS_EXTENDED
        return WaitsAtToolLimit(kind="tool_limit", rounds_used=state.rounds, max_extended=limit)
    return WaitsForPerson(kind=state.waiting.waits_for, id=state.waiting.id)


class SessionsView(APIView):
    @extend_schema(
        operation_id="listSessions",
        parameters=[CONTEXT, ARCHIVED, SHARED, *PAGE_PARAMETERS],
        responses={200: SessionPage},
    )
    def get(self, request: Request) -> Response:
        """Your conversations, the latest first, or those of others with `shared`.

        About one object with `context`; of yours those put away with `archived`.
        """
        member, about = current_member(request), object_name(request, "context")
        shared = truth(request, "shared")
        if shared:
            sessions = sessions_shared_with(member, *about)
        else:
            sessions = sessions_of(member, *about).filter(archived_at__isnull=not truth(request, "archived"))
        page = asked_page(request, sessions, ("-updated_at", "-id"))
        shown = [
            SessionShape.of(session, member, vars(session)["access"] if shared else "owner") for session in page.rows
        ]
        return Response(SessionPage.of(page, shown).to_json())


class SessionView(APIView):
    @extend_schema(operation_id="getSession", responses={200: SessionShape})
    def get(self, request: Request, session_id: str) -> Response:
        """One conversation."""
        return Response(SessionShape.of(*session_to_read(request, session_id)).to_json())

    @extend_schema(
        operation_id="updateSession",
        request=SessionBody,
        responses={200: SessionShape, **problems(422)},
    )
    def patch(self, request: Request, session_id: str) -> Response:
        """Rename a conversation, archive it, choose its model, or say what happens when everybody left."""
        session, member = session_to_read(request, session_id)
        body = read_body(request, SessionBody)
        changed = conversations.update_session(member, str(session.pk), **dict(body))
        return Response(SessionShape.of(changed, member).to_json())

    @extend_schema(operation_id="deleteSession", responses={204: None})
    def delete(self, request: Request, session_id: str) -> Response:
        """Hide a conversation and stop it; audit and history keep it."""
        session, member = session_to_read(request, session_id)
        conversations.delete_session(member, str(session.pk))
        return Response(status=204)


class SessionMessagesView(APIView):
    large_answer = True

    @extend_schema(operation_id="listMessages", parameters=PAGE_PARAMETERS, responses={200: MessagePage})
    def get(self, request: Request, session_id: str) -> Response:
        """The latest messages, the oldest of them first; `previous` gives earlier ones."""
        session, member = session_to_read(request, session_id)
        page = asked_page(request, messages_of(session), ("-sequence",))
        messages = page.rows[::-1]
        answer = MessagePage(
            results=MessageShape.of_all(messages, member),
            next=page.previous,
            previous=page.next,
            stream_id=session.stream.name,
            after=reading_point(session, messages),
            summary=summary_of(session),
        )
        return Response(answer.to_json())


class ResumeView(APIView):
    @extend_schema(
        operation_id="resumeSession",
        request=ResumeBody,
        responses={202: AcceptedShape, 200: RestedShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Answer what a conversation waits for."""
        session, member = session_to_read(request, session_id)
        body = read_body(request, ResumeBody)
        if (body.answer is None) == (body.continue_ is None):
            raise invalid("body", _("Say either “answer” or “continue”."))
        posting.count_run(member.user)
        accepted = conversations.answer(member, str(session.pk), text=body.answer, go_on=body.continue_)
        return Response(AcceptedShape.of(accepted.to_json()).to_json(), status=202)


class RetryView(APIView):
    @extend_schema(
        operation_id="retrySession",
        request=RetryBody,
        responses={202: AcceptedShape, 200: RestedShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Ask the last question again after an error, otherwise than before with a correction that the error names."""
        session, member = session_to_read(request, session_id)
        body = read_body(request, RetryBody)
        posting.count_run(member.user)
        accepted = conversations.retry(member, str(session.pk), body.correction, body.model)
        return Response(AcceptedShape.of(accepted.to_json()).to_json(), status=202)


class StopView(APIView):
    @extend_schema(operation_id="stopSession", request=StopBody, responses={204: None})
    def post(self, request: Request, session_id: str) -> Response:
        """Stop the answer that is being written; what was written is kept."""
        session, member = session_to_read(request, session_id)
        read_body(request, StopBody)
        conversations.stop(member, str(session.pk))
        return Response(status=204)
