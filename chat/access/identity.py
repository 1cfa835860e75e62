"""The person at the other end of a stream, from a session cookie or an access token."""

import json
import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session as BrowserSession
from django.http.cookie import parse_cookie
from django.http.request import HttpRequest, split_domain_port, validate_host
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare
from django.utils.http import is_same_domain

from chat.concurrency.batching import Batched
from chat.concurrency.database import in_db
from graphs.site import row_store
from graphs.site.access import Member
from graphs.site.api.tokens import Claim, TokenRefused, read_claim, shown_in

Headers = list[tuple[bytes, bytes]]
#: The key of a browser's session, or what a genuine access token says.
Proof = str | Claim

#: Where a token counts. Pages know the cookie alone.
API = "/api/"
LONGEST_KEY = 40
_PEOPLE = f"""
SELECT {row_store.columns(User, of="u")}, (
    SELECT jsonb_agg(
        jsonb_build_object('workspace_id', m.workspace_id, 'slug', w.slug, 'role', m.role) ORDER BY m.created_at, m.id
    ) FROM graphs_membership AS m JOIN graphs_workspace AS w ON w.id = m.workspace_id WHERE m.user_id = u.id
)::text, ARRAY(SELECT s.id FROM graphs_signin AS s WHERE s.user_id = u.id AND s.id = ANY(%s::uuid[]))
FROM auth_user AS u WHERE u.id = ANY(%s) AND u.is_active
"""  # noqa: S608 - what is inserted are names of columns
#: What is found of somebody who is not there.
_NOBODY: tuple[User | None, str | None, Collection[uuid.UUID]] = (None, None, ())


@dataclass(frozen=True, slots=True)
class KnownMembership:
    """A workspace somebody was a member of when they came in, and their role there."""

    workspace_id: int
    slug: str
    role: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as they came in, with how it ends; `memberships` begins with their default workspace's."""

    user: User
    password: str
    memberships: tuple[KnownMembership, ...] = ()
    session_key: str = ""
    expires_at: datetime | None = None
    sign_in: uuid.UUID | None = None

    def workspace_id(self, slug: str) -> int | None:
        """The id of the workspace `slug`, or of the default one; None if they are no member."""
        return next((known.workspace_id for known in self.memberships if slug in {"", known.slug}), None)


def header(headers: Headers, name: bytes) -> str | None:
    """The value of a header, several joined as Django does it; None if it is absent."""
    values = [value.decode("latin1") for key, value in headers if key == name]
    return ",".join(values) if values else None


def origin_allowed(headers: Headers) -> bool:
    """True for a page of this site (scheme, host and port of the request) or of CSRF_TRUSTED_ORIGINS."""
    origin = (header(headers, b"origin") or "").lower()
    host = (header(headers, b"host") or "").lower()
    scheme = "https" if came_by_https(headers) else "http"
    if origin == f"{scheme}://{host}" and validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
        return True
    return any(_is_trusted(origin, trusted.lower()) for trusted in settings.CSRF_TRUSTED_ORIGINS)


def came_by_https(headers: Headers) -> bool:
    """Whether the client spoke TLS, as a proxy says: Daphne itself speaks plain HTTP."""
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
    """The language the client named, else what Django finds: not every browser sends it with a handshake."""
    with suppress(LookupError):
        return translation.get_supported_language_variant(named)
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = header(headers, b"accept-language") or ""
    request.COOKIES = parse_cookie(header(headers, b"cookie") or "")
    return translation.get_language_from_request(request)


def cookie_proof(headers: Headers) -> Proof | None:
    """The key of the browser's session that the request's cookie names."""
    key = parse_cookie(header(headers, b"cookie") or "").get(settings.SESSION_COOKIE_NAME)
    return key if key and key.isascii() and key.isalnum() and len(key) <= LONGEST_KEY else None


def token_proof(token: str) -> Proof | None:
    """What a genuine access token says."""
    try:
        return read_claim(token)
    except TokenRefused:
        return None


def proof_of(headers: Headers, path: str) -> Proof | None:
    """What Django and the API go by: the token if one is shown to the API, else the cookie."""
    token = shown_in(header(headers, b"authorization") or "") if path.startswith(API) else None
    return cookie_proof(headers) if token is None else token_proof(token)


def identify(proofs: Sequence[Proof]) -> list[Identity | None]:
    """The person behind each proof, or None: one query for all sessions, one for all people."""
    keys = [proof for proof in proofs if isinstance(proof, str)]
    sessions = {key: _contents(row) for key, row in BrowserSession.objects.in_bulk(keys).items()} if keys else {}
    ids = {proof.user_id for proof in proofs if isinstance(proof, Claim)}
    ids |= {int(contents[SESSION_KEY]) for contents in sessions.values() if contents}
    sign_ins = [proof.sign_in for proof in proofs if isinstance(proof, Claim) and proof.sign_in is not None]
    found = row_store.read(User, _PEOPLE, [sign_ins, list(ids)]) if ids else []
    people = {user.pk: (user, known, open_ones) for user, (known, open_ones) in found}

    def identity(proof: Proof) -> Identity | None:
        sign_in = None
        if isinstance(proof, Claim):
            user, known, open_ones = people.get(proof.user_id, _NOBODY)
            key, expires_at, sign_in = "", proof.expires_at, proof.sign_in
            holds = user is not None and proof.holds_for(user) and (sign_in is None or sign_in in open_ones)
        else:
            contents = sessions.get(proof) or {}
            user, known, _open = people.get(int(contents.get(SESSION_KEY, 0)), _NOBODY)
            holds = user is not None and _is_of(user, contents.get(HASH_SESSION_KEY, ""))
            key, expires_at = proof, None
        if user is None or not holds:
            return None
        memberships = tuple(KnownMembership(**each) for each in json.loads(known or "[]"))
        return Identity(user, user.password, memberships, key, expires_at, sign_in)

    return [identity(proof) for proof in proofs]


#: The person behind one proof, asked together with others who come at the same time.
identities: Batched[Proof, Identity | None] = Batched(lambda proofs: in_db(identify, proofs))


def of_member(member: Member, proof: Proof) -> Identity:
    """The person as they came in with a proof that was looked at, of whom one workspace is known."""
    user, known = member.user, KnownMembership(member.workspace.pk, member.workspace.slug, member.role)
    if isinstance(proof, Claim):
        return Identity(user, user.password, (known,), "", proof.expires_at, proof.sign_in)
    return Identity(user, user.password, (known,), proof)


async def of_request(headers: Headers, path: str) -> Identity | None:
    """The person behind an HTTP request, by its `proof_of`."""
    proof = proof_of(headers, path)
    return await identities.answer(proof) if proof else None


def _is_of(user: User, session_hash: str) -> bool:
    """Whether a session was begun with the password that the person still has, under a key of the site's."""
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(session_hash, each) for each in hashes)


def _contents(row: BrowserSession) -> dict[str, Any]:
    """What a browser's session holds; nothing when it is over or nobody is signed in with it."""
    contents = row.get_decoded() if row.expire_date > timezone.now() else {}
    return contents if SESSION_KEY in contents else {}
