"""GET search: conversations and changes by their words."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from chat.queries import search
from chat.queries.search import FoundChangeShape, FoundMessageShape
from chat.searching.messages import Asked
from graphs.objects.refs import Ref
from graphs.site import search_time
from graphs.site.api.members import current_member
from graphs.site.api.paging import PAGE_PARAMETERS, Page, PageShape, asked_page
from graphs.site.api.parameters import no_object_name
from graphs.site.api.problems import invalid
from graphs.site.shapes import Shape

PARTS = ("conversations", "changes")
MESSAGES_ORDER, CHANGES_ORDER = ("-created_at", "-id"), ("-id",)
LONGEST = 200
#: A day as dates are written.
_DAY = len("2026-01-31")
PARAMETERS = [
    OpenApiParameter("q", str, required=True, description="Words that one message, or one change, has."),
    OpenApiParameter("in", str, description="“conversations”, “changes”, or both with a comma between, as without it."),
    OpenApiParameter("object", str, description="Only about this object, for example graph:nba."),
    OpenApiParameter("person", str, description="Only of who has this in their name."),
    OpenApiParameter("from", str, description="A day, or a moment such as 2026-01-31T12:00:00Z."),
    OpenApiParameter("to", str, description="The last day, or a moment."),
]


class FoundMessages(PageShape[FoundMessageShape]):
    """`complete`: all that may be read was looked through, and not only the latest."""

    complete: bool


class FoundChanges(PageShape[FoundChangeShape]):
    """`complete`: all changes were looked through, and not only the latest."""

    complete: bool


class FoundShape(Shape):
    conversations: FoundMessages | None = None
    changes: FoundChanges | None = None


class SearchView(APIView):
    large_answer = True

    @extend_schema(operation_id="search", parameters=[*PARAMETERS, *PAGE_PARAMETERS], responses={200: FoundShape})
    def get(self, request: Request) -> Response:
        """Messages of the conversations that you may read, and changes of the workspace, the latest first.

        `next` and `previous` lead on in one of the two.
        """
        member = current_member(request)
        asked, parts = asked_of(request.GET), _parts(request)
        found: dict[str, Any] = {}
        with search_time.bounded():
            if "conversations" in parts:
                rows, complete = search.messages_with(member, asked)
                page = _page(request, "conversations", rows, MESSAGES_ORDER)
                told = search.shown_messages(member, page.rows, asked.words)
                found["conversations"] = FoundMessages.of(page, told, complete=complete)
            if "changes" in parts:
                changes, complete = search.changes_with(member, asked)
                changed = _page(request, "changes", changes, CHANGES_ORDER)
                shown = search.shown_changes(member, changed.rows, asked.words)
                found["changes"] = FoundChanges.of(changed, shown, complete=complete)
        return Response(FoundShape(**found).to_json())


def asked_of(given: Mapping[str, str]) -> Asked:
    """What an address looks for. Raises `Problem` 400."""
    texts = {name: given.get(name, "").strip() for name in ("q", "object", "person")}
    for name, text in texts.items():
        if len(text) > LONGEST or not text.isprintable():
            raise invalid(name, _("This cannot be looked for."))
    if not any(letter.isalnum() for letter in texts["q"]):
        raise invalid("q", _("Write a word that is looked for."))
    try:
        about = Ref.parse(texts["object"]) if texts["object"] else None
    except ValueError:
        raise no_object_name("object") from None
    return Asked(texts["q"], about, texts["person"], _moment(given, "from"), _moment(given, "to"))


def _moment(given: Mapping[str, str], name: str) -> datetime | None:
    """The moment in a parameter; for “to” the end of a day. Raises `Problem` 400."""
    text = given.get(name, "").strip()
    if not text:
        return None
    try:
        found = parse_datetime(text.replace(" ", "+") if "T" in text else text)
        if found is not None and name == "to" and len(text) == _DAY:
            found += timedelta(days=1)
    except (ValueError, OverflowError):
        found = None
    if found is None:
        raise invalid(name, _("This is no moment such as 2026-01-31T12:00:00Z."))
    return timezone.make_aware(found) if timezone.is_naive(found) else found


def _parts(request: Request) -> list[str]:
    parts = request.GET.get("in", ",".join(PARTS)).split(",")
    if not set(parts) <= set(PARTS):
        raise invalid("in", _("“in” is one of: %(names)s.") % {"names": ", ".join(PARTS)})
    if "cursor" in request.GET and len(parts) != 1:
        raise invalid("cursor", _("A cursor leads on in one list: say which with “in”."))
    return parts


def _page(request: Request, part: str, rows: QuerySet[Any, Any], ordering: tuple[str, ...]) -> Page[Any]:
    """A page of one part, which leads on in that part."""
    page = asked_page(request, rows, ordering)
    return replace(page, next=_in(part, page.next), previous=_in(part, page.previous))


def _in(part: str, address: str | None) -> str | None:
    return replace_query_param(address, "in", part) if address else None
