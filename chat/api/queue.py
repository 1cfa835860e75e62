"""GET queue, POST queue/{id}/cancel, POST queue/{id}/retry."""

from collections.abc import Sequence
from typing import Literal, Self

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param
from rest_framework.views import APIView

from chat.queries.links import Link, shown_as
from chat.queue import listing
from chat.queue.entry import Entry, State
from graphs.objects.refs import ObjectName, Ref
from graphs.site.access import Member
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import MAX_PAGE_SIZE, PAGE_PARAMETERS, PAGE_SIZE, PageShape
from graphs.site.api.parameters import number
from graphs.site.shapes import AsItIs, Moment, Shape

ENTRY = OpenApiParameter("entry_id", str, OpenApiParameter.PATH, description="The `id` of an entry of the queue.")


class CommandBody(Body):
    pass


class ProgressShape(Shape):
    done: int
    total: int


class EntryShape(Shape):
    """What runs or waits. Of somebody else's conversation only whose it is, its state, and why it waits is told."""

    id: str
    kind: Literal["answer"]
    state: AsItIs[State]
    since: Moment
    person: str
    own: bool
    reason: str
    progress: ProgressShape | None
    title: str
    object: AsItIs[ObjectName | None]
    object_title: str
    url: str
    stream_id: str | None
    session_id: str | None
    message_id: str | None
    model: str
    cost: str | None
    may_cancel: bool
    may_retry: bool

    @classmethod
    def of(cls, entry: Entry, link: Link | None) -> Self:
        progress, cost = entry.progress, entry.cost
        return cls.from_attributes(
            entry,
            progress=ProgressShape(done=progress.done, total=progress.total) if progress else None,
            object=entry.object.to_json() if entry.object else None,
            object_title=link.title if link else "",
            url=link.url if link else "",
            stream_id=entry.stream,
            cost=None if cost is None else f"{cost:f}",
        )


class QueuePageShape(PageShape[EntryShape]): ...


def entries_json(member: Member, entries: Sequence[Entry]) -> list[EntryShape]:
    """Entries as the API and the page have them, with the titles of objects that the member may see."""
    refs: list[Ref] = [entry.object for entry in entries if entry.object]
    links = shown_as(member, refs)
    return [EntryShape.of(entry, links.get(entry.object) if entry.object else None) for entry in entries]


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
