"""POST objects/{type}/{id}/trust says that an imported object was looked through."""

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api.graphs import SEEN, lift
from graphs.api.object_json import ObjectShape
from graphs.api.objects import ID, TYPE, answer
from graphs.objects.headers import object_for
from graphs.objects.refs import Ref
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.problems import invalid

ALL = OpenApiParameter(
    "all", str, enum=["true", "false"], default="false", description="Also all others that came with the same file."
)


class ObjectTrustView(APIView):
    @extend_schema(
        operation_id="trustObject",
        parameters=[TYPE, ID, SEEN, ALL],
        request=None,
        responses={200: ObjectShape, **problems(409)},
    )
    def post(self, request: Request, object_type: str, object_id: str) -> Response:
        """Say that an imported object was looked through: changes are no longer asked for because of it."""
        member, ref = current_member(request), Ref(object_type, object_id)
        whole = request.GET.get(ALL.name, "false")
        if whole not in ("true", "false"):
            raise invalid(ALL.name, _("“%(name)s” is “true” or “false”.") % {"name": ALL.name})
        lift(request, member, object_for(member, ref), with_its_file=whole == "true")
        return Response(answer(member, ref))
