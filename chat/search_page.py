"""The page that searches conversations, or changes, as `GET search` does."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from chat.api.search import CHANGES_ORDER, LONGEST, MESSAGES_ORDER, PARTS, asked_of
from chat.queries import search
from chat.queries.conversations import sessions_of
from chat.queries.links import shown_as
from chat.searching.messages import Asked, words_in
from graphs.objects.refs import Ref
from graphs.site import search_time
from graphs.site.access import Member, NotFound
from graphs.site.api.paging import Page, page_of
from graphs.site.api.problems import Problem, too_much_to_search
from graphs.site.pages import member_page, render_page
from graphs.site.search_time import TooMuchToSearch

PER_PAGE = 25
#: Conversations whose objects are offered.
MOST_SESSIONS = 100
FIELDS = ("q", "object", "person", "from", "to")
LABELS = dict(zip(PARTS, (_("Conversations"), _("Changes")), strict=True))


@require_safe
@member_page
def search_page(request: HttpRequest, member: Member) -> HttpResponse:
    given = {name: request.GET.get(name, "").replace("\x00", "") for name in FIELDS}
    part = request.GET.get("in", "")
    part = part if part in PARTS else PARTS[0]
    page: Page[Any] = Page([], None, None)
    found, complete, refused = [], True, ""
    if given["q"].strip():
        try:
            asked = asked_of(given)
            with search_time.bounded():
                page, complete = _page(member, asked, part, request.GET.get("cursor"))
                found = _shown(member, page.rows, asked.words, part)
        except Problem as problem:
            refused = problem.detail
        except TooMuchToSearch:
            refused = too_much_to_search().detail
        except NotFound:  # no such object: nothing is about it
            page = Page([], None, None)
    context = {
        **given,
        "objects": _objects(member, given["object"]),
        "longest": LONGEST,
        "part": part,
        "parts": LABELS.items(),
        "found": found,
        "page": page,
        "complete": complete,
        "refused": refused,
    }
    return render_page(request, member, "chat/search.html", context)


#: Without words it is a form.
vars(search_page)["large_answer"] = "q"


def _objects(member: Member, chosen: str) -> list[tuple[str, str]]:
    """The objects that the member talked about last, and the one that is chosen, each with its title."""
    latest = sessions_of(member).exclude(context_type="").order_by("-updated_at")[:MOST_SESSIONS]
    refs = {about for session in latest if (about := session.context)}
    with suppress(ValueError):
        refs.add(Ref.parse(chosen))
    titles = {str(ref): link.title for ref, link in shown_as(member, refs).items()}
    return sorted(titles.items(), key=lambda each: each[1].lower())


def _page(member: Member, asked: Asked, part: str, cursor: str | None) -> tuple[Page[Any], bool]:
    if part == "changes":
        changes, complete = search.changes_with(member, asked)
        return page_of(changes, CHANGES_ORDER, cursor, PER_PAGE), complete
    messages, complete = search.messages_with(member, asked)
    return page_of(messages, MESSAGES_ORDER, cursor, PER_PAGE), complete


def _shown(member: Member, rows: Sequence[Any], words: str, part: str) -> list[dict[str, Any]]:
    """What was found as the door gives it, with the pieces of the snippet, those that were looked for marked."""
    show: Any = search.shown_changes if part == "changes" else search.shown_messages
    shown = zip(show(member, rows, words), rows, strict=True)
    return [{"told": told, "row": row, "pieces": _pieces(told.snippet, words)} for told, row in shown]


def _pieces(snippet: str, words: str) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is a word that was looked for."""
    looked_for = set(words_in(words))
    return [(piece, piece.lower() in looked_for) for piece in re.split(r"(\w+)", snippet) if piece]
