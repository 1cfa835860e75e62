"""POST chat/messages, and the models to choose from."""

from contextlib import suppress
from typing import Annotated, Literal, Self

from django.db import transaction
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.access import begun, identity
from chat.access.shown_tokens import look_and_hold, look_and_join
from chat.actions import deepening, pinning, posting, rating
from chat.actions.posting import Asked
from chat.api.late_authentication import LateAuthenticationView
from chat.api.message_json import FeedbackShape, MessageShape
from chat.api.requests import hold_to_write, message_and_member, person_of, proof_of
from chat.api.run_json import AcceptedShape, RestedShape
from chat.engine import offered_models
from chat.models.feedback import LONGEST_COMMENT
from chat.providers.configured_models import Choice
from chat.queries.conversations import Held
from graphs.models import Object
from graphs.objects.membership import member_and_object
from graphs.site.access import Member, NotFound
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member, workspace_named
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PageShape
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key
from graphs.site.api.tokens import Claim, TokenRefused
from graphs.site.shapes import Shape


class MessageBody(Asked):
    """With `wait` the run is awaited before the response is sent (`chat/web/waiting.py`)."""

    wait: bool | None = None


class MessageKeepingBody(Body):
    """Whether a model is sent the message until it is summarised, always, or never."""

    in_prompt: Literal["auto", "pinned", "left_out"]


class FeedbackBody(Body):
    """1 is thumbs up, -1 thumbs down, 0 takes the vote back."""

    vote: Annotated[int, Field(ge=-1, le=1)]
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] = ""


class DeepenBody(Body):
    wait: bool | None = None


class PriceShape(Shape):
    """US dollars per million tokens."""

    input: float
    cached_input: float
    output: float


class ModelShape(Shape):
    """`strength` orders models, 0 where it is unknown; `stronger` is the id of the next stronger one. `price` is null
    where nobody knows it. `context_window`: tokens of prompt and answer together."""

    id: str
    label: str
    provider: str
    model: str
    reasons: bool
    strength: int
    stronger: str | None
    price: PriceShape | None
    context_window: int

    @classmethod
    def of(cls, choice: Choice, stronger: Choice | None) -> Self:
        price = PriceShape.from_attributes(choice.price) if choice.price else None
        return cls.from_attributes(choice, stronger=stronger.id if stronger else None, price=price)


class ModelList(PageShape[ModelShape]):
    default: str


class MessagesView(LateAuthenticationView):
    throttle_classes = ()  # it counts by itself

    @extend_schema(
        operation_id="postMessage",
        parameters=[IDEMPOTENCY_KEY],
        request=MessageBody,
        responses={202: AcceptedShape, 200: RestedShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request) -> Response:
        """Write to a conversation, or open one. With `wait` the answer comes with the response."""
        body = read_body(request, MessageBody)
        key = idempotency_key(request)
        with transaction.atomic():
            to, found = self._place(request, body)
            posted = posting.take(to, body, key, found)
        if posted.stream:
            begun.tell(identity.of_member(posted.member, proof_of(request)), posted.stream)
        return Response(AcceptedShape.of(posted.answer).to_json(), status=202)

    def _place(self, request: Request, body: MessageBody) -> tuple[Held | Member, Object | None]:
        """The conversation, or the workspace and the object of a new one."""
        workspace = workspace_named(request)
        if self.claim is not None and not (body.session_id and workspace):
            with suppress(TokenRefused):
                return self._place_and_person(request, self.claim, body, workspace)
        self.claim = None  # They are looked for, and may be refused, as everywhere.
        if body.session_id:
            return hold_to_write(request, body.session_id), None
        return member_and_object(person_of(request), workspace, body.about)

    def _place_and_person(
        self, request: Request, claim: Claim, body: MessageBody, workspace: str | None
    ) -> tuple[Held | Member, Object | None]:
        """Both in one statement."""
        place: Held | Member | None
        found: Object | None = None
        if body.session_id:
            user, place = look_and_hold(claim, body.session_id)
        else:
            user, place, found = look_and_join(claim, workspace, body.about)
        self.know(request, user)
        if place is None:
            raise NotFound
        return place, found


class DeepenView(APIView):
    @extend_schema(
        operation_id="deepenMessage",
        request=DeepenBody,
        responses={202: AcceptedShape, 200: RestedShape, **problems(409, 429)},
    )
    def post(self, request: Request, message_id: str) -> Response:
        """Ask the question of an answer again, of the next stronger model. Asked twice, the same answer is named."""
        message, member = message_and_member(request, message_id)
        read_body(request, DeepenBody)
        posting.count_run(member.user)
        accepted = deepening.deepen(member, str(message.session_id), message.pk)
        return Response(AcceptedShape.of(accepted.to_json()).to_json(), status=202)


class MessageView(APIView):
    @extend_schema(
        operation_id="updateMessage",
        request=MessageKeepingBody,
        responses={200: MessageShape, **problems(409)},
    )
    def patch(self, request: Request, message_id: str) -> Response:
        """Pin a message, so that the model always sees it, or leave it out; from the next question on."""
        message, member = message_and_member(request, message_id)
        body = read_body(request, MessageKeepingBody)
        kept = pinning.keep_message(member, str(message.pk), body.in_prompt)
        return Response(MessageShape.of_all([kept], member)[0].to_json())


class FeedbackView(APIView):
    @extend_schema(
        operation_id="rateMessage",
        request=FeedbackBody,
        responses={200: FeedbackShape, **problems(409)},
    )
    def put(self, request: Request, message_id: str) -> Response:
        """Say whether an answer was good, as often as you like: your last vote counts."""
        message, member = message_and_member(request, message_id)
        body = read_body(request, FeedbackBody)
        comment = body.comment.strip()
        rating.rate(member, str(message.pk), body.vote, comment)
        return Response(FeedbackShape(vote=body.vote, comment=comment).to_json())


class ModelsView(APIView):
    @extend_schema(operation_id="listModels", responses={200: ModelList})
    def get(self, request: Request) -> Response:
        """The models that can be chosen for a conversation or an answer, the default first."""
        member = current_member(request)
        choices = offered_models.offered_to(member)
        default = next((choice.id for choice in choices if choice.default), "")
        shown = [ModelShape.of(choice, offered_models.stronger(member, choice.id)) for choice in choices]
        return Response(ModelList(results=shown, next=None, previous=None, default=default).to_json())
