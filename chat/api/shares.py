"""With whom a conversation is shared: members of its workspace, and links."""

from datetime import datetime
from typing import Annotated, Literal, Self

from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from pydantic.alias_generators import to_camel
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import sharing
from chat.api.requests import session_to_read
from chat.models import Session, Share
from chat.queries.conversations import require_owner
from chat.queries.shares import could_share_with, links_of, shares_of
from graphs.site.access import Member
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.openapi import problems
from graphs.site.api.problems import invalid
from graphs.site.shapes import AsItIs, Id, Moment, Shape

#: What is said of the one way to share, and says nothing of the other.
_OF_MEMBERS, _OF_LINKS = {"access"}, {"expires_at", "reasoning", "tool_results"}
SHARE = OpenApiParameter("share", str, description="The id of one share or link. Without it all are taken back.")


class ShareBody(Body):
    """A member by `user` and `access`, or a link until `expiresAt`. Conversations have no documents to show yet."""

    user: Annotated[str, Field(min_length=1, max_length=150)] | None = None
    access: Literal["read", "write"] = "read"
    link: Literal[True] | None = None
    expires_at: Annotated[str, Field(max_length=40)] | None = None
    reasoning: bool = False
    tool_results: bool = False
    documents: Literal[False] = False


class ShareShape(Shape):
    id: Id
    user: str
    access: AsItIs[Literal["read", "write"]]
    created_at: Moment

    @classmethod
    def of(cls, share: Share) -> Self:
        return cls.from_attributes(share, user=share.user.get_username())


class SharedLinkShape(Shape):
    """Until `expiresAt` anybody may read the conversation there."""

    id: Id
    expires_at: Moment
    reasoning: bool
    tool_results: bool
    created_at: Moment


class NewSharedLinkShape(SharedLinkShape):
    """`url` is told this once: only a digest of it is stored."""

    url: str


class SharedShape(Shape):
    """What was given: one of the two."""

    share: ShareShape | None
    link: NewSharedLinkShape | None


class SharesShape(Shape):
    """`people` are those with whom it can be shared: the other members of its workspace, 500 at most."""

    shares: list[ShareShape]
    links: list[SharedLinkShape]
    people: list[str]


class SharesView(APIView):
    @extend_schema(operation_id="listShares", responses={200: SharesShape, **problems(403)})
    def get(self, request: Request, session_id: str) -> Response:
        """With whom a conversation is shared, and its links. For its owner."""
        session = _own(request, session_id)[0]
        shares = [ShareShape.of(share) for share in shares_of(session)]
        links = [SharedLinkShape.from_attributes(link) for link in links_of(session)]
        return Response(SharesShape(shares=shares, links=links, people=could_share_with(session)).to_json())

    @extend_schema(
        operation_id="shareSession",
        request=ShareBody,
        responses={201: SharedShape, **problems(403, 409)},
    )
    def post(self, request: Request, session_id: str) -> Response:
        """Share a conversation with a member, or by a link that reads only. For its owner."""
        session, member = _own(request, session_id)
        body = read_body(request, ShareBody)
        if (body.user is None) == (body.link is None):
            raise invalid("user" if body.user else "body", _("Say either “user” or “link”."))
        given = {name for name in body.model_fields_set if getattr(body, name) is not None}
        if misplaced := sorted(given & (_OF_MEMBERS if body.link else _OF_LINKS)):
            sentence = _("A member sees all of a conversation until you take it back; a link reads it. Leave this out.")
            raise invalid(to_camel(misplaced[0]), sentence)
        if body.user is not None:
            share = sharing.share_with(member, str(session.pk), body.user, body.access)
            return Response(SharedShape(share=ShareShape.of(share), link=None).to_json(), status=201)
        shown = {"reasoning": body.reasoning, "tool_results": body.tool_results}
        link, token = sharing.share_by_link(member, str(session.pk), _moment(body.expires_at or ""), **shown)
        told = NewSharedLinkShape.from_attributes(link, url=reverse("shared", args=[token]))
        return Response(SharedShape(share=None, link=told).to_json(), status=201)

    @extend_schema(operation_id="unshareSession", parameters=[SHARE], responses={204: None, **problems(403)})
    def delete(self, request: Request, session_id: str) -> Response:
        """Take a share or a link back, or all of them. It ends at once. For the conversation's owner."""
        session, member = _own(request, session_id)
        sharing.unshare(member, str(session.pk), request.GET.get("share"))
        return Response(status=204)


def _own(request: Request, session_id: str) -> tuple[Session, Member]:
    session, member = session_to_read(request, session_id)
    require_owner(member, session)
    return session, member


def _moment(text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or timezone.is_naive(found):
        raise invalid("expiresAt", _("Say until when the link lasts, for example 2026-01-31T12:00:00Z."))
    return found
