"""Finds who asks: by an access token in the header, or by the session cookie with its CSRF token. For all views."""

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from graphs.site.api.problems import Problem
from graphs.site.api.tokens import Claim, TokenRefused, read_access, shown_in


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer <access token>`. A token is never read from an address or a body.

    `request.auth` is its claim.
    """

    def authenticate(self, request: Request) -> tuple[User, Claim] | None:
        token = shown_in(request.headers.get("Authorization", ""))
        if token is None:
            return None
        try:
            return read_access(token)
        except TokenRefused as error:
            raise AuthenticationFailed(
                _("The token is not valid or has expired. Ask for a new one with your refresh token or password.")
            ) from error

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="api"'


class CookieAuthentication(SessionAuthentication):
    """The session of a browser. Requests that change something need the header `X-CSRFToken`."""

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except PermissionDenied as error:
            sentence = _(
                "Send the value of the cookie “%(cookie)s” in the header X-CSRFToken, from a page of this site."
            )
            raise Problem(403, "csrf", sentence % {"cookie": settings.CSRF_COOKIE_NAME}) from error
