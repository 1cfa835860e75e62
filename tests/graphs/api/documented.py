"""Whether answers are what the OpenAPI document says: their status, and the JSON of those that are no problem."""

import re
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.urls import Resolver404, resolve
from jsonschema_rs import Draft202012Validator

from graphs.site.api.openapi import document

#: What a method that an address has not is answered, by who asks.
OF_NO_METHOD = {401, 403, 404, 405}
JSON = "application/json"


def check(response: HttpResponse) -> None:
    """A program that reads the document must have been told of this status, and of everything in the answer."""
    request: Any = response.wsgi_request  # type: ignore[attr-defined]
    route = _route(request)
    if route is None:
        return
    address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    paths = document(settings.LANGUAGE_CODE)["paths"]
    operation = paths.get(address, {}).get(request.method.lower())
    if operation is None:
        assert response.status_code in OF_NO_METHOD or address not in paths, (request.method, address)
        return
    assert str(response.status_code) in operation["responses"], (request.method, address, response.status_code)
    if response.headers.get("Content-Type") == JSON and not response.streaming and response.content:
        described = _described(address, request.method.lower(), str(response.status_code))
        described.validate(response.json())  # type: ignore[attr-defined]


def _route(request: Any) -> str | None:
    """The address that Django found; looked for here where something refused the request before."""
    if request.resolver_match:
        return str(request.resolver_match.route)
    try:
        return str(resolve(request.path_info).route)
    except Resolver404:
        return None


@cache
def _described(address: str, method: str, status: str) -> Draft202012Validator:
    whole = document(settings.LANGUAGE_CODE)
    described = whole["paths"][address][method]["responses"][status]["content"][JSON]["schema"]
    return Draft202012Validator(described | {"components": whole["components"]})
