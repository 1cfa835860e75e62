"""A browser stays in the list of sign-ins when its session gets another key, as it does with another password."""

from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from graphs.site import sign_ins


class MovedSessionsMiddleware(MiddlewareMixin):
    """Notes the new key of a session, whichever page gave it: who ends sign-ins ends this one, too."""

    def process_request(self, request: HttpRequest) -> None:
        request._session_before = sign_ins.session_of(request)  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        before, now = getattr(request, "_session_before", ""), sign_ins.session_of(request)
        if before and now and before != now and request.user.is_authenticated:
            sign_ins.move(request.user, before, request)
        return response
