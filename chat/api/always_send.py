"""Lists the records that every conversation of a workspace is sent, adds them and takes them away."""

from typing import Annotated, Self

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import pinning
from chat.models import AlwaysSend
from chat.queries.conversations import always_sent
from graphs.api.graphs import KEY
from graphs.api.objects import ID, TYPE
from graphs.objects.refs import ObjectName, Ref, RefText
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, PageShape, asked_page
from graphs.site.shapes import Moment, Shape
from graphs.workflows.kinds import NODE
from graphs.workflows.store import GRAPH


class AlwaysSendBody(Body):
    """Without `nodeKey` the graph itself: its name and description."""

    node_key: Annotated[str, Field(max_length=100)] = ""
    always_send: bool


class ObjectAlwaysSendBody(Body):
    """`part` is a part of the object, as "node:fetch-api" is of a graph; without it the object itself."""

    part: RefText | None = None
    always_send: bool


class AlwaysSendShape(Shape):
    graph_key: str
    node_key: str
    always_send: bool


class ObjectAlwaysSendShape(Shape):
    object: ObjectName
    part: ObjectName | None
    always_send: bool


class RecordShape(Shape):
    """`graphKey` and `nodeKey` are empty for what is no graph and no node."""

    graph_key: str
    node_key: str
    added_by: str | None
    created_at: Moment
    object: ObjectName
    part: ObjectName | None

    @classmethod
    def of(cls, record: AlwaysSend) -> Self:
        part = Ref(record.part_type, record.part_key).to_json() if record.part_type else None
        return cls.from_attributes(
            record,
            object=Ref(record.object_type, record.object_key).to_json(),
            part=part,
            graph_key=record.object_key if record.object_type == GRAPH.name else "",
            node_key=record.part_key if record.part_type == NODE.name else "",
            added_by=record.added_by.get_username() if record.added_by else None,
        )


class RecordPage(PageShape[RecordShape]): ...


class AlwaysSendView(APIView):
    @extend_schema(operation_id="listAlwaysSent", parameters=PAGE_PARAMETERS, responses={200: RecordPage})
    def get(self, request: Request) -> Response:
        """What every conversation of the workspace is sent, in the order in which it was added."""
        page = asked_page(request, always_sent(current_member(request)), ("id",))
        return Response(RecordPage.of(page, [RecordShape.of(record) for record in page.rows]).to_json())


class GraphAlwaysSendView(APIView):
    @extend_schema(
        operation_id="setAlwaysSend",
        parameters=[KEY],
        request=AlwaysSendBody,
        responses={200: AlwaysSendShape, **problems(403, 409)},
    )
    def put(self, request: Request, key: str) -> Response:
        """Say whether a graph, or a node of it, is sent with every conversation of the workspace. For editors."""
        body = read_body(request, AlwaysSendBody)
        node = Ref(NODE.name, body.node_key) if body.node_key else None
        pinning.always_send(current_member(request), Ref(GRAPH.name, key), node, always=body.always_send)
        answer = AlwaysSendShape(graph_key=key, node_key=body.node_key, always_send=body.always_send)
        return Response(answer.to_json())


class ObjectAlwaysSendView(APIView):
    @extend_schema(
        operation_id="setObjectAlwaysSend",
        parameters=[TYPE, ID],
        request=ObjectAlwaysSendBody,
        responses={200: ObjectAlwaysSendShape, **problems(403, 409)},
    )
    def put(self, request: Request, object_type: str, object_id: str) -> Response:
        """Say whether an object, or a part of it, is sent with every conversation of the workspace. For editors."""
        ref, body = Ref(object_type, object_id), read_body(request, ObjectAlwaysSendBody)
        pinning.always_send(current_member(request), ref, body.part, always=body.always_send)
        part = body.part.to_json() if body.part else None
        return Response(ObjectAlwaysSendShape(object=ref.to_json(), part=part, always_send=body.always_send).to_json())
