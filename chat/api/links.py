"""Says what mentions of objects are shown as."""

from typing import Annotated, Self

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.queries.links import Link, shown_as
from graphs.objects.refs import ObjectName, Ref, RefText
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.shapes import Shape

#: Objects that one question names.
MOST_OBJECTS = 100


class LinksBody(Body):
    objects: Annotated[list[RefText], Field(max_length=MOST_OBJECTS)]


class LinkShape(Shape):
    object: ObjectName
    title: str
    url: str

    @classmethod
    def of(cls, ref: Ref, link: Link) -> Self:
        return cls(object=ref.to_json(), title=link.title, url=link.url)


class LinkList(Shape):
    results: list[LinkShape]


class LinksView(APIView):
    throttle_classes = ()  # it only reads

    @extend_schema(operation_id="lookUpLinks", request=LinksBody, responses={200: LinkList})
    def post(self, request: Request) -> Response:
        """Look up title and address, if any, of objects. Absent are those that the person may not see."""
        body = read_body(request, LinksBody)
        links = shown_as(current_member(request), body.objects)
        return Response(LinkList(results=[LinkShape.of(ref, link) for ref, link in links.items()]).to_json())
