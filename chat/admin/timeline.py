"""The event timeline of a session: everything that happened, in order, from any number on."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, get_args
from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.admin import figures, log_page
from chat.admin.log_page import LogPage
from chat.events.vocabulary import MERGEABLE, EventType, StoredEvent
from chat.models import Message, Run, Session, Stream, StreamEvent
from chat.queries.replays import only_answer
from graphs.admin.display import pretty

#: Runs that the filter offers; older ones are reached from the session's page.
NEWEST_RUNS = 100
SUMMARY_CHARS = 300


class TimelineForm(forms.Form):
    """What to show: from which number on, and of which type or run only."""

    at = forms.IntegerField(label=gettext_lazy("from event number"), required=False, min_value=1)
    type = forms.ChoiceField(
        label=gettext_lazy("type"),
        required=False,
        choices=[("", gettext_lazy("all types")), *((name, name) for name in get_args(EventType))],
    )
    run = forms.UUIDField(label=gettext_lazy("run"), required=False)

    def __init__(self, session: Session, last: int, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self._session = session
        self._last = last
        runs = session.runs.order_by("-created_at", "-id")[:NEWEST_RUNS]
        choices = [
            ("", _("all runs")),
            *((str(run.pk), f"{figures.moment(run.created_at)} · {run.get_status_display()}") for run in runs),
        ]
        if (chosen := str(data.get("run", ""))) not in dict(choices):
            choices.append((chosen, chosen[:8]))
        self.fields["run"].widget = forms.Select(choices=choices)

    def clean_at(self) -> int | None:
        at: int | None = self.cleaned_data["at"]
        if at is not None and at > self._last:
            raise forms.ValidationError(
                _("The log ends with event %(last)s. Choose a number up to it.") % {"last": figures.number(self._last)}
            )
        return at

    def clean_run(self) -> Run | None:
        run_id: uuid.UUID | None = self.cleaned_data["run"]
        if run_id is None:
            return None
        run = self._session.runs.select_related("message").filter(pk=run_id).first()
        if run is None:
            raise forms.ValidationError(_("This session has no such run. Choose one from the list."))
        return run


@dataclass(frozen=True, slots=True)
class Row:
    """An event as a line of the page; `text` is its readable part, `details` all of its data where that says more."""

    event: StoredEvent
    since: str
    text: str
    details: str

    @property
    def is_delta(self) -> bool:
        return self.event.type in MERGEABLE


def page(request: HttpRequest, session: Session, site: Mapping[str, Any]) -> HttpResponse:
    """The timeline of a session the person may see; `site` is what every page of the admin needs."""
    last = Stream.objects.values_list("last_sequence", flat=True).get(pk=session.stream_id)
    form = TimelineForm(session, last, request.GET)
    usable = form.is_valid()
    run: Run | None = form.cleaned_data.get("run")
    type_: str | None = form.cleaned_data.get("type") or None
    start = form.cleaned_data.get("at") or (_beginning(session, run) if run else 1)
    end = (run.last_sequence if run else None) or last
    found = LogPage((), None)
    if usable:
        found = log_page.read(session.stream_id, end, start, type_, run.pk if run else None, only_answer(session))
    context = {
        **site,
        "title": _("Events"),
        "subtitle": str(session),
        "opts": Session._meta,
        "session": session,
        "form": form,
        "rows": [_row(*each) for each in found.events],
        "start": start,
        "last": last,
        "searched_to": (found.next or end + 1) - 1,
        "links": _links(found, start, last, type_, run) if usable else {},
        "filtered": bool(type_ or run),
    }
    return render(request, "admin/chat/session/events.html", context, status=200 if usable else 400)


def _beginning(session: Session, run: Run) -> int:
    """The number of a run's first event: the message that asked for it, else that it was queued."""
    asked = Message.objects.filter(session=session, sequence=run.message.sequence - 1, role=Message.Role.USER)
    events = StreamEvent.objects.filter(stream=session.stream_id, run_id=run.pk, message_id__in=asked.values("pk"))
    first = events.order_by("sequence").values_list("sequence", flat=True).first()
    return first or max(1, (run.first_sequence or 2) - 1)


def _links(found: LogPage, start: int, last: int, type_: str | None, run: Run | None) -> dict[str, str]:
    """The page's links as query strings; backwards only without filters, where numbers tell the place."""
    filters = {name: str(value) for name, value in (("type", type_), ("run", run and run.pk)) if value}
    links: dict[str, str] = {}
    if start > 1:
        links["first"] = _query(filters)
    if start > 1 and not filters:
        links["previous"] = _query({"at": max(1, start - log_page.PAGE)})
    if found.next:
        links["next"] = _query({**filters, "at": found.next})
        if not filters:
            links["last"] = _query({"at": max(1, last - log_page.PAGE + 1)})
    return links


def _query(parameters: Mapping[str, Any]) -> str:
    return f"?{urlencode(parameters)}"


def _row(event: StoredEvent, after: timedelta | None) -> Row:
    since = "" if after is None else f"+{figures.duration(after)}"
    if event.type in MERGEABLE and set(event.data) == {"delta"}:
        return Row(event, since, event.data["delta"], "")
    return Row(event, since, _summary(event.type, event.data), pretty(event.data) if event.data else "")


def _summary(type_: str, data: Mapping[str, Any]) -> str:
    """The part of an event's data that a reader looks for first."""
    match type_:
        case "user_message":
            text = data.get("content", "")
        case "status":
            text = data.get("state", "")
        case "tool_call_start":
            text = f"{data.get('name', '')} {json.dumps(data.get('args', {}), ensure_ascii=False)}"
        case "tool_call_delta":
            text = data["delta"] if "delta" in data else json.dumps(data.get("args"), ensure_ascii=False)
        case "tool_call_result":
            text = json.dumps(data.get("result"), ensure_ascii=False)
        case "usage":
            text = _("%(prompt)s + %(completion)s tokens, %(cost)s") % {
                "prompt": figures.number(data.get("promptTokens", 0)),
                "completion": figures.number(data.get("completionTokens", 0)),
                "cost": figures.money(data.get("cost")),
            }
        case "error":
            text = f"{data.get('code', '')}: {data.get('message', '')}"
        case "done":
            text = data.get("reason", "")
        case _:
            plain = [f"{name}: {value}" for name, value in data.items() if isinstance(value, str | int | float)]
            text = ", ".join(plain)
    return text if len(text) <= SUMMARY_CHARS else f"{text[:SUMMARY_CHARS]}…"
