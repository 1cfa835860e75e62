"""The replay of a conversation for its owner: its page, and the events that the page's script plays."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from chat.models import Session
from chat.queries.conversations import session_and_member
from chat.queries.replays import frames_after
from chat.rights.conversations import keeps
from graphs.site.access import Forbidden, Member
from graphs.site.pages import member_page, render_page


@require_safe
@member_page
def page(request: HttpRequest, member: Member, session_id: str) -> HttpResponse:
    session, there = _own(member, session_id)
    return render_page(request, there, "chat/replay.html", {"conversation": session})


@require_safe
@member_page
def events(request: HttpRequest, member: Member, session_id: str) -> HttpResponse:
    """The events after the number `?after=`."""
    session, _there = _own(member, session_id)
    return HttpResponse(frames_after(session, request.GET.get("after", "0")), content_type="application/json")


def _own(member: Member, session_id: str) -> tuple[Session, Member]:
    """The person's own conversation, in whichever of their workspaces. Raises `NotFound`, `Forbidden`."""
    session, there = session_and_member(member.user, session_id)
    if not keeps(member.user, session):
        raise Forbidden
    return session, there
