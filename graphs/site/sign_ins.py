"""Begins, renews and ends sign-ins. A refresh token counts once: who comes with a used one ends what it belongs to."""

import hashlib
import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import CharField, Exists, Func, OuterRef, Q, QuerySet
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from rest_framework_simplejwt.settings import api_settings

from graphs.models import SignIn
from graphs.site.api import limits, tokens
from graphs.site.api.tokens import TokenPair, TokenRefused
from graphs.site.telemetry.events import emit

#: Two requests of one program at once, or one that got no answer, come with the token before this one.
GRACE = timedelta(seconds=10)
DEVICE_CHARS = 200


def begin(user: User, device: str) -> TokenPair:
    """Tokens of a new sign-in of a program; those of the person that are over are forgotten."""
    SignIn.objects.filter(_is_over(timezone.now()), user=user, session="").delete()
    made = SignIn(user=user, device=device[:DEVICE_CHARS], token=uuid.uuid4().hex)
    made.save(force_insert=True)
    return tokens.issue(user, made.pk, made.token)


def renew(refresh: str) -> TokenPair:
    """New tokens for a refresh token, which counts no longer. Raises `TokenRefused`; a used one ends the sign-in.

    So does one of a sign-in that is as old as one may be, however often it was renewed.
    """
    asked = tokens.read_refresh(refresh)
    limits.require("writes", str(asked.user.pk), settings.LIMIT_WRITES)
    with transaction.atomic():
        found = SignIn.objects.select_for_update().filter(pk=asked.sign_in, user=asked.user).first()
        if found is None:
            raise TokenRefused
        now = timezone.now()
        if found.created_at < now - _longest():
            found.delete()
            found = None
        elif asked.token == found.token:
            found.previous_token, found.token, found.renewed_at = found.token, uuid.uuid4().hex, now
            found.save(update_fields=["previous_token", "token", "renewed_at"])
        elif asked.token != found.previous_token or now - found.renewed_at > GRACE:
            found.delete()
            found = None
            emit("refresh_token_reused", "warning", user=asked.user.pk)
    if found is None:
        raise TokenRefused
    return tokens.issue(asked.user, found.pk, found.token)


def revoke(refresh: str) -> None:
    """Ends the sign-in that a refresh token belongs to. Raises `TokenRefused` for what is none."""
    asked = tokens.read_refresh(refresh)
    limits.require("writes", str(asked.user.pk), settings.LIMIT_WRITES)
    SignIn.objects.filter(pk=asked.sign_in, user=asked.user).delete()


def end(user: User, name: str) -> None:
    """Ends one of a person's sign-ins; nothing where there is none of this name."""
    with suppress(ValueError):
        _end(SignIn.objects.filter(user=user, pk=uuid.UUID(name)))


def move(user: User, here: str, request: HttpRequest) -> None:
    """Notes that a browser, which was `here`, has another session from now on."""
    own, now = SignIn.objects.filter(user=user, session=here), session_of(request)
    if not here:
        return
    if SignIn.objects.filter(user=user, session=now).exists():  # they signed in once more
        own.delete()
    else:
        own.update(session=now)


def end_others(user: User, here: str) -> None:
    """Ends all of a person's sign-ins but that of the browser that is `here`."""
    _end(SignIn.objects.filter(user=user).exclude(session=here))


def session_of(request: HttpRequest) -> str:
    """What names the session of a browser here: who reads it cannot take it over. "" without one."""
    key = request.session.session_key
    return hashlib.sha256(key.encode()).hexdigest() if key else ""


def forget_over() -> None:
    """Deletes sessions of browsers that are over, with their sign-ins, and sign-ins of programs that are over."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    long_ago = now - timedelta(seconds=settings.SESSION_COOKIE_AGE)
    kept = Session.objects.annotate(digest=_Digest("session_key")).filter(digest=OuterRef("session"))
    SignIn.objects.filter(~Exists(kept), created_at__lt=long_ago).exclude(session="").delete()
    SignIn.objects.filter(_is_over(now), session="").delete()


def _longest() -> timedelta:
    """How long a program may stay signed in."""
    return timedelta(days=settings.SIGN_IN_DAYS)


def _is_over(now: datetime) -> Q:
    """That nobody has renewed the sign-in of a program in time, or that it is too old."""
    return Q(renewed_at__lt=now - api_settings.REFRESH_TOKEN_LIFETIME) | Q(created_at__lt=now - _longest())


class _Digest(Func):
    template = "encode(sha256(%(expressions)s::bytea), 'hex')"
    output_field = CharField()


def _end(found: QuerySet[SignIn]) -> None:
    with transaction.atomic():
        sessions = list(found.exclude(session="").values_list("session", flat=True))
        if sessions:
            Session.objects.alias(digest=_Digest("session_key")).filter(digest__in=sessions).delete()
        found.delete()


@receiver(user_logged_in)
def _begin_in_browser(request: HttpRequest, user: User, **_more: Any) -> None:
    device = request.headers.get("User-Agent", "")[:DEVICE_CHARS]
    SignIn.objects.create(user=user, session=session_of(request), device=device)


@receiver(user_logged_out)
def _end_with_browser(request: HttpRequest, user: User | None, **_more: Any) -> None:
    """Signing out in a browser ends it, and the programs of the person."""
    if user is not None:
        SignIn.objects.filter(user=user, session__in=["", session_of(request)]).delete()
