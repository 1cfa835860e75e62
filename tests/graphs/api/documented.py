"""Which statuses the OpenAPI document names for an address."""

import re
from functools import cache
from typing import Any

from django.http import HttpResponse
from django.urls import Resolver404, resolve
from drf_spectacular.generators import SchemaGenerator

#: What a method that an address has not is answered, by who asks.
OF_NO_METHOD = {401, 403, 404, 405}


@cache
def paths() -> dict[str, Any]:
    return dict(SchemaGenerator().get_schema(request=None, public=True)["paths"])


def check_status(response: HttpResponse) -> None:
    """A program that reads the document must have been told of this status."""
    request: Any = response.wsgi_request  # type: ignore[attr-defined]
    try:
        route = resolve(request.path_info).route
    except Resolver404:
        return
    address = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    operation = paths().get(address, {}).get(request.method.lower())
    if operation is None:
        assert response.status_code in OF_NO_METHOD or address not in paths(), (request.method, address)
    else:
        assert str(response.status_code) in operation["responses"], (request.method, address, response.status_code)
