"""The doors there are, read from the code: addresses with their parameters."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_PARAMETER = re.compile(r"\(\?P<(\w+)>[^)]*\)|<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Address:
    """`path` has its parameters in braces: `api/v1/graphs/{key}`."""

    path: str

    @property
    def parameters(self) -> list[str]:
        return re.findall(r"\{(\w+)\}", self.path)

    def with_id(self, value: str) -> str:
        """The address of `value`, which stands for every parameter unless it has a part for each."""
        count = len(self.parameters)
        given = iter(value.split("/") if count > 1 and "/" in value else [value] * count)
        return "/" + re.sub(r"\{\w+\}", lambda _parameter: next(given), self.path)


def every_address() -> list[Address]:
    """In the order in which they are tried."""
    return [Address(_PARAMETER.sub(_in_braces, path)) for path, _pattern in _walk(get_resolver())]


def api_views() -> list[type[APIView]]:
    """The views of the API, each once."""
    found = (getattr(pattern.callback, "cls", None) for _path, pattern in _walk(get_resolver()))
    return list(dict.fromkeys(view for view in found if view is not None and issubclass(view, APIView)))


def _in_braces(found: re.Match[str]) -> str:
    return "{" + (found[1] or found[2]) + "}"


def _walk(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        path = prefix + str(pattern.pattern).strip("^$")
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern, path)
        else:
            assert isinstance(pattern, URLPattern)
            yield path, pattern
