"""The inbox: what waits for a decision in the workspace, the oldest first. Its script reads the list from the page."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from chat import queries
from chat.models import Proposal, ProposalStatus
from chat.proposals.proposal_json import proposals_json
from graphs.objects.refs import Ref
from graphs.site.access import Member
from graphs.site.api.paging import page_of
from graphs.site.api.problems import Problem
from graphs.site.pages import member_page, render_page

PROPOSALS_PER_PAGE = 50
#: More choices than these are not offered in a filter.
MOST_CHOICES = 200


def waiting(member: Member, about: Ref | None = None) -> QuerySet[Proposal]:
    """What can still be decided, about one object if it is named."""
    return queries.proposals_of(member, status=ProposalStatus.PENDING, about=about)


def count_text(member: Member) -> str:
    """How many wait, for the link on every page; "" for none."""
    count, more = queries.waiting_count(member)
    return f"{count}+" if more else str(count or "")


@require_safe
@member_page
def inbox(request: HttpRequest, member: Member) -> HttpResponse:
    key, person = _asked(request, "object").removeprefix("graph:"), _asked(request, "person")
    shown = waiting(member, Ref("graph", key) if key else None).select_related("session__owner")
    if person:
        shown = shown.filter(session__owner__username=person)
    try:
        page = page_of(shown, ("created_at", "id"), request.GET.get("cursor"), PROPOSALS_PER_PAGE)
    except Problem:
        return redirect("inbox")
    context = {
        "waiting": _lines(page.rows),
        "page": page,
        "objects": _choices(member, "object_key"),
        "people": _choices(member, "session__owner__username"),
        "object": key,
        "person": person,
    }
    return render_page(request, member, "chat/inbox.html", context)


def _asked(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "").replace("\x00", "")


def _lines(proposals: Sequence[Proposal]) -> list[dict[str, Any]]:
    """Proposals as the API gives them, and whose conversation each comes from."""
    told = zip(proposals_json(proposals), proposals, strict=True)
    return [{**as_json, "owner": proposal.session.owner.get_username()} for as_json, proposal in told]


def _choices(member: Member, name: str) -> list[str]:
    """What of this there is among all that wait."""
    return list(waiting(member).order_by(name).values_list(name, flat=True).distinct()[:MOST_CHOICES])
