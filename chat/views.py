"""The inbox: what waits for a decision in the workspace, and the queue: what runs or waits there; the oldest first.

Their scripts read the lists from the pages.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from chat.models import Proposal, ProposalStatus
from chat.proposals.proposal_json import proposals_json
from chat.queries.links import Link, shown_as
from chat.queries.proposals import proposals_of, waiting_count
from chat.queue.entry_json import entries_json
from chat.queue.listing import page_of_queue
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.site.api.paging import PAGE_SIZE, page_of
from graphs.site.api.problems import Problem
from graphs.site.pages import member_page, render_page

PROPOSALS_PER_PAGE = 50
#: More choices than these are not offered in a filter.
MOST_CHOICES = 200


def waiting(member: Member, about: Ref | None = None) -> QuerySet[Proposal]:
    """What can still be decided, about one object if it is named."""
    return proposals_of(member, status=ProposalStatus.PENDING, about=about)


def count_text(member: Member) -> str:
    """How many wait, for the link on every page; "" for none."""
    count, more = waiting_count(member)
    return f"{count}+" if more else str(count or "")


@require_safe
@member_page
def inbox(request: HttpRequest, member: Member) -> HttpResponse:
    about, person = _asked(request, "object"), _asked(request, "person")
    try:
        shown = waiting(member, Ref.parse(about) if about else None).select_related("session__owner")
        if person:
            shown = shown.filter(session__owner__username=person)
        page = page_of(shown, ("created_at", "id"), request.GET.get("cursor"), PROPOSALS_PER_PAGE)
    except (Problem, ValueError):
        return redirect("inbox")
    objects = [Ref(*name) for name in _choices(member, "object_type", "object_key")]
    links = shown_as(member, {*objects, *(proposal.ref for proposal in page.rows)})
    context = {
        "waiting": _lines(member, page.rows, links),
        "page": page,
        "objects": [(str(ref), links[ref].title if ref in links else ref.key) for ref in objects],
        "people": [name for (name,) in _choices(member, "session__owner__username")],
        "object": about,
        "person": person,
    }
    return render_page(request, member, "chat/inbox.html", context)


@require_safe
@member_page
def queue(request: HttpRequest, member: Member) -> HttpResponse:
    """What runs or waits; the script goes on from the list that the page brings."""
    try:
        page = page_of_queue(member, request.GET.get("cursor"), PAGE_SIZE)
    except Problem:
        return redirect("queue")
    shown = [entry.to_json() for entry in entries_json(member, page.entries)]
    context = {"page": page, "entries": {"results": shown, "next": page.next}}
    return render_page(request, member, "chat/queue.html", context)


def _asked(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "").replace("\x00", "")


def _lines(member: Member, proposals: Sequence[Proposal], links: Mapping[Ref, Link]) -> list[dict[str, Any]]:
    """Proposals as the API gives them, whose conversation each comes from, and the page where it can be looked at."""
    shown = zip(proposals_json(proposals), proposals, strict=True)
    return [
        {**as_shown.to_json(), "owner": proposal.session.owner.get_username()}
        | _page_of(member, proposal, links.get(proposal.ref))
        for as_shown, proposal in shown
    ]


def _page_of(member: Member, proposal: Proposal, link: Link | None) -> dict[str, str]:
    """The title of its object, and the address that leads to the proposal; "" if there is none."""
    if link is None:
        return {"objectTitle": proposal.ref.key, "address": ""}
    query = urlencode({"proposal": proposal.pk, "workspace": member.workspace.slug})
    address = f"{link.url}{'&' if '?' in link.url else '?'}{query}" if link.url else ""
    return {"objectTitle": link.title, "address": address}


def _choices(member: Member, *names: str) -> list[tuple[Any, ...]]:
    """The different values of these fields among all proposals that wait."""
    return list(waiting(member).order_by(*names).values_list(*names).distinct()[:MOST_CHOICES])
