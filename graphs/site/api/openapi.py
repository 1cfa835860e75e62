"""What the OpenAPI document says about every endpoint: how to sign in, the workspace, problems. For drf-spectacular."""

import threading
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, override
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from pydantic import BaseModel, ConfigDict
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from graphs.site.api.problems import MEDIA_TYPE

METHODS = ("get", "post", "put", "patch", "delete")


class ProblemDocument(BaseModel):
    """RFC 9457. `code` is for programs, `errors` holds sentences by field."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: dict[str, list[str]] | None = None


class SchemaView(SpectacularJSONAPIView):
    """The OpenAPI 3.1 document of all endpoints, made once for each language: it takes a second."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(exclude=True)
    def get(self, request: Request, *_args: Any, **_more: Any) -> Response:
        language = request.GET.get("lang")
        if language not in dict(settings.LANGUAGES):
            language = get_language()
        name = self._get_filename(request, None)
        return Response(document(language), headers={"Content-Disposition": f'inline; filename="{name}"'})


_making = threading.Lock()
_made: dict[str, dict[str, Any]] = {}


def document(language: str) -> dict[str, Any]:
    """The document in a language, made once in a process."""
    with _making, override(language):
        if language not in _made:
            _made[language] = SchemaView.generator_class().get_schema(request=None, public=True)
        return _made[language]


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "graphs.site.api.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}


class CookieScheme(OpenApiAuthenticationExtension):
    target_class = "graphs.site.api.authentication.CookieAuthentication"
    name = "cookie"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        description = "The session of a browser. Requests that change something need the header X-CSRFToken."
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME, "description": description}


def problems(*statuses: int) -> dict[Any, Any]:
    """Entries of `responses` for the statuses that only this view refuses with; `complete` adds the others."""
    return {(status, MEDIA_TYPE): ProblemDocument for status in statuses}


def complete(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Adds to all operations the errors that all may answer, and the workspace to those that need a person."""
    components = result.setdefault("components", {})
    components.setdefault("responses", {})["Problem"] = {
        "description": "Not what was asked for.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}},
    }
    components.setdefault("schemas", {})["ProblemDocument"] = ProblemDocument.model_json_schema()
    components.setdefault("parameters", {})["Workspace"] = {
        "name": "X-Workspace",
        "in": "header",
        "required": False,
        "description": "The slug of the workspace, also as ?workspace=; without it the person's default.",
        "schema": {"type": "string", "maxLength": 50},
    }
    items = result.get("paths", {}).values()
    for method, operation in ((method, item[method]) for item in items for method in METHODS if method in item):
        needs_person = operation.get("security", [{}]) != [{}]
        of_body = [413, 415] if "requestBody" in operation else []
        too_often = [429] if method != "get" else []
        for status in (400, 401, 406, 500, 503, *([403, 404] if needs_person else []), *of_body, *too_often):
            operation["responses"].setdefault(str(status), {"$ref": "#/components/responses/Problem"})
        if needs_person:
            operation.setdefault("parameters", []).append({"$ref": "#/components/parameters/Workspace"})
    return result
