"""The replay of a session: its page, and the events that the page's script plays."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from chat.models import Session
from chat.queries.replays import frames_after


def page(request: HttpRequest, session: Session, site: Mapping[str, Any]) -> HttpResponse:
    """The player, at the event `?at=` or before the first; `site` is what every page of the admin needs."""
    at = request.GET.get("at", "")
    context = {
        **site,
        "title": _("Replay"),
        "subtitle": str(session),
        "opts": Session._meta,
        "session": session,
        "at": at if at.isdecimal() else "0",
    }
    return render(request, "admin/chat/session/replay.html", context)


def events(request: HttpRequest, session: Session, _site: Mapping[str, Any]) -> HttpResponse:
    """The events after the number `?after=`."""
    return HttpResponse(frames_after(session, request.GET.get("after", "0")), content_type="application/json")
