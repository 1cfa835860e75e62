"""A browser in which somebody has signed in is known: what strangers try under their name does not lock it out."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

KNOWN_S = 180 * 24 * 3600
_SALT = "graphs.known_device"


def device_of(request: HttpRequest, name: str) -> str:
    """What names this browser, in which somebody of this name has signed in; "" if nobody has."""
    try:
        known = signing.loads(request.COOKIES.get(settings.KNOWN_DEVICE_COOKIE_NAME, ""), salt=_SALT, max_age=KNOWN_S)
    except signing.BadSignature:
        return ""
    return str(known["device"]) if known["name"] == name.casefold() else ""


@receiver(user_logged_in)
def _signed_in(request: HttpRequest, user: User, **_more: Any) -> None:
    request._signed_in_as = user.get_username()  # type: ignore[attr-defined]


class KnownDeviceMiddleware(MiddlewareMixin):
    """Notes in the browser who has just signed in there."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if name := getattr(request, "_signed_in_as", ""):
            device = device_of(request, name) or uuid.uuid4().hex
            response.set_cookie(
                settings.KNOWN_DEVICE_COOKIE_NAME,
                signing.dumps({"name": name.casefold(), "device": device}, salt=_SALT),
                max_age=KNOWN_S,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response
