"""Emits who was refused what: events of docs/observing.md. A few of each person or address are told in a minute.

Doors are told as the addresses of the site have them, never as somebody wrote them.
"""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase

from graphs.site.api.local_limits import LocalLimits
from graphs.site.client_address import client_address
from graphs.site.telemetry.events import emit

#: So many are told in a minute by one process, and of one person, or of an address of somebody unknown.
MOST = 100
MOST_OF_ONE = 10
_PERIOD_S = 60
#: What was not allowed, is not there, was too much or could not be read.
STATUSES = frozenset({400, 401, 403, 404, 413, 415, 422, 429})
#: Doors to sign in by, which `sign_in_events` tells of.
_SIGN_IN = ("accounts/login/", "admin/login/", "api/v1/auth/")
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})

_told = LocalLimits()


def tell(user_id: int | None, address: str, door: str, code: str, status: int | None = None) -> None:
    """Emits one refusal, unless enough were told."""
    who = f"user {user_id}" if user_id is not None else address
    if not _told.take(who, MOST_OF_ONE, _PERIOD_S) and not _told.take("all", MOST, _PERIOD_S):
        emit("refused", user=user_id, address=address, door=door, status=status, code=code or None)


class RefusalEventsMiddleware:
    """Tells of answers with one of `STATUSES`; asks the database nothing."""

    sync_capable = True
    async_capable = False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if response.status_code in STATUSES:
            _tell_of(request, response)
        return response


def _tell_of(request: HttpRequest, response: HttpResponseBase) -> None:
    route = request.resolver_match.route if request.resolver_match else ""
    if route.startswith(_SIGN_IN):
        return
    method = request.method if request.method in _METHODS else "?"
    document = getattr(response, "data", None)
    code = str(document.get("code", "")) if isinstance(document, dict) else ""
    tell(_known(request), client_address(request.META), f"{method} {route}".strip(), code, response.status_code)


def _known(request: HttpRequest) -> int | None:
    """The id of the person, if a view has found out who it is."""
    for found in (request.__dict__.get("user"), getattr(request, "_cached_user", None)):
        if type(found) is User:  # Not `isinstance`, which has Django look for the person.
            return found.pk
    return None
