"""Proposals: what waits in a workspace and what was decided; preview, decide, ask again."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat import queries
from chat.actions import deciding, posting, proposing_again
from chat.actions.deciding import Decided, Decision
from chat.api import proposal_shapes, shapes
from chat.api.messages import accepted_json
from chat.api.requests import act, shared_proposal
from chat.events import notices
from chat.models import Proposal, ProposalStatus
from chat.proposals.proposal_json import brief_json, proposal_json, proposals_json
from graphs.history.diffs import labelled
from graphs.objects.kinds import is_object
from graphs.objects.refs import Ref
from graphs.site.api.bodies import read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, paged
from graphs.site.api.parameters import no_object_name, object_name
from graphs.site.api.problems import invalid

FILTERS = [
    OpenApiParameter("status", str, enum=ProposalStatus.values),
    OpenApiParameter("sessionId", str),
    OpenApiParameter("object", str, description="Kind and id of an object, for example graph:nba."),
]


class ProposalsView(APIView):
    @extend_schema(
        operation_id="listProposals",
        parameters=[*FILTERS, *PAGE_PARAMETERS],
        responses={200: proposal_shapes.ProposalPage},
    )
    def get(self, request: Request) -> Response:
        """The proposals of the workspace in brief, the latest first; those that wait, the oldest first."""
        waiting = request.GET.get("status") == ProposalStatus.PENDING
        ordering = ("created_at", "id") if waiting else ("-created_at", "-id")
        return paged(request, _filtered(request), ordering, proposals_json)


def _filtered(request: Request) -> QuerySet[Proposal]:
    status, session_id = request.GET.get("status"), request.GET.get("sessionId", "")
    if status is not None and status not in ProposalStatus.values:
        raise invalid("status", _("There is no such status."))
    kind, key = object_name(request, "object")
    if kind and not is_object(kind):
        raise no_object_name("object")
    about = Ref(kind, key) if kind else None
    return queries.proposals_of(current_member(request), status=status or "", session_id=session_id, about=about)


class WaitingView(APIView):
    @extend_schema(operation_id="countWaitingProposals", responses={200: proposal_shapes.WaitingShape})
    def get(self, request: Request) -> Response:
        """How many proposals wait in the workspace. Its stream says when that changes."""
        member = current_member(request)
        count, more = queries.waiting_count(member)
        stream = notices.workspace_stream_name(member.workspace.pk)
        return Response({"count": count, "more": more, "streamId": stream})


class ProposalView(APIView):
    @extend_schema(operation_id="getProposal", responses={200: proposal_shapes.ProposalShape})
    def get(self, request: Request, proposal_id: str) -> Response:
        """One proposal, whole."""
        return Response(proposal_json(shared_proposal(request, proposal_id)[0]))


class PreviewView(APIView):
    @extend_schema(
        operation_id="previewProposal",
        request=proposal_shapes.PreviewBody,
        responses={200: proposal_shapes.ProposalPreviewShape, **problems(409)},
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """What it would change now, with other arguments where they are given. Nothing is changed."""
        proposal, member = shared_proposal(request, proposal_id)
        body = read_body(request, proposal_shapes.PreviewBody)
        draft = act(deciding.preview, member, str(proposal.pk), body.edited_arguments)
        return Response({"diff": labelled(draft.diff), "digest": draft.digest})


class DecideView(APIView):
    @extend_schema(
        operation_id="decideProposal",
        request=proposal_shapes.DecideBody,
        responses={200: shapes.DecidedShape, **problems(409, 429)},
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Approve or reject, once. Approved, it is applied as it was shown, and the model goes on."""
        proposal, member = shared_proposal(request, proposal_id)
        body = read_body(request, proposal_shapes.DecideBody)
        member.require_editor()
        posting.count_run(member.user)
        decision = Decision(body.approved, body.feedback, body.edited_arguments, body.digest)
        return Response(decided_json(act(deciding.decide, member, str(proposal.pk), decision)))


def decided_json(decided: Decided) -> dict[str, Any]:
    run = accepted_json(decided.run.to_json()) if decided.run else {}
    return {"proposal": brief_json(decided.proposal), **run}


class DecideManyView(APIView):
    @extend_schema(
        operation_id="decideProposals",
        request=proposal_shapes.DecideManyBody,
        responses={200: proposal_shapes.DecidedManyShape, **problems(429)},
    )
    def post(self, request: Request) -> Response:
        """Approve or reject several; each is decided for itself."""
        member = current_member(request)
        body = read_body(request, proposal_shapes.DecideManyBody)
        if (body.ids is None) == (body.session_id is None):
            raise invalid("body", _("Say either “ids” or “sessionId”."))
        member.require_editor()
        posting.count_run(member.user)
        ids = body.ids if body.ids is not None else deciding.waiting_in(member, body.session_id or "")
        answers = act(deciding.decide_many, member, ids, Decision(body.approved, body.feedback))
        return Response({"results": [_answer_json(answer) for answer in answers]})


def _answer_json(answer: deciding.DecisionOutcome) -> dict[str, Any]:
    if answer.decided is not None:
        proposal = brief_json(answer.decided.proposal)
        return {"id": answer.proposal_id, "status": proposal["status"], "proposal": proposal}
    assert answer.refusal is not None
    proposal = answer.refusal.details["proposal"]
    refused = {"code": answer.refusal.code, "detail": answer.refusal.message}
    return {"id": answer.proposal_id, "status": proposal["status"], **refused, "proposal": proposal}


class ProposeAgainView(APIView):
    @extend_schema(
        operation_id="proposeAgain",
        request=proposal_shapes.ProposeAgainBody,
        responses={202: shapes.AcceptedShape, 200: shapes.RestedShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, proposal_id: str) -> Response:
        """Tell the model what changed meanwhile, and ask it to propose again. For the conversation's owner."""
        proposal, member = shared_proposal(request, proposal_id)
        read_body(request, proposal_shapes.ProposeAgainBody)
        member.require_editor()
        posting.count_run(member.user)
        return Response(accepted_json(act(proposing_again.propose_again, member, str(proposal.pk))), status=202)
