"""How the tests of the API call it."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver
from rest_framework.views import APIView

from graphs.site.api import tokens
from tests.graphs.api.documented import check

PROBLEM = "application/problem+json"


def with_token(user: User) -> Client:
    """A program without cookies."""
    return with_header(f"Bearer {tokens.issue(user).access}")


def with_header(authorization: str) -> Client:
    return CheckedClient(headers={"Authorization": authorization})


class CheckedClient(Client):
    """Every answer that it gets is one that the OpenAPI document describes, but faults of ours and methods of HTTP."""

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        if response.status_code != 500 and request["REQUEST_METHOD"] not in {"HEAD", "OPTIONS"}:
            check(response)
        return response


def post_json(client: Client, path: str, body: Any, **more: Any) -> HttpResponse:
    text = body if isinstance(body, str | bytes) else json.dumps(body)
    response = client.post(path, text, content_type="application/json", **more)
    check(response)
    return response


def upload(client: Client, content: bytes, name: str = "flow.json", **fields: str) -> HttpResponse:
    return client.post("/api/v1/graphs/import", {**fields, "file": SimpleUploadedFile(name, content)})


def problem(response: HttpResponse, status: int, code: str) -> dict[str, Any]:
    """The problem document of an answer, after checking that it is a whole one and of a status that is documented."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == PROBLEM
    document = json.loads(response.content)
    assert {"type", "title", "status", "detail", "code"} <= set(document)
    assert (document["status"], document["code"]) == (status, code)
    assert document["detail"]
    check(response)
    return document


def api_views(resolver: URLResolver, prefix: str = "") -> list[tuple[str, Any]]:
    """Every address of the API with the class that answers it."""
    found: list[tuple[str, Any]] = []
    for pattern in resolver.url_patterns:
        address = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            found += api_views(pattern, address)
        elif isinstance(pattern, URLPattern) and issubclass(getattr(pattern.callback, "cls", object), APIView):
            found.append((address, pattern.callback.cls))
    return found
