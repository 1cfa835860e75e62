"""What the model saw for an answer: every call with the request as it was sent, entry by entry, and what it took."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import Any

from django.conf import settings
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from chat.admin import figures, outcomes
from chat.admin.request_entries import LABELS, EntryPart, parts_of
from chat.models import Message, ModelCall, Purpose, SentRequest, Session
from chat.providers.model_request import ToolSpec
from chat.sent_requests import kept_requests
from graphs.admin.display import pretty
from rag.texts.tokens import count_tokens

ENTRIES_PER_PAGE = 50
#: Longer texts are cut on the page; the copy is whole.
MAX_TEXT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call and what its attempts took together; `outcomes` are those of the attempts, each with its words."""

    request: SentRequest
    purpose: str
    outcomes: tuple[tuple[str, str], ...]
    prompt_tokens: str
    cached_tokens: str
    completion_tokens: str
    cost: str
    latency: str


@dataclass(frozen=True, slots=True)
class ShownEntryPart:
    holds: str
    label: str
    text: str
    tokens: str
    cut: bool


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An entry as the model got it: `new` since the call before, `cached` by the vendor, up to a `breakpoint`."""

    number: int
    section: str | Promise
    parts: tuple[ShownEntryPart, ...]
    new: bool
    cached: bool
    breakpoint: bool


@dataclass(frozen=True, slots=True)
class ShownTool:
    name: str
    description: str
    schema: str


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """One call as it was sent, a page of its entries."""

    call: ShownCall
    parameters: str
    tools: tuple[ShownTool, ...]
    tools_size: str
    page: Page
    entries: tuple[ShownEntry, ...]
    reply: tuple[ShownEntryPart, ...]
    first_new: int
    new_on_page: int


def page(request: HttpRequest, session: Session, site: Mapping[str, Any]) -> HttpResponse:
    """The answer `?message=`, or the newest of the session; of its calls the one numbered `?call=`, or the last."""
    answer = _answer(session, request.GET.get("message", ""))
    requests = _requests(answer)
    chosen = _chosen(requests, request.GET.get("call", "")) if requests else None
    calls = [_shown_call(each) for each in requests]
    context = {
        **site,
        "title": _("What the model saw"),
        "subtitle": str(session),
        "opts": Session._meta,
        "session": session,
        "answer": answer,
        "question": _question(session, answer),
        "calls": calls,
        "shown": _shown(session, answer, requests, chosen, request.GET.get("page", "")) if answer and chosen else None,
        "days": settings.AI_KEEP_REQUESTS_DAYS,
    }
    return render(request, "admin/chat/session/seen.html", context)


def as_json(request: HttpRequest, session: Session, _site: Mapping[str, Any]) -> HttpResponse:
    """The body of one call as it was sent, to be copied or saved."""
    requests = _requests(_answer(session, request.GET.get("message", "")))
    if not requests:
        raise Http404
    chosen = _chosen(requests, request.GET.get("call", ""))
    body = kept_requests.body_of(session.pk, chosen)
    answer = HttpResponse(json.dumps(body, ensure_ascii=True, indent=2), content_type="application/json")
    answer["Content-Disposition"] = f'inline; filename="request-{chosen.run_id}-{chosen.number}.json"'
    return answer


def _answer(session: Session, message_id: str) -> Message | None:
    """The answer with this id, or the newest. Raises `Http404` for what is no answer of this session."""
    answers = session.messages.filter(role=Message.Role.ASSISTANT).select_related("run")
    if not message_id:
        return answers.filter(run__isnull=False).order_by("-sequence").first()
    try:
        return answers.get(pk=uuid.UUID(message_id))
    except (ValueError, Message.DoesNotExist):
        raise Http404 from None


def _question(session: Session, answer: Message | None) -> str:
    if answer is None:
        return ""
    asked = session.messages.filter(role=Message.Role.USER, kind=Message.TEXT, sequence__lt=answer.sequence)
    return asked.order_by("-sequence").values_list("content", flat=True).first() or ""


def _requests(answer: Message | None) -> list[SentRequest]:
    if answer is None or not hasattr(answer, "run"):
        return []
    return list(SentRequest.objects.filter(run=answer.run).prefetch_related("model_calls").order_by("number"))


def _chosen(requests: Sequence[SentRequest], number: str) -> SentRequest:
    """The request with this number, or the last. Raises `Http404` for one that is not among them."""
    if not number:
        return requests[-1]
    found = next((each for each in requests if str(each.number) == number), None)
    if found is None:
        raise Http404
    return found


def _shown_call(request: SentRequest) -> ShownCall:
    attempts: list[ModelCall] = sorted(request.model_calls.all(), key=lambda call: call.pk)
    known = [call.cost for call in attempts if call.cost is not None]
    return ShownCall(
        request=request,
        purpose=next((call.get_purpose_display() for call in attempts if call.purpose != Purpose.CHAT), ""),
        outcomes=tuple((call.outcome, outcomes.shown(call.outcome)) for call in attempts),
        prompt_tokens=_sum(call.prompt_tokens for call in attempts),
        cached_tokens=_sum(call.cached_tokens for call in attempts),
        completion_tokens=_sum(call.completion_tokens for call in attempts),
        cost=figures.money(sum(known) if known else None),
        latency=figures.duration(timedelta(milliseconds=sum(call.latency_ms for call in attempts))),
    )


def _sum(counts: Any) -> str:
    return figures.number(sum(counts))


def _shown(
    session: Session, answer: Message, requests: Sequence[SentRequest], chosen: SentRequest, page_number: str
) -> ShownRequest:
    chain = kept_requests.chain_of(session.pk, chosen)
    tools = kept_requests.tools_of(session.pk, chosen)
    specs = _specs(tools)
    before = requests[requests.index(chosen) - 1] if chosen is not requests[0] else None
    shared = chain.shared_with(kept_requests.chain_of(session.pk, before)) if before else 0
    found = Paginator(range(len(chain.ids)), ENTRIES_PER_PAGE)
    current = found.get_page(page_number)
    return ShownRequest(
        call=_shown_call(chosen),
        parameters=pretty(chosen.parameters),
        tools=tuple(ShownTool(spec.name, spec.description, pretty(spec.parameters)) for spec in specs),
        tools_size=figures.number(sum(count_tokens(spec.text) for spec in specs)),
        page=current,
        entries=tuple(_entries(chosen, chain, list(current), shared, len(tools or ""))),
        reply=tuple(_part(part) for part in _reply(answer, chosen)),
        first_new=shared + 1,
        new_on_page=1 + shared // ENTRIES_PER_PAGE if shared < len(chain.ids) else 0,
    )


def _reply(answer: Message, request: SentRequest) -> Iterator[EntryPart]:
    """The round that the reply to this call became; nothing if it became none, or was beside the answer."""
    beside = any(call.purpose != Purpose.CHAT for call in request.model_calls.all())
    if beside or request.round >= len(answer.rounds):
        return
    round_ = answer.rounds[request.round]
    if round_.reasoning:
        yield EntryPart("reasoning", round_.reasoning)
    if round_.text:
        yield EntryPart("text", round_.text)
    for call in round_.calls:
        yield EntryPart("call", pretty(call.args) if call.args else call.arguments, call.name)
        yield EntryPart("result", pretty(call.result), call.name)


def _entries(
    request: SentRequest, chain: kept_requests.Chain, numbers: Sequence[int], shared: int, tools_chars: int
) -> list[ShownEntry]:
    contents = kept_requests.contents([chain.ids[number] for number in numbers])
    parts = {number: parts_of(contents[chain.ids[number]]) for number in numbers}
    names = {part.call_id: part.name for found in parts.values() for part in found if part.holds == "call"}
    # The vendor says what it had kept; the last attempt that counted tells.
    counted = [call for call in request.model_calls.all() if call.prompt_tokens]
    cached_share = counted[-1].cached_tokens / counted[-1].prompt_tokens if counted else 0
    cached_chars = cached_share * (tools_chars + sum(chain.sizes))
    question = _place_of_question(chain)
    ends = list(accumulate(chain.sizes, initial=tools_chars))[1:]
    marked = {entry for entry, *_rest in request.marks}
    sections = {number: _section(number, parts[number], question) for number in numbers}
    return [
        ShownEntry(
            number=number + 1,
            section="" if number and sections.get(number - 1) == sections[number] else sections[number],
            parts=tuple(_part(part, names.get(part.call_id, part.call_id)) for part in parts[number]),
            new=number >= shared,
            cached=ends[number] <= cached_chars,
            breakpoint=number in marked,
        )
        for number in numbers
    ]


def _place_of_question(chain: kept_requests.Chain) -> int:
    """The place of a person's last words, looked for from the end; -1 for nowhere."""
    for stop in range(len(chain.ids), 0, -ENTRIES_PER_PAGE):
        some = range(max(0, stop - ENTRIES_PER_PAGE), stop)
        contents = kept_requests.contents([chain.ids[number] for number in some])
        for number in reversed(some):
            if any(part.holds == "words" for part in parts_of(contents[chain.ids[number]])):
                return number
    return -1


def _section(number: int, parts: Sequence[EntryPart], question: int) -> Promise:
    if parts and all(part.holds == "system" for part in parts) and number < max(question, 1):
        return gettext_lazy("Rules")
    if number == question:
        return gettext_lazy("The question")
    return gettext_lazy("Earlier in the conversation") if number < question else gettext_lazy("Since the question")


def _part(part: EntryPart, called: str = "") -> ShownEntryPart:
    """A part as it is shown; `called` is the tool that a result is of."""
    name, label = part.name or called, str(LABELS[part.holds])
    cut = len(part.text) > MAX_TEXT_CHARS
    text = part.text[:MAX_TEXT_CHARS]
    heading = _("%(label)s: %(name)s") % {"label": label, "name": name} if name else label
    return ShownEntryPart(part.holds, heading, text, figures.number(count_tokens(part.text)), cut)


def _specs(tools: str | None) -> tuple[ToolSpec, ...]:
    """The tools that were offered, whatever wire they were written for."""
    found = (tool.get("function", tool) for tool in (json.loads(tools) if tools else ()))
    return tuple(
        ToolSpec(each["name"], each.get("description", ""), each.get("parameters") or each.get("input_schema") or {})
        for each in found
    )
