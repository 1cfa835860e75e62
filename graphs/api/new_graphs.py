"""POST graphs makes an empty graph, or a copy of another one."""

from typing import Annotated, Self

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from pydantic import Field, model_validator
from rest_framework.request import Request
from rest_framework.response import Response

from graphs.api import changes, graphs
from graphs.api.graph_json import GraphSummary
from graphs.history import editing
from graphs.models.objects import MAX_KEY
from graphs.objects.strict import STORABLE
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key
from graphs.site.api.problems import Problem, invalid
from graphs.workflows import listing, making
from graphs.workflows.actions import Description, DisplayName
from graphs.workflows.keys import KeyInvalid, KeyTaken

KeyText = Annotated[str, Field(min_length=1, max_length=MAX_KEY), STORABLE]


class NewGraphBody(Body):
    """An empty graph with one sheet, or with `copyOf`, the key of another one, all that is in that."""

    name: DisplayName | None = None
    key: KeyText | None = None
    description: Description | None = None
    copy_of: KeyText | None = None
    reason: Annotated[str, Field(max_length=1_000), STORABLE] = ""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.name is None and self.copy_of is None:
            raise ValueError(_("give a name, or copyOf"))
        return self


class GraphsView(graphs.GraphsView):
    @extend_schema(
        operation_id="createGraph",
        parameters=[IDEMPOTENCY_KEY],
        request=NewGraphBody,
        responses={201: GraphSummary, **problems(404, 409, 422, 429)},
    )
    def post(self, request: Request) -> Response:
        """Make an empty graph, or a copy of another one. The answer is as the list has it."""
        member = current_member(request)
        changes.require_may_change(member)
        body = read_body(request, NewGraphBody)
        digest = changes.digest_of(0, ["graph", request.data])
        wanted = making.NewGraph(body.name, body.key, body.description, body.copy_of)
        try:
            with changes.as_problems(member):
                asked = editing.Request((), (), body.reason, idempotency_key(request), digest)
                graph = making.make(member, wanted, asked)
        except KeyTaken as error:
            raise Problem(409, "key_taken", str(error), errors={"key": [str(error)]}) from error
        except KeyInvalid as error:
            raise invalid("key", str(error)) from error
        (made,) = graphs.summaries(listing.with_sizes([graph]))
        return Response(made.to_json(), status=201)
