"""Lists in pages, of the API and the site. A cursor names a row: pages stay true while rows come and go."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Self, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Field, Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from graphs.site.api.parameters import number
from graphs.site.api.problems import Problem
from graphs.site.json_input import BadJSON, parse_json
from graphs.site.shapes import AsItIs, Shape

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
#: For the OpenAPI document.
PAGE_PARAMETERS = [
    OpenApiParameter("cursor", str, description="Taken from `next` or `previous`."),
    OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE}),
]

Row = TypeVar("Row")
Listed = TypeVar("Listed")
Direction = Literal["after", "before"]


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """`next` and `previous` are cursors, or the addresses of the other pages."""

    rows: list[Row]
    next: str | None
    previous: str | None


class PageShape(Shape, Generic[Listed]):
    results: AsItIs[list[Listed]]
    next: str | None
    previous: str | None

    @classmethod
    def of(cls, page: Page[Any], results: Sequence[Listed], **more: Any) -> Self:
        """A page that `asked_page` gave, with its rows as they are sent, and `more` fields."""
        return cls(results=results, next=page.next, previous=page.previous, **more)


def asked_page(request: Request, rows: QuerySet[Any, Row], ordering: Sequence[str]) -> Page[Row]:
    """The page of `rows` that `?cursor=` and `?limit=` ask for, with its neighbours' addresses. Raises `Problem` 400.

    `ordering` names fields, all ascending or all with a minus, the last of them unique.
    """
    limit = number(request, "limit", PAGE_SIZE, MAX_PAGE_SIZE, least=1)
    page = page_of(rows, ordering, request.GET.get("cursor"), limit)
    return replace(page, next=_link(request, page.next), previous=_link(request, page.previous))


def page_of(rows: QuerySet[Any, Row], ordering: Sequence[str], cursor: str | None, limit: int) -> Page[Row]:
    """At most `limit` rows after, or before, a cursor. Raises `Problem` 400 for a bad cursor.

    Rows are of a model, or named tuples that have the fields of the ordering.
    """
    direction: Direction = "after"
    if cursor:
        direction, values = _read(cursor, rows.model, ordering)
        rows = rows.filter(_beyond(ordering, values, direction))
    backwards = direction == "before"
    turned = [name.removeprefix("-") if name.startswith("-") else f"-{name}" for name in ordering]
    found = list(rows.order_by(*(turned if backwards else ordering))[: limit + 1])
    more = len(found) > limit
    found = found[:limit]
    if backwards:
        found.reverse()
    fields = _fields(rows.model, ordering)
    has_next, has_previous = (True, more) if backwards else (more, cursor is not None and bool(cursor))
    return Page(
        found,
        next=_cursor("after", found[-1], fields) if found and has_next else None,
        previous=_cursor("before", found[0], fields) if found and has_previous else None,
    )


def _beyond(ordering: Sequence[str], values: Sequence[Any], direction: Direction) -> Q:
    """The rows that come after (or before) a row: a > x, or a = x and b > y, and so on."""
    descending = ordering[0].startswith("-")
    lookup = "lt" if descending != (direction == "before") else "gt"
    found, equal = Q(), Q()
    for name, value in zip(_names(ordering), values, strict=True):
        found |= equal & Q(**{f"{name}__{lookup}": value})
        equal &= Q(**{name: value})
    return found


def _names(ordering: Sequence[str]) -> list[str]:
    return [name.removeprefix("-") for name in ordering]


def _fields(model: type[Model], ordering: Sequence[str]) -> "list[Field[Any, Any]]":
    fields = {field.name: field for field in model._meta.concrete_fields}
    return [fields[name] for name in _names(ordering)]


def _cursor(direction: Direction, row: Any, fields: "Sequence[Field[Any, Any]]") -> str:
    values = [field.value_to_string(row) for field in fields]
    return base64.urlsafe_b64encode(json.dumps([direction, *values]).encode()).decode().rstrip("=")


def _read(cursor: str, model: type[Model], ordering: Sequence[str]) -> tuple[Direction, list[Any]]:
    fields = _fields(model, ordering)
    try:
        direction, *texts = parse_json(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if direction not in ("after", "before") or len(texts) != len(fields):
            raise ValueError
        return direction, [field.to_python(str(text)) for field, text in zip(fields, texts, strict=True)]
    except (BadJSON, ValueError, TypeError, ValidationError) as error:
        raise Problem(400, "bad_cursor", _("The cursor is not one of this list. Start again without it.")) from error


def _link(request: HttpRequest | Request, cursor: str | None) -> str | None:
    if cursor is None:
        return None
    here = remove_query_param(request.build_absolute_uri(), "cursor")
    return replace_query_param(here, "cursor", cursor)
