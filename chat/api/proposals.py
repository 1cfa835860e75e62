"""Proposals of a workspace: list, preview, decide, ask again."""

from typing import Annotated, Any, Self

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, RootModel, create_model
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import deciding, posting, proposing_again
from chat.actions.deciding import Decided, Decision
from chat.actions.posting import Digest, Feedback, Id
from chat.actions.refusals import Refused
from chat.api.requests import shared_proposal
from chat.api.run_json import AcceptedShape, RestedShape
from chat.events import notices
from chat.models import ProposalStatus
from chat.proposals.proposal_json import (
    ProposalShape,
    Status,
    brief_json,
    proposal_json,
    proposals_json,
)
from chat.queries.proposals import proposals_of, waiting_count
from graphs.history.diffs import DiffEntry, labelled
from graphs.objects.kinds import is_object
from graphs.objects.refs import Ref
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, PageShape, asked_page
from graphs.site.api.parameters import no_object_name, object_name
from graphs.site.api.problems import invalid
from graphs.site.shapes import AsItIs, Shape

FILTERS = [
    OpenApiParameter("status", str, enum=ProposalStatus.values),
    OpenApiParameter("sessionId", str),
    OpenApiParameter("object", str, description="Kind and id of an object, for example graph:nba."),
]


class PreviewBody(Body):
    """Without edited arguments: what the proposal would change now."""

    edited_arguments: dict[str, Any] | None = None


class DecideBody(Body):
    """Edited arguments need the digest of their preview. With `wait` the run that goes on is awaited."""

    approved: bool
    feedback: Feedback = ""
    edited_arguments: dict[str, Any] | None = None
    digest: Digest = ""
    wait: bool | None = None


class DecideManyBody(Body):
    """Either some proposals or all that wait in one conversation."""

    approved: bool
    ids: Annotated[list[Id], Field(min_length=1, max_length=200)] | None = None
    session_id: Id | None = None
    feedback: Feedback = ""


class ProposeAgainBody(Body):
    wait: bool | None = None


class ProposalPage(PageShape[ProposalShape]): ...


class WholeProposal(RootModel[ProposalShape]): ...


class WaitingShape(Shape):
    """`more`: there are more than `count`. `stream_id` names the stream that tells of every change of it."""

    count: int
    more: bool
    stream_id: str


class ProposalPreviewShape(Shape):
    diff: AsItIs[list[DiffEntry]]
    digest: str


_RESTED: dict[str, Any] = {name: field.annotation for name, field in RestedShape.model_fields.items()}
_DECIDED: dict[str, Any] = {name: (shape | None, None) for name, shape in _RESTED.items()}
DecidedShape = create_model(
    "DecidedShape",
    __base__=Shape,
    __doc__="The ids tell which run goes on, where one does in a conversation of the person's own; the rest, with "
    "`wait`, how it ended.",
    **{"proposal": AsItIs[ProposalShape]} | _DECIDED,
)


class DecidedOneShape(Shape):
    """`code` and `detail` say why it had no effect, `status` what it is now."""

    id: str
    status: Status
    code: str | None = None
    detail: str | None = None
    proposal: AsItIs[ProposalShape]

    @classmethod
    def of(cls, id_: str, outcome: Decided | Refused) -> Self:
        if isinstance(outcome, Decided):
            proposal = brief_json(outcome.proposal)
            return cls(id=id_, status=proposal.status, proposal=proposal)
        shown = outcome.extra["proposal"]
        return cls(id=id_, status=shown["status"], code=outcome.code, detail=outcome.detail, proposal=shown)


class DecidedManyShape(Shape):
    results: list[DecidedOneShape]


class ProposalsView(APIView):
    large_answer = True

    @extend_schema(
        operation_id="listProposals",
        parameters=[*FILTERS, *PAGE_PARAMETERS],
        responses={200: ProposalPage},
    )
    def get(self, request: Request) -> Response:
        """The proposals of the workspace in brief, the latest first; those that wait, the oldest first."""
        status, session_id = request.GET.get("status"), request.GET.get("sessionId", "")
        if status is not None and status not in ProposalStatus.values:
            raise invalid("status", _("There is no such status."))
        kind, key = object_name(request, "object")
        if kind and not is_object(kind):
            raise no_object_name("object")
        member, about = current_member(request), Ref(kind, key) if kind else None
        proposals = proposals_of(member, status=status or "", session_id=session_id, about=about)
        ordering = ("created_at", "id") if status == ProposalStatus.PENDING else ("-created_at", "-id")
        page = asked_page(request, proposals, ordering)
        return Response(ProposalPage.of(page, proposals_json(page.rows)).to_json())


class WaitingView(APIView):
    large_answer = True

    @extend_schema(operation_id="countWaitingProposals", responses={200: WaitingShape})
    def get(self, request: Request) -> Response:
        """How many proposals wait in the workspace. Its stream says when that changes."""
        member = current_member(request)
        count, more = waiting_count(member)
        stream = notices.workspace_stream_name(member.workspace.pk)
        return Response(WaitingShape(count=count, more=more, stream_id=stream).to_json())


class ProposalView(APIView):
    large_answer = True

    @extend_schema(operation_id="getProposal", responses={200: WholeProposal})
    def get(self, request: Request, proposal_id: str) -> Response:
        """One proposal, whole."""
        return Response(proposal_json(shared_proposal(request, proposal_id)[0]).to_json())


class PreviewView(APIView):
    @extend_schema(
        operation_id="previewProposal",
        request=PreviewBody,
        responses={200: ProposalPreviewShape, **problems(409)},
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """What it would change now, with other arguments where they are given. Nothing is changed."""
        proposal, member = shared_proposal(request, proposal_id)
        body = read_body(request, PreviewBody)
        draft = deciding.preview(member, str(proposal.pk), body.edited_arguments)
        return Response(ProposalPreviewShape(diff=labelled(draft.diff), digest=draft.digest).to_json())


class DecideView(APIView):
    @extend_schema(
        operation_id="decideProposal",
        request=DecideBody,
        responses={200: DecidedShape, **problems(409, 429)},
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Approve or reject, once. Approved, it is applied as it was shown, and the model goes on."""
        proposal, member = shared_proposal(request, proposal_id)
        body = read_body(request, DecideBody)
        member.require_editor()
        posting.count_run(member.user)
        decision = Decision(body.approved, body.feedback, body.edited_arguments, body.digest)
        decided = deciding.decide(member, str(proposal.pk), decision)
        may_read = proposal.session.is_conversation_of(member.user.pk)
        run = dict(AcceptedShape.of(decided.run.to_json())) if decided.run and may_read else {}
        return Response(DecidedShape(**{"proposal": brief_json(decided.proposal), **run}).to_json())


class DecideManyView(APIView):
    @extend_schema(
        operation_id="decideProposals",
        request=DecideManyBody,
        responses={200: DecidedManyShape, **problems(429)},
    )
    def post(self, request: Request) -> Response:
        """Approve or reject several; each is decided for itself."""
        member = current_member(request)
        body = read_body(request, DecideManyBody)
        if (body.ids is None) == (body.session_id is None):
            raise invalid("body", _("Say either “ids” or “sessionId”."))
        member.require_editor()
        posting.count_run(member.user)
        ids = body.ids if body.ids is not None else deciding.waiting_in(member, body.session_id or "")
        outcomes = deciding.decide_many(member, ids, Decision(body.approved, body.feedback))
        results = [DecidedOneShape.of(*each) for each in zip(ids, outcomes, strict=True)]
        return Response(DecidedManyShape(results=results).to_json())


class ProposeAgainView(APIView):
    @extend_schema(
        operation_id="proposeAgain",
        request=ProposeAgainBody,
        responses={202: AcceptedShape, 200: RestedShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Tell the model what changed meanwhile, and ask it to propose again. For the conversation's owner."""
        proposal, member = shared_proposal(request, proposal_id)
        read_body(request, ProposeAgainBody)
        member.require_editor()
        posting.count_run(member.user)
        accepted = proposing_again.propose_again(member, str(proposal.pk))
        return Response(AcceptedShape.of(accepted).to_json(), status=202)
