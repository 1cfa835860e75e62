"""GET graphs, GET graphs/{key}, POST graphs/import, GET graphs/{key}/export."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api.graph_json import GraphPage, GraphShape, GraphSummary, ImportResult, etag
from graphs.api.searches import asked_words
from graphs.models import Object
from graphs.objects.streams import streams
from graphs.site import search_time
from graphs.site.access import Member
from graphs.site.api.members import current_member
from graphs.site.api.openapi import problems
from graphs.site.api.paging import PAGE_PARAMETERS, asked_page
from graphs.site.api.problems import Problem, invalid, invalid_fields, too_big
from graphs.site.uploads import was_too_big
from graphs.workflows import exports, listing, trust
from graphs.workflows.import_form import FORMATS, ImportForm, explain
from graphs.workflows.imports import ImportedGraph
from graphs.workflows.interchange.refusals import ImportRefused
from graphs.workflows.keys import KeyInvalid, KeyTaken
from graphs.workflows.listing import SizedGraph, graph_for

KEY = OpenApiParameter("key", str, OpenApiParameter.PATH, description="The key of the graph in its workspace.")
SEEN = OpenApiParameter(
    "untrustedSince", str, description="The mark that the person saw, as it was answered; needed where there is one."
)
LIST_PARAMETERS = [
    OpenApiParameter("search", str, description="Words that name, key or description hold."),
    *PAGE_PARAMETERS,
]
UPLOAD = {
    "multipart/form-data": {
        "type": "object",
        "required": ["file"],
        "additionalProperties": False,
        "properties": {
            "file": {"type": "string", "contentMediaType": "application/json"},
            "format": {"type": "string", "enum": [name for name, _label in FORMATS], "default": "auto"},
            "key": {"type": "string", "maxLength": 100},
            "ifExists": {"type": "string", "enum": ["copy", "replace", "refuse"]},
        },
    }
}


class GraphsView(APIView):
    large_answer = "search"  # It looks through all descriptions.

    @extend_schema(operation_id="listGraphs", parameters=LIST_PARAMETERS, responses={200: GraphPage})
    def get(self, request: Request) -> Response:
        """The graphs of the workspace by name."""
        workspace, words = current_member(request).workspace, asked_words(request, "search")
        with search_time.bounded(bool(words)):
            page = asked_page(request, listing.matching(workspace, " ".join(words)), listing.ORDERING)
        shown = summaries(listing.with_sizes(page.rows))
        return Response(GraphPage.of(page, shown).to_json())


class GraphView(APIView):
    large_answer = True

    @extend_schema(operation_id="getGraph", parameters=[KEY], responses={200: GraphShape, 304: None})
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """One graph with its sheets, nodes, edges and the node types it uses."""
        member = current_member(request)
        graph = graph_for(member, key)
        graph.workspace = member.workspace
        mark = etag(graph)
        unchanged = get_conditional_response(request._request, etag=mark)
        answer = unchanged or Response(GraphShape.of(graph).to_json())
        answer.headers["ETag"] = mark
        answer.headers["Cache-Control"] = "private, no-cache"
        patch_vary_headers(answer, ["Authorization", "X-Workspace"])
        return answer


class ImportView(GraphView):
    """Imports graphs. A graph may have the key "import", too, and is read as any other."""

    parser_classes = (MultiPartParser,)
    limited_as = "imports"

    @extend_schema(exclude=True)
    def get(self, request: Request, key: str) -> HttpResponseBase:
        return super().get(request, key)

    @extend_schema(operation_id="importGraph", request=UPLOAD, responses={201: ImportResult, **problems(409)})
    def post(self, request: Request, key: str) -> Response:
        """Import a file: Countersign's own format, n8n or Node-RED. What cannot be trusted is refused as a whole."""
        member = current_member(request)
        member.require_editor()
        done = _import(_form(request), member)
        return Response(ImportResult.of(done).to_json(), status=201)


class TrustView(APIView):
    @extend_schema(
        operation_id="trustGraph",
        parameters=[KEY, SEEN],
        request=None,
        responses={200: GraphSummary, **problems(409)},
    )
    def post(self, request: Request, key: str) -> Response:
        """Say that an imported graph was looked through: the model's changes are no longer asked for because of it."""
        member = current_member(request)
        lift(request, member, graph_for(member, key))
        (summary,) = summaries(listing.with_sizes([graph_for(member, key)]))
        return Response(summary.to_json())


class ExportView(APIView):
    large_answer = True

    @extend_schema(
        operation_id="exportGraph",
        parameters=[KEY, OpenApiParameter("format", str, enum=["native"], default="native")],
        responses={200: exports.NativeFile},
    )
    def get(self, request: Request, key: str) -> HttpResponseBase:
        """A graph as a file that can be imported again without loss."""
        if request.GET.get("format", "native") != "native":
            raise invalid("format", _("Graphs are exported in the format “native”."))
        graph = graph_for(current_member(request), key)
        return HttpResponse(
            exports.as_json(exports.export_graph(graph)),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{graph.key}.json"', "Cache-Control": "no-store"},
        )


def lift(request: Request, member: Member, of: Object, *, with_its_file: bool = False) -> None:
    """Takes the mark of what was imported, if it is the one that the person saw. Raises `Problem` 409 if not, 400 if
    they do not say which they saw."""
    try:
        trust.lift(member, of, request.GET.get(SEEN.name), with_its_file=with_its_file)
    except trust.NothingSeen as unnamed:
        raise invalid(SEEN.name, _("Say what you looked through: the mark as the answer had it.")) from unnamed
    except trust.ReplacedSince as replaced:
        detail = _("It was imported again after you looked at it. Look through what it is now.")
        raise Problem(409, "stale", detail) from replaced


def summaries(graphs: Sequence[SizedGraph]) -> list[GraphSummary]:
    """Graphs as lists have them."""
    ids = streams.of([sized.graph for sized in graphs])
    return [
        GraphSummary.from_attributes(
            sized.graph,
            description=sized.beginning,
            nodes=sized.nodes,
            edges=sized.edges,
            stream_id=ids.get(sized.graph.pk),
        )
        for sized in graphs
    ]


def _form(request: Request) -> ImportForm:
    given: Any = request.data
    if was_too_big(request._request):
        raise too_big()
    unknown = set(given) - set(ImportForm.base_fields)
    form = ImportForm(given, request.FILES)
    if unknown or not form.is_valid():
        errors = {field: list(map(str, sentences)) for field, sentences in form.errors.items()}
        errors |= {field[:100]: [_("There is no such field.")] for field in unknown}
        raise invalid_fields(errors)
    return form


def _import(form: ImportForm, member: Member) -> ImportedGraph:
    try:
        return form.run(member.workspace, member.user)
    except ImportRefused as refusal:
        detail = _("The file was not imported; see “errors” for what is wrong with it.")
        raise Problem(400, "import_refused", detail, errors=explain(refusal)) from refusal
    except KeyTaken as error:
        raise Problem(409, "key_taken", str(error), errors={"key": [str(error)]}) from error
    except KeyInvalid as error:
        raise invalid("key", str(error)) from error
