"""Structured generations: begin one about an object, see how far it is, cancel it."""

from typing import Annotated, Any, Literal, Self

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import generating, posting
from chat.actions.generating import MAX_INSTRUCTIONS
from chat.actions.idempotency import once
from chat.actions.posting import ContextBody
from chat.queries.answers import ErrorShape
from chat.queries.generations import Generation, generation_for, told
from chat.subjects.generating import FEWEST, MOST
from graphs.objects.refs import ObjectName
from graphs.site.access import Member, or_not_found
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.parameters import IDEMPOTENCY_KEY, idempotency_key
from graphs.site.shapes import AsItIs, Moment, Shape


class GenerationBody(Body):
    """`count` is for prompts that make several; `instructions` are what the person asks for besides."""

    context: ContextBody
    instructions: Annotated[str, Field(max_length=MAX_INSTRUCTIONS)] = ""
    count: Annotated[int, Field(ge=FEWEST, le=MOST)] | None = None
    model: Annotated[str, Field(max_length=100)] | None = None


class CancelBody(Body):
    """There is nothing to say."""


class BegunShape(Shape):
    """`streamId` is the stream of the object, which tells all that becomes of it under `runId`."""

    run_id: str
    stream_id: str


class GenerationProgressShape(Shape):
    """Of what comes of it, how many are over; of those some may have failed, and some been cancelled."""

    of: int
    done: int
    failed: int
    cancelled: int


class GenerationShape(Shape):
    """`waitsFor` says why one has not begun. `text` is what a model wrote that could not be used.

    Read from after the number `after`, its stream tells all that it writes.
    `changeSets` were made, `proposals` wait for a decision or have got one. `cost` is in US dollars where it is known.
    """

    run_id: str
    prompt_id: str
    prompt_version: str
    object: AsItIs[ObjectName]
    stream_id: str
    after: int
    state: Literal["queued", "running", "waiting", "succeeded", "failed", "cancelled"]
    waits_for: Literal["object", "slots", "worker"] | None
    progress: GenerationProgressShape | None
    author: str
    model: str
    cost: float | None
    error: AsItIs[ErrorShape | None]
    text: str
    change_sets: AsItIs[list[str]]
    proposals: AsItIs[list[str]]
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None

    @classmethod
    def of(cls, generation: Generation) -> Self:
        run = generation.run
        return cls.from_attributes(
            run,
            run_id=str(run.pk),
            prompt_id=run.prompt_version.prompt.key if run.prompt_version else "",
            prompt_version=str(run.prompt_version or ""),
            object=generation.about.to_json(),
            stream_id=run.session.stream.name,
            after=generation.after,
            state=generation.state,
            waits_for=generation.waits_for,
            progress=GenerationProgressShape(**generation.progress) if generation.progress else None,
            author=run.author.get_username(),
            cost=None if generation.cost is None else float(generation.cost),
            text=generation.text,
            change_sets=[str(each.change_set) for each in generation.made if each.change_set],
            proposals=[str(each.pk) for each in generation.made],
        )


def _answer(member: Member, run_id: str) -> Response:
    found = told(member, [generation_for(member, run_id)])
    return Response(GenerationShape.of(or_not_found(found[0] if found else None)).to_json())


class StructuredView(APIView):
    """POST names a prompt, GET a run."""

    @extend_schema(operation_id="getGeneration", responses={200: GenerationShape, **problems()})
    def get(self, request: Request, structured_id: str) -> Response:
        """How far a generation is, what it waits for, and what came of it."""
        return _answer(current_member(request), structured_id)

    @extend_schema(
        operation_id="generate",
        parameters=[IDEMPOTENCY_KEY],
        request=GenerationBody,
        responses={202: BegunShape, **problems(403, 409, 422, 429)},
    )
    def post(self, request: Request, structured_id: str) -> Response:
        """Begins a generation with the prompt of this key; editors only."""
        member = current_member(request)
        body = read_body(request, GenerationBody)
        member.require_editor()
        posting.count_run(member.user)

        def begin() -> dict[str, Any]:
            run = generating.generate(
                member,
                structured_id,
                body.context.ref,
                instructions=body.instructions,
                count=body.count,
                model=body.model or "",
            )
            return BegunShape(run_id=str(run.pk), stream_id=run.session.stream.name).to_json()

        asked = body.model_dump() | {"prompt": structured_id, "workspace": member.workspace.pk}
        return Response(once(member.user, idempotency_key(request), asked, begin), status=202)


class CancelGenerationView(APIView):
    @extend_schema(
        operation_id="cancelGeneration", request=CancelBody, responses={200: GenerationShape, **problems(403)}
    )
    def patch(self, request: Request, structured_id: str) -> Response:
        """Stops a generation, with what comes of it; one that is over stays as it is. Editors only."""
        member = current_member(request)
        read_body(request, CancelBody)
        generating.cancel(member, structured_id)
        return _answer(member, structured_id)
