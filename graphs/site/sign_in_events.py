"""Emits what became of attempts to sign in: events of docs/observing.md. Nobody who is not there is named in them.

Attempts beyond LIMIT_LOGIN are not told one by one: a stranger could fill the log with them.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest

from graphs.site.client_address import client_address
from graphs.site.telemetry.events import emit


def signed_in(request: HttpRequest, user: User, door: str) -> None:
    emit("signed_in", user=user.pk, door=door, address=client_address(request.META))


@receiver(user_logged_in)
def _in_a_browser(request: HttpRequest, user: User, **_more: Any) -> None:
    signed_in(request, user, "browser")


@receiver(user_logged_out)
def _out_of_a_browser(user: User | None, **_more: Any) -> None:
    if user is not None:
        emit("signed_out", user=user.pk, door="browser")


@receiver(user_login_failed)
def _refused(credentials: Mapping[str, Any], request: HttpRequest | None = None, **_more: Any) -> None:
    """Names the person whose name was given; a text that is no name may be a password in the wrong field."""
    known = User.objects.filter(username=credentials.get("username")).values_list("pk", flat=True).first()
    emit("sign_in_refused", "warning", user=known, address=client_address(request.META) if request else None)
