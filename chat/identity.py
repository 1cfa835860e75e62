"""Who is at the other end of a stream: from a session cookie or an access token, and whether they still may be."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.http.cookie import parse_cookie
from django.http.request import split_domain_port, validate_host
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare
from django.utils.http import is_same_domain

from graphs.api.tokens import TokenRefused, read_access
from graphs.models import Membership

Headers = list[tuple[bytes, bytes]]
#: "expired" can be renewed with a new token; "ended" cannot.
Standing = Literal["good", "expired", "ended"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A person and the proof they came with: it ends with their password, account, session or token."""

    user: User
    password: str
    session_key: str = ""
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads: who they are, and the workspaces (ids) that what they read belongs to."""

    identity: Identity
    workspaces: Collection[int]


def header(headers: Headers, name: bytes) -> str | None:
    """The first value of a header; None where it is absent."""
    return next((value.decode("latin1") for key, value in headers if key == name), None)


def origin_allowed(headers: Headers) -> bool:
    """True for a page of this site (scheme, host and port of the request) or of CSRF_TRUSTED_ORIGINS."""
    origin = (header(headers, b"origin") or "").lower()
    host = (header(headers, b"host") or "").lower()
    scheme = "https" if _came_by_https(headers) else "http"
    if origin == f"{scheme}://{host}" and validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return True
    return any(_is_trusted(origin, trusted.lower()) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def _came_by_https(headers: Headers) -> bool:
    """Daphne speaks plain HTTP; a proxy before it says whether its client spoke TLS."""
    if settings.SECURE_PROXY_SSL_HEADER is None:
        return False
    name, value = settings.SECURE_PROXY_SSL_HEADER
    sent = header(headers, name.removeprefix("HTTP_").replace("_", "-").lower().encode())
    return sent is not None and sent.split(",")[0].strip() == value


def _is_trusted(origin: str, trusted: str) -> bool:
    if "*" not in trusted:
        return origin == trusted
    try:
        given, pattern = urlsplit(origin), urlsplit(trusted)
    except ValueError:
        return False
    plain = origin == f"{given.scheme}://{given.netloc}" and "@" not in given.netloc
    return plain and given.scheme == pattern.scheme and is_same_domain(given.netloc, pattern.netloc.lstrip("*"))


def language_of(headers: Headers, named: str = "") -> str:
    """The language to answer in: the one that the client named, else as Django finds it for a page.

    A page names its own, because not every browser sends the reader's languages with a socket's handshake.
    """
    with suppress(LookupError):
        return translation.get_supported_language_variant(named)
    return translation.get_language_from_request(_LanguageRequest(headers))  # type: ignore[arg-type]


class _LanguageRequest:
    """What Django needs of a request to find the reader's language."""

    def __init__(self, headers: Headers) -> None:
        self.META = {"HTTP_ACCEPT_LANGUAGE": header(headers, b"accept-language") or ""}
        self.COOKIES = parse_cookie(header(headers, b"cookie") or "")


def of_cookie(headers: Headers) -> Identity | None:
    """The person signed in with the request's session cookie."""
    key = parse_cookie(header(headers, b"cookie") or "").get(settings.SESSION_COOKIE_NAME)
    return _of_session(key) if key and key.isascii() and key.isalnum() else None


def _of_session(key: str) -> Identity | None:
    session: Any = import_module(settings.SESSION_ENGINE).SessionStore(key)
    if SESSION_KEY not in session:
        return None
    user = User.objects.filter(pk=session[SESSION_KEY], is_active=True).first()
    if user is None or not constant_time_compare(session.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash()):
        return None
    return Identity(user, user.password, session_key=key)


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


def standings(readers: Sequence[Reader]) -> list[Standing]:
    """Whether each may read on, in three queries for all.

    The account is active, the password unchanged, the browser's session not ended, the token not expired, and the
    person still a member of every workspace they read from.
    """
    people = {reader.identity.user.pk for reader in readers}
    passwords = dict(User.objects.filter(pk__in=people, is_active=True).values_list("pk", "password"))
    keys = {reader.identity.session_key for reader in readers} - {""}
    alive = BrowserSession.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    live_keys = {"", *alive.values_list("session_key", flat=True)}
    memberships = set(Membership.objects.filter(user__in=people).values_list("user_id", "workspace_id"))

    def standing(reader: Reader) -> Standing:
        found = reader.identity
        if passwords.get(found.user.pk) != found.password or found.session_key not in live_keys:
            return "ended"
        if any((found.user.pk, workspace) not in memberships for workspace in reader.workspaces):
            return "ended"
        return "expired" if found.expires_at is not None and found.expires_at <= datetime.now(UTC) else "good"

    return [standing(reader) for reader in readers]
