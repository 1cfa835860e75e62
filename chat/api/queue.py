"""GET queue, POST queue/{id}/cancel, POST queue/{id}/retry."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

from chat.queue import listing
from chat.queue.entry_json import EntryShape, entries_json
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import MAX_PAGE_SIZE, PAGE_PARAMETERS, PAGE_SIZE, PageShape
from graphs.site.api.parameters import number

ENTRY = OpenApiParameter("entry_id", str, OpenApiParameter.PATH, description="The `id` of an entry of the queue.")


class CommandBody(Body):
    pass


class QueuePageShape(PageShape[EntryShape]): ...


class QueueView(APIView):
    @extend_schema(operation_id="listQueue", parameters=PAGE_PARAMETERS, responses={200: QueuePageShape})
    def get(self, request: Request) -> Response:
        """What runs or waits in the workspace, the oldest first; `previous` is always null."""
        member = current_member(request)
        limit = number(request, "limit", PAGE_SIZE, MAX_PAGE_SIZE, least=1)
        page = listing.page_of_queue(member, request.GET.get("cursor"), limit)
        here = remove_query_param(request.build_absolute_uri(), "cursor")
        next_ = replace_query_param(here, "cursor", page.next) if page.next else None
        shown = entries_json(member, page.entries)
        return Response(QueuePageShape(results=shown, next=next_, previous=None).to_json())


class QueueCancelView(APIView):
    @extend_schema(
        operation_id="cancelQueued", parameters=[ENTRY], request=CommandBody, responses={204: None, **problems(409)}
    )
    def post(self, request: Request, entry_id: str) -> Response:
        """Stop what runs or waits; what was written is kept. Your own, or as an admin anybody's."""
        member = current_member(request)
        read_body(request, CommandBody)
        listing.cancel(member, entry_id)
        return Response(status=204)


class QueueRetryView(APIView):
    @extend_schema(
        operation_id="retryQueued",
        parameters=[ENTRY],
        request=CommandBody,
        responses={204: None, **problems(409, 422, 429)},
    )
    def post(self, request: Request, entry_id: str) -> Response:
        """Have what failed tried again, or what was paused go on."""
        member = current_member(request)
        read_body(request, CommandBody)
        listing.retry(member, entry_id)
        return Response(status=204)
