"""The replay of a session: its page, and the events that the page's script plays."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from chat.events import log_pages
from chat.events.vocabulary import frame
from chat.models import Session, Stream

#: Events and bytes of one answer.
PAGE_EVENTS = 1_000
PAGE_BYTES = 1_048_576


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
    """`{frames, last}`: the events after the number `?after=` as a socket would get them, each with type and time."""
    number = request.GET.get("after", "0")
    if not number.isdecimal() or len(number) > 18:
        raise BadRequest("no number of an event")
    name, last = Stream.objects.values_list("name", "last_sequence").get(pk=session.stream_id)
    found = log_pages.after({session.stream_id: int(number)}, PAGE_EVENTS, PAGE_BYTES)
    frames = ",".join(
        f'{frame(each, name, str(session.pk))[:-1]},"event":"{each.type}","createdAt":"{each.created_at.isoformat()}"}}'
        for each in found
    )
    return HttpResponse(f'{{"frames":[{frames}],"last":{last}}}', content_type="application/json")
