"""The page behind a link to a conversation: whoever has the link reads what was said, and nothing else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from chat.api import markdown
from chat.models import Call, Message, Round, SharedLink
from chat.queries.conversations import said_in
from chat.queries.links import MENTION, Link
from chat.rights.links import linked
from chat.subjects import tools
from graphs.objects.kinds import KINDS
from graphs.objects.refs import Ref
from graphs.site.access import NotFound
from graphs.site.api.paging import page_of
from graphs.site.api.problems import Problem
from graphs.site.readable_json import beginning

MESSAGES_PER_PAGE = 20
#: Characters of what one tool was asked, or gave.
CALL_CHARS = 4_000
#: The address is the key: no other site, no cache and no search engine is told it.
HEADERS = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}
_ROW = re.compile(r"\d+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}")


@dataclass(frozen=True, slots=True)
class ShownCall:
    """`result` is None where links do not show it."""

    name: str
    arguments: str
    result: str | None


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A question, or an answer with what the link shows beside it. Nobody is named."""

    message: Message
    html: SafeString | None
    reasoning: str
    calls: Sequence[ShownCall]
    unfinished: bool


@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """The conversation, or the same answer as for what never was."""
    try:
        link, session = linked(token)
        page = page_of(said_in(session), ("sequence",), request.GET.get("cursor"), MESSAGES_PER_PAGE)
    except (NotFound, Problem) as error:
        raise Http404 from error
    context = {
        "conversation": session,
        "link": link,
        "page": page,
        "shown": [_shown(message, link) for message in page.rows],
    }
    answer = render(request, "chat/shared.html", context)
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def _shown(message: Message, link: SharedLink) -> ShownMessage:
    is_answer = message.role == Message.Role.ASSISTANT
    unfinished = is_answer and message.status in Message.UNFINISHED
    rounds: list[Round] = [] if unfinished else message.rounds
    return ShownMessage(
        message=message,
        html=_rendered(message.content) if is_answer and not unfinished else None,
        reasoning=message.reasoning if link.reasoning and not unfinished else "",
        calls=_calls(rounds) if link.tool_results else [],
        unfinished=unfinished,
    )


def _rendered(text: str) -> SafeString:
    """What objects are called now is not for these readers."""
    names = {ref: Link(_name_of(ref), "") for ref in (Ref(*found) for found in MENTION.findall(text))}
    return mark_safe(markdown.render(text, names))  # noqa: S308 - `render` sanitises


def _name_of(ref: Ref) -> str:
    """The key of an object, as it is written; where that is only a number of a row, the word for its kind."""
    return str(KINDS[ref.type].label) if ref.type in KINDS and _ROW.fullmatch(ref.key) else ref.key


def _calls(rounds: Iterable[Round]) -> list[ShownCall]:
    hidden = {name for name, tool in tools.by_name().items() if not tool.shown_by_links}
    return [_call(each, hidden=each.name in hidden) for round_ in rounds for each in round_.calls]


def _call(call: Call, *, hidden: bool) -> ShownCall:
    result = None if hidden else beginning(call.result, CALL_CHARS)
    return ShownCall(call.name, beginning(call.args, CALL_CHARS), result)
