"""Whether answers are what the OpenAPI document says: their status, and the JSON of those that are no problem."""

import re
from functools import cache
from typing import Any

from django.http import HttpResponse
from django.urls import Resolver404, resolve
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator

#: What a method that an address has not is answered, by who asks.
OF_NO_METHOD = {401, 403, 404, 405}
JSON = "application/json"


@cache
def document() -> dict[str, Any]:
    return dict(SchemaGenerator().get_schema(request=None, public=True))


def check(response: HttpResponse) -> None:
    """A program that reads the document must have been told of this status, and of everything in the answer."""
    request: Any = response.wsgi_request  # type: ignore[attr-defined]
    try:
        route = resolve(request.path_info).route
    except Resolver404:
        return
    address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    paths = document()["paths"]
    operation = paths.get(address, {}).get(request.method.lower())
    if operation is None:
        assert response.status_code in OF_NO_METHOD or address not in paths, (request.method, address)
        return
    assert str(response.status_code) in operation["responses"], (request.method, address, response.status_code)
    if response.headers.get("Content-Type") == JSON and not response.streaming and response.content:
        described = operation["responses"][str(response.status_code)]["content"][JSON]["schema"]
        whole = described | {"components": document()["components"]}
        Draft202012Validator(whole).validate(response.json())  # type: ignore[attr-defined]
