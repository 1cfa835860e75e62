"""Who is at the other end of a stream: from a session cookie or an access token, and whether they still may be."""

from dataclasses import dataclass
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.http.request import split_domain_port, validate_host
from django.utils.crypto import constant_time_compare

from graphs.api.tokens import TokenRefused, read_access

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class Identity:
    """A person and the proof they came with: it ends with their password, account, session or token."""

    user: User
    password: str
    session_key: str = ""
    expires_at: datetime | None = None


def header(headers: Headers, name: bytes) -> str | None:
    """The first value of a header; None where it is absent."""
    return next((value.decode("latin1") for key, value in headers if key == name), None)


def origin_allowed(headers: Headers) -> bool:
    """True for a page of this site (same host as the request, and one of ours) or of CSRF_TRUSTED_ORIGINS."""
    origin = header(headers, b"origin") or ""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    parts = urlsplit(origin)
    host = header(headers, b"host") or ""
    if parts.scheme not in {"http", "https"} or parts.netloc.lower() != host.lower():
        return False
    return validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


def of_cookie(headers: Headers) -> Identity | None:
    """The person signed in with the request's session cookie."""
    try:
        cookie = SimpleCookie(header(headers, b"cookie") or "").get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    return _of_session(cookie.value) if cookie else None


def _of_session(key: str) -> Identity | None:
    session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    if SESSION_KEY not in session:
        return None
    user = User.objects.filter(pk=session[SESSION_KEY], is_active=True).first()
    if user is None or not constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash()):
        return None
    return Identity(user, user.password, session_key=key, expires_at=session.get_expiry_date())


def of_token(token: str) -> Identity | None:
    """The person an access token speaks for."""
    try:
        grant = read_access(token)
    except TokenRefused:
        return None
    return Identity(grant.user, grant.user.password, expires_at=grant.expires_at)


def of_bearer(headers: Headers) -> Identity | None:
    """The person of an `Authorization: Bearer` header."""
    scheme, _, token = (header(headers, b"authorization") or "").partition(" ")
    return of_token(token.strip()) if scheme.lower() == "bearer" else None


def still_valid(identities: list[Identity]) -> list[bool]:
    """For each identity whether it holds: account active, password unchanged, session not ended, token not expired."""
    passwords = dict(
        User.objects.filter(pk__in=[each.user.pk for each in identities], is_active=True).values_list("pk", "password")
    )
    store = import_module(settings.SESSION_ENGINE).SessionStore
    now = datetime.now(UTC)
    return [
        passwords.get(each.user.pk) == each.password
        and (each.expires_at is None or each.expires_at > now)
        and (not each.session_key or store().exists(each.session_key))
        for each in identities
    ]
