"""Requests that write: a few of one person at a time at this process. The others wait without thread or connection."""

import re
from collections import OrderedDict
from collections.abc import Callable

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponseBase
from django.urls import Resolver404, resolve
from django.utils import translation
from django.utils.translation import gettext as _

from chat.access import identity
from chat.access.identity import Headers
from chat.concurrency import turns
from chat.sockets.strangers import address_of
from graphs.site import refusal_events
from graphs.site.api.problems import Problem
from graphs.site.api.tokens import Claim
from graphs.site.database_away import AWAY
from graphs.site.error_pages import failed
from graphs.site.security_headers import UNCACHED, past_django

#: Browsers whose person is remembered.
MOST_KNOWN = 10_000
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
#: A question shall not wait for being looked up.
_CONVERSATIONS = "/api/v1/chat/"
#: The addresses that files of graphs, and tables of objects of a kind, are sent to.
_IMPORTS = re.compile("/api/v1/(graphs|objects/[^/]+)/import|/(objects/[^/]+/)?import/")

Answer = Callable[[HttpRequest], HttpResponseBase]


#: Whose the session of a browser is.
_people: OrderedDict[str, int] = OrderedDict()


async def in_thread(request: ASGIRequest, answer: Answer) -> HttpResponseBase:
    """What `answer` gives in a thread, when it is this request's turn."""
    person = await _writer(request)
    if person is None:
        return await sync_to_async(answer)(request)
    turn = await turns.of_process.take((person, "imports" if _IMPORTS.fullmatch(request.path) else "writes"))
    if turn is None:
        return _refusal(request, person)
    return await turns.in_turn(turn, _in_its_thread, lambda: answer(request))


async def _in_its_thread(act: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    return await sync_to_async(act)()


async def _writer(request: ASGIRequest) -> int | None:
    """Who wants to write; None for reading, for what is said in conversations, and for somebody unknown."""
    scope = request.scope
    if scope["method"] in _READING or scope["path"].startswith(_CONVERSATIONS):
        return None
    headers: Headers = scope["headers"]
    key = identity.proof_of(headers, scope["path"])
    if key is None or isinstance(key, Claim):
        return key.user_id if key else None
    if key not in _people:
        try:
            person = await identity.of_request(headers, scope["path"])
        except AWAY:  # Django says so.
            return None
        if person is None:
            return None
        _people[key] = person.user.pk
        if len(_people) > MOST_KNOWN:
            _people.popitem(last=False)
    _people.move_to_end(key)
    return _people[key]


def _refusal(request: ASGIRequest, person: int) -> HttpResponseBase:
    headers: Headers = request.scope["headers"]
    address = address_of((request.scope.get("client") or [""])[0], headers)
    try:
        door = f"{request.method} {resolve(request.path).route}"
    except Resolver404:
        door = ""
    refusal_events.tell(person, address, door, "throttled", 429)
    with translation.override(identity.language_of(headers)):
        sentence = _("You have too much in progress here. Try again when some of it is done.")
        refusal = failed(request, Problem(429, "throttled", sentence, headers={"Retry-After": "5"}))
    protecting = past_django(identity.came_by_https(headers)) | {"Cache-Control": UNCACHED}
    protecting["Content-Security-Policy"] += "; style-src 'self'"
    for name, value in protecting.items():
        refusal.headers[name] = value
    return refusal
