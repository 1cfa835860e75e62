"""Limits attempts to sign in by LIMIT_LOGIN: of a name from an address, and ten times as many of either alone.

All login doors use it. Who is known to a browser is limited in that browser alone: nobody else can lock them out.
"""

from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from rest_framework.request import Request

from graphs.site.api import limits
from graphs.site.client_address import client_address
from graphs.site.known_device import device_of

#: An address, which many people may share, and a name, which many addresses may try, have so many times the limit.
WIDER = 10


def require(request: HttpRequest | Request, username: str) -> None:
    """Counts an attempt; raises `Problem` 429 if it was one too many."""
    if wait := _take(request, username):
        raise limits.throttled(wait)


def require_of_address(request: Request) -> None:
    """Counts a use of a refresh token by its address, which has ten times LIMIT_LOGIN. Raises `Problem` 429."""
    limits.require("tokens-address", client_address(request.META), _wider())


class LimitedLoginForm(AuthenticationForm):
    """The login form. After too many attempts it has an error of the code "throttled", and `retry_after` seconds."""

    retry_after = 0.0

    def clean(self) -> dict[str, Any]:
        username = self.cleaned_data.get("username")
        if username and self.request is not None:
            self.retry_after = _take(self.request, username)
            if self.retry_after:
                raise ValidationError(limits.too_often(self.retry_after), code="throttled")
        return super().clean()


class LimitedAdminLoginForm(LimitedLoginForm, AdminAuthenticationForm):
    """The form of the admin's login page, with the limit."""


def _take(request: HttpRequest | Request, username: str) -> float:
    """Counts an attempt; gives the seconds to wait, or 0."""
    name, address = username.casefold(), client_address(request.META)
    if device := device_of(request, name):
        return limits.take("login-device", f"{name}|{device}", settings.LIMIT_LOGIN)
    wider = _wider()
    return (
        limits.take("login-address", address, wider)  # first: an address could make up names without end
        or limits.take("login", f"{name}|{address}", settings.LIMIT_LOGIN)
        or limits.take("login-name", name, wider)
    )


def _wider() -> str:
    count, _slash, period = settings.LIMIT_LOGIN.partition("/")
    return f"{int(count) * WIDER}/{period}"
