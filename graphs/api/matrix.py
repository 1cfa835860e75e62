"""GET folders/{id}/matrix, matrix.svg and matrix.png, POST folders/{id}/matrix/preview."""

import hashlib
import math
from dataclasses import replace
from typing import Annotated, Literal

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.formats import date_format
from django.utils.http import content_disposition_header
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from graphs.api.matrix_json import FolderMatrixShape, MatrixPreview
from graphs.api.sent_files import file_name
from graphs.models import Folder
from graphs.records.drawing.painter import NotDrawn, painter
from graphs.records.drawing.scene import CANVASES, Scene
from graphs.records.folder_matrix import DEFAULT_ORDER, ORDERS, PAGE, Cell, folder_for, matrix_of, ordered
from graphs.records.folders import MatrixShape
from graphs.records.scenes import Addresses, scene_of
from graphs.site.access import Member
from graphs.site.api.bodies import Body, read_body
from graphs.site.api.members import current_member
from graphs.site.api.parameters import truth
from graphs.site.api.problems import Problem, invalid
from graphs.site.security_headers import NO_PAGE

FOLDER_ID = OpenApiParameter("folder", str, OpenApiParameter.PATH, description="The id of the folder.")
SIZE = OpenApiParameter(
    "size", str, enum=[*CANVASES], default="wide", description="For wide screens and paper, or for narrow screens."
)
DOWNLOAD = OpenApiParameter("download", bool, description="As a file to be kept.")
_MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}
#: Raised when drawings of what they show become others.
_LOOK = 3


class MatrixPreviewBody(Body):
    """Weights and thresholds that are not saved, and which page of the table is looked at, in which order."""

    matrix_config: MatrixShape
    size: Literal["wide", "narrow"] = "wide"
    order: Annotated[str, Field(max_length=20)] = DEFAULT_ORDER
    page: Annotated[int, Field(ge=1, le=1_000)] = 1
    cell: Annotated[str, Field(max_length=20)] = ""


class SvgRenderer(JSONRenderer):
    """Lets requests in that accept drawings only. What is refused is JSON."""

    media_type = "image/svg+xml"


class PngRenderer(JSONRenderer):
    """Lets requests in that accept pictures only. What is refused is JSON."""

    media_type = "image/png"


class MatrixView(APIView):
    large_answer = True

    @extend_schema(operation_id="getMatrix", parameters=[FOLDER_ID], responses={200: FolderMatrixShape})
    def get(self, request: Request, folder: str) -> Response:
        """The use cases of a folder with their places in its matrix: value and complexity, by ratings and weights."""
        member = current_member(request)
        of = folder_for(member, folder)
        return Response(FolderMatrixShape.of(matrix_of(of)).to_json())


class SvgView(APIView):
    large_answer = True
    form: Literal["svg", "png"] = "svg"
    renderer_classes: tuple[type[JSONRenderer], ...] = (JSONRenderer, SvgRenderer)

    @extend_schema(
        operation_id="drawMatrix",
        parameters=[FOLDER_ID, SIZE, DOWNLOAD],
        responses={(200, "image/svg+xml"): str, 304: None},
    )
    def get(self, request: Request, folder: str) -> HttpResponseBase:
        """The matrix of a folder as a drawing."""
        return self._drawn(request, folder)

    def _drawn(self, request: Request, folder: str) -> HttpResponseBase:
        """The drawing, which a browser that has it need not get again."""
        member = current_member(request)
        of = folder_for(member, folder)
        scene = scene_of(matrix_of(of), _size(request), addresses_for(member, of))
        kept = truth(request, "download")
        if kept:
            scene = replace(scene, heading=f"{scene.title}, {date_format(localdate(), 'DATE_FORMAT')}")
        mark = _etag(scene, self.form)
        unchanged = get_conditional_response(request._request, etag=mark)
        answer = unchanged or HttpResponse(drawn(scene, self.form), content_type=_MEDIA_TYPES[self.form])
        answer.headers["ETag"] = mark
        answer.headers["Cache-Control"] = "private, no-cache"
        answer.headers["Content-Security-Policy"] = f"{NO_PAGE}; sandbox"
        if kept:
            name = content_disposition_header(True, f"{file_name(scene.title, 'matrix')}.{self.form}")
            answer.headers["Content-Disposition"] = str(name)
        patch_vary_headers(answer, ["Authorization", "X-Workspace", "Accept-Language", "Cookie"])
        return answer


class PngView(SvgView):
    form = "png"
    renderer_classes = (JSONRenderer, PngRenderer)

    @extend_schema(
        operation_id="paintMatrix",
        parameters=[FOLDER_ID, SIZE, DOWNLOAD],
        responses={(200, "image/png"): bytes, 304: None},
    )
    def get(self, request: Request, folder: str) -> HttpResponseBase:
        """The matrix of a folder as a picture."""
        return self._drawn(request, folder)


class PreviewView(APIView):
    @extend_schema(
        operation_id="previewMatrix",
        parameters=[FOLDER_ID],
        request=MatrixPreviewBody,
        responses={200: MatrixPreview},
    )
    def post(self, request: Request, folder: str) -> Response:
        """What the matrix of a folder would be with other weights and thresholds; nothing is changed."""
        member = current_member(request)
        of = folder_for(member, folder)
        member.require_editor()
        body = read_body(request, MatrixPreviewBody)
        if body.order.removeprefix("-") not in ORDERS:
            raise invalid("order", _("“order” is one of: %(names)s.") % {"names": ", ".join(ORDERS)})
        matrix = matrix_of(of, body.matrix_config.model_dump(by_alias=True))
        drawing = drawn(scene_of(matrix, body.size, addresses_for(member, of)), "svg").decode()
        found = ordered(matrix.within(Cell.parse(body.cell)), body.order)
        rows = found[(body.page - 1) * PAGE : body.page * PAGE]
        return Response(MatrixPreview.of(matrix, rows, math.ceil(len(found) / PAGE), drawing).to_json())


def addresses_for(member: Member, folder: Folder) -> Addresses:
    """Where the marks of a drawing of a folder lead for a member."""
    here, matrix = f"?workspace={member.workspace.slug}", reverse("folder-matrix", args=[folder.pk])
    return Addresses(
        lambda key: f"{reverse('use-case', args=[key])}{here}",
        lambda cell: f"{matrix}{here}&cell={cell}#matrix-table",
    )


def drawn(scene: Scene, form: Literal["svg", "png"]) -> bytes:
    """A drawing. Raises `Problem` 503 if it does not come."""
    try:
        return painter.svg(scene) if form == "svg" else painter.png(scene)
    except NotDrawn as error:
        detail = _("The drawing did not come. Try again in a moment; the table has the same.")
        raise Problem(503, "unavailable", detail, headers={"Retry-After": "5"}) from error


def _size(request: Request) -> str:
    size = request.GET.get("size", "wide")
    if size not in CANVASES:
        raise invalid("size", _("“size” is one of: %(names)s.") % {"names": ", ".join(CANVASES)})
    return size


def _etag(scene: Scene, form: str) -> str:
    return f'"{hashlib.sha256(f"{_LOOK}{form}{scene.to_json()}".encode()).hexdigest()[:32]}"'
