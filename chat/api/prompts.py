"""Prompts: list, make, read, write a version, say which counts, try one on an object."""

from typing import Annotated, Any, Literal, Self

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.actions import managing_prompts, posting, trying_prompts
from chat.actions.posting import ContextBody
from chat.api.run_json import AcceptedShape, RestedShape
from chat.managed_prompts.diffs import PromptDiffShape, diff_of
from chat.managed_prompts.template import MAX_TEXT_CHARS
from chat.managed_prompts.versions import active_in, active_versions, number_in, prompt_for, prompts_in, version_for
from chat.models import Prompt, PromptType, PromptVersion
from chat.models.prompts import MAX_DESCRIPTION, MAX_KEY, MAX_NAME, MAX_REASON
from chat.prompts.versions import prompt_version
from chat.queries.prompts import Outcomes, outcomes_of, versions_of
from graphs.site.access import Member
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, PageShape, asked_page
from graphs.site.api.parameters import number, truth
from graphs.site.api.problems import invalid
from graphs.site.shapes import AsItIs, Moment, Shape

#: The largest number that a version can have.
MOST = 2**31 - 1
TypeName = Literal["company_info", "folder_name", "use_case_list", "use_case_detail", "executive_summary"]
Reason = Annotated[str, Field(max_length=MAX_REASON)]
Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
ARCHIVED = OpenApiParameter("archived", bool, description="Those that are archived, in place of the others.")
VERSIONS = [
    OpenApiParameter(name, {"type": "integer", "minimum": 1}, required=True, description="Number of a version.")
    for name in ("a", "b")
]


class PromptBody(Body):
    """The key is for good; `type` says what a model is asked for, and with it which variables there are."""

    key: Annotated[str, StringConstraints(max_length=MAX_KEY, pattern=rf"^[a-z][a-z0-9_]{{0,{MAX_KEY - 1}}}$")]
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION)] = ""
    type: TypeName


class ArchiveBody(Body):
    """Whether it is put away, or in use."""

    archived: bool


class TextsBody(Body):
    """The text in each language of the site; one of them is enough."""

    en: Text | None = None
    fr: Text | None = None


class PromptVersionBody(Body):
    """Without `variables` they are those of the texts; with them the texts have exactly these."""

    text: TextsBody
    variables: Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=20)] | None = None
    model: Annotated[str, Field(max_length=100)] | None = None
    reason: Reason


class ActivateBody(Body):
    reason: Reason = ""


class TryBody(Body):
    context: ContextBody
    model: Annotated[str, Field(max_length=100)] | None = None
    wait: bool | None = None


class OutcomesShape(Shape):
    """What came of a version in the workspace. `cost` is in US dollars, where prices are known."""

    runs: int
    failed: int
    accepted: int
    rejected: int
    voted_up: int
    voted_down: int
    cost: float | None
    duration_ms: int | None

    @classmethod
    def told(cls, outcomes: Outcomes) -> Self:
        return cls.from_attributes(outcomes, cost=None if outcomes.cost is None else float(outcomes.cost))


class ListedPromptVersionShape(Shape):
    """A version without its text. `scope` says whose it is, `active` whether it counts in the workspace."""

    name: str
    number: int
    scope: Literal["workspace", "site"]
    status: Literal["draft", "active", "retired"]
    active: bool
    variables: AsItIs[list[str]]
    model: str
    author: str | None
    reason: str
    created_at: Moment
    outcomes: OutcomesShape

    @classmethod
    def of(cls, version: PromptVersion, active: PromptVersion | None, outcomes: Outcomes, **more: Any) -> Self:
        return cls.from_attributes(
            version,
            name=str(version),
            scope="site" if version.workspace_id is None else "workspace",
            active=version == active,
            author=version.author.get_username() if version.author else None,
            outcomes=OutcomesShape.told(outcomes),
            **more,
        )


class PromptVersionShape(ListedPromptVersionShape):
    text: AsItIs[dict[str, str]]


class PromptShape(Shape):
    """`active` is the number of the version that counts in the workspace."""

    key: str
    name: str
    description: str
    type: TypeName
    scope: Literal["workspace", "site"]
    active: int | None
    archived: bool

    @classmethod
    def of(cls, prompt: Prompt, active: PromptVersion | None, **more: Any) -> Self:
        return cls.from_attributes(
            prompt,
            name=prompt.shown_name,
            description=prompt.shown_description,
            scope="site" if prompt.workspace_id is None else "workspace",
            active=active.number if active else None,
            **more,
        )


class WholePromptShape(PromptShape):
    """The versions are the latest first."""

    versions: list[ListedPromptVersionShape]


class PromptPage(PageShape[PromptShape]):
    """`conversation` is the digest of what every conversation is told first; that text is in the program."""

    conversation: str


class PromptsView(APIView):
    @extend_schema(operation_id="listPrompts", parameters=[*PAGE_PARAMETERS, ARCHIVED], responses={200: PromptPage})
    def get(self, request: Request) -> Response:
        """The prompts of the workspace and of the site, by their keys; those put away with `archived`."""
        member = current_member(request)
        prompts = prompts_in(member.workspace).filter(archived_at__isnull=not truth(request, "archived"))
        page = asked_page(request, prompts, ("key", "id"))
        active = active_versions(member.workspace, page.rows)
        shown = [PromptShape.of(prompt, active.get(prompt.pk)) for prompt in page.rows]
        return Response(PromptPage.of(page, shown, conversation=prompt_version()).to_json())

    @extend_schema(operation_id="createPrompt", request=PromptBody, responses={201: PromptShape, **problems(403, 409)})
    def post(self, request: Request) -> Response:
        """Make a prompt of the workspace, without a version yet. For editors."""
        body = read_body(request, PromptBody)
        made = managing_prompts.make_prompt(
            current_member(request), body.key, body.name, body.description, PromptType(body.type)
        )
        return Response(PromptShape.of(made, None).to_json(), status=201)


class PromptView(APIView):
    large_answer = True

    @extend_schema(operation_id="getPrompt", responses={200: WholePromptShape})
    def get(self, request: Request, prompt_key: str) -> Response:
        """One prompt with its versions and what came of each."""
        member = current_member(request)
        prompt = prompt_for(member.workspace, prompt_key)
        versions, active = versions_of(member, prompt), active_in(member.workspace, prompt)
        outcomes = outcomes_of(member, versions)
        shown = [ListedPromptVersionShape.of(each, active, outcomes.get(each.pk, Outcomes())) for each in versions]
        return Response(WholePromptShape.of(prompt, active, versions=shown).to_json())

    @extend_schema(
        operation_id="archivePrompt", request=ArchiveBody, responses={200: PromptShape, **problems(403, 409)}
    )
    def patch(self, request: Request, prompt_key: str) -> Response:
        """Put a prompt of the workspace away, or bring it back. For editors."""
        member, body = current_member(request), read_body(request, ArchiveBody)
        prompt = managing_prompts.archive(member, prompt_key, archived=body.archived)
        return Response(PromptShape.of(prompt, active_in(member.workspace, prompt)).to_json())


class PromptDiffView(APIView):
    large_answer = True

    @extend_schema(operation_id="comparePromptVersions", parameters=VERSIONS, responses={200: PromptDiffShape})
    def get(self, request: Request, prompt_key: str) -> Response:
        """What differs between two versions: texts line by line, and the model."""
        member = current_member(request)
        prompt_for(member.workspace, prompt_key)
        a, b = (version_for(member.workspace, prompt_key, _number(request, name)) for name in ("a", "b"))
        return Response(diff_of(a, b).to_json())


class PromptVersionsView(APIView):
    @extend_schema(
        operation_id="writePromptVersion",
        request=PromptVersionBody,
        responses={201: PromptVersionShape, **problems(403, 409, 422)},
    )
    def post(self, request: Request, prompt_key: str) -> Response:
        """Write a new version, a draft until it is activated. For editors."""
        member, body = current_member(request), read_body(request, PromptVersionBody)
        texts = {language: text for language, text in dict(body.text).items() if text is not None}
        written = managing_prompts.write_version(
            member, prompt_key, texts, body.variables, body.model or "", body.reason
        )
        return Response(_whole(member, written), status=201)


class PromptVersionView(APIView):
    @extend_schema(operation_id="getPromptVersion", responses={200: PromptVersionShape})
    def get(self, request: Request, prompt_key: str, version: str) -> Response:
        """One version with its texts."""
        member = current_member(request)
        return Response(_whole(member, version_for(member.workspace, prompt_key, number_in(version))))


class ActivateView(APIView):
    @extend_schema(
        operation_id="activatePromptVersion",
        request=ActivateBody,
        responses={200: PromptVersionShape, **problems(403, 409)},
    )
    def post(self, request: Request, prompt_key: str, version: str) -> Response:
        """Make a version count in the workspace, an earlier one too. For editors."""
        member, body = current_member(request), read_body(request, ActivateBody)
        return Response(_whole(member, managing_prompts.activate(member, prompt_key, number_in(version), body.reason)))


class TryView(APIView):
    @extend_schema(
        operation_id="tryPromptVersion",
        request=TryBody,
        responses={202: AcceptedShape, 200: RestedShape, **problems(403, 409, 422, 429)},
    )
    def post(self, request: Request, prompt_key: str, version: str) -> Response:
        """Ask a model with a version on an object, in a conversation of its own that changes nothing. For editors."""
        member, body = current_member(request), read_body(request, TryBody)
        named = version_for(member.workspace, prompt_key, number_in(version)).number
        member.require_editor()
        posting.count_run(member.user)
        accepted = trying_prompts.try_version(member, prompt_key, named, body.context.ref, body.model or "")
        return Response(AcceptedShape.of(accepted.to_json()).to_json(), status=202)


def _whole(member: Member, version: PromptVersion) -> dict[str, Any]:
    outcomes = outcomes_of(member, [version]).get(version.pk, Outcomes())
    active = active_in(member.workspace, version.prompt)
    return PromptVersionShape.of(version, active, outcomes, text=version.texts).to_json()


def _number(request: Request, name: str) -> int:
    found = number(request, name, 0, MOST, least=1)
    if not found:
        raise invalid(name, _("Say which two versions to compare: “a” and “b”."))
    return found
