"""POST objects/{type}/{id}/copy makes a copy of an object of any kind."""

from typing import Annotated

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api import changes
from graphs.api.object_json import ObjectShape
from graphs.api.objects import ID, TYPE, answer
from graphs.history import editing
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.objects.strict import STORABLE
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key
from graphs.tables.duplicating import duplicate


class CopyBody(Body):
    """With `children` also what the object holds, and what that holds."""

    children: bool = False
    reason: Annotated[str, Field(max_length=1_000), STORABLE] = ""


class ObjectCopyView(APIView):
    throttle_classes = ()  # it counts by itself

    @extend_schema(
        operation_id="copyObject",
        parameters=[TYPE, ID, IDEMPOTENCY_KEY],
        request=CopyBody,
        responses={201: ObjectShape, **problems(409, 422, 429)},
    )
    def post(self, request: Request, object_type: str, object_id: str) -> Response:
        """Make a copy of an object beside it. The answer is the copy."""
        member, ref = current_member(request), Ref(object_type, object_id)
        of = object_for(member, ref)
        changes.require_may_change(member)
        body = read_body(request, CopyBody)
        digest = changes.digest_of(of.pk, ["copy", request.data])
        wanted = editing.Request((), (), body.reason, idempotency_key(request), digest)
        with changes.as_problems(member):
            copy = duplicate(member, of, wanted, children=body.children)
        return Response(answer(member, copy), status=201)
