"""Limits attempts to sign in, by LIMIT_LOGIN for a username from one address. All three login doors use it."""

from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from rest_framework.request import Request

from graphs.site.api import limits

#: An address, which many people may share, may try so many names as often as one name.
NAMES_PER_ADDRESS = 10


def require(request: HttpRequest | Request, username: str) -> None:
    """Counts an attempt; raises `Problem` 429 if it was one too many."""
    if wait := _take(request, username):
        raise limits.throttled(wait)


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
    """Counts an attempt for the name from this address, then for the address; gives the seconds to wait, or 0."""
    address = str(request.META.get("REMOTE_ADDR", ""))
    count, _slash, period = settings.LIMIT_LOGIN.partition("/")
    return limits.take("login", f"{username.casefold()}|{address}", settings.LIMIT_LOGIN) or limits.take(
        "login-address", address, f"{int(count) * NAMES_PER_ADDRESS}/{period}"
    )
