"""Issues, renews and reads JSON web tokens, which end with their time, sign-in, password or account."""

import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.crypto import constant_time_compare, salted_hmac
from pydantic import BaseModel
from rest_framework_simplejwt.backends import TokenBackend
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.settings import api_settings
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken, Token

from graphs.site import row_store

#: What becomes of a time that is no number, or none of a year that there is.
_NO_TIME = (ValueError, TypeError, OverflowError, OSError)
#: The claim of tokens of a sign-in, and one of a refresh token.
SIGN_IN = "sign_in"
NAME = "name"
AnyToken = TypeVar("AnyToken", AccessToken, RefreshToken)


class TokenRefused(Exception):
    """The token is forged, expired or of the wrong kind, or its person may not come in any more."""


class TokenPair(BaseModel):
    access: str
    refresh: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The person that a genuine access token names, and until when; it counts only if it `holds_for` them.

    It ends with its `sign_in`, if that is not None: whoever looks for the person looks for that, too.
    """

    user_id: int
    password_mark: str
    expires_at: datetime
    sign_in: uuid.UUID | None = None

    def holds_for(self, user: User) -> bool:
        """Whether the person still has the password of that time, and an open account."""
        marks = (_mark(user, key) for key in (None, *settings.SECRET_KEY_FALLBACKS))
        same_password = any(constant_time_compare(self.password_mark, mark) for mark in marks)
        return user.pk == self.user_id and user.is_active and same_password


@dataclass(frozen=True, slots=True)
class Renewal:
    """What a genuine refresh token of a person says: to which sign-in it belongs, and its own name there."""

    user: User
    sign_in: uuid.UUID
    token: str


def issue(user: User, sign_in: uuid.UUID | None = None, token: str = "") -> TokenPair:
    """Tokens for a person, of a sign-in (`graphs.site.sign_ins`) if they are to be renewed."""
    refresh = RefreshToken.for_user(user)
    refresh[api_settings.REVOKE_TOKEN_CLAIM] = _mark(user)
    if sign_in is not None:
        refresh[SIGN_IN] = str(sign_in)
    access = str(refresh.access_token)  # It says what the other one says so far.
    if sign_in is not None:
        refresh[NAME] = token
    return TokenPair(access=access, refresh=str(refresh))


def shown_in(authorization: str) -> str | None:
    """The token that an `Authorization` header shows; None if it is of another scheme, of which nothing is known."""
    scheme, _space, token = authorization.strip().partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def read_refresh(refresh: str) -> Renewal:
    """What a refresh token says, its person checked against the database; raises `TokenRefused`."""
    token = _verified(refresh, RefreshToken)
    try:
        sign_in, name = uuid.UUID(token.get(SIGN_IN)), str(token.get(NAME))
    except (ValueError, TypeError, AttributeError) as error:
        raise TokenRefused from error
    return Renewal(_user_of(_claim(token)), sign_in, name)


def read_access(access: str) -> tuple[User, Claim]:
    """The person whom an access token names, checked against the database, and its claim; raises `TokenRefused`."""
    claim = read_claim(access)
    return _user_of(claim), claim


def read_claim(access: str) -> Claim:
    """The claim of an access token, without a look into the database; raises `TokenRefused`."""
    token = _verified(access, AccessToken)
    if SIGN_IN not in token:
        return _claim(token)
    try:
        return replace(_claim(token), sign_in=uuid.UUID(token[SIGN_IN]))
    except (ValueError, TypeError, AttributeError) as error:
        raise TokenRefused from error


def _mark(user: User, key: str | None = None) -> str:
    """What a token says of the password it was given for; the library's own mark is a bare MD5 of the stored hash."""
    return salted_hmac("graphs.site.api.tokens", user.password, secret=key, algorithm="sha256").hexdigest()


def _verified(text: str, token_class: type[AnyToken]) -> AnyToken:
    """The token, signed by the site's key or by one of before."""
    refused: Exception | None = None
    for class_ in (token_class, *(_signed_by(key, cast(Any, token_class)) for key in settings.SECRET_KEY_FALLBACKS)):
        try:
            return class_(cast(Any, text))
        except (TokenError, *_NO_TIME) as error:
            refused = refused or error
    raise TokenRefused from refused


@cache
def _signed_by(key: str, token_class: Any) -> Any:
    """The class of tokens that this key has signed."""
    backend = TokenBackend(api_settings.ALGORITHM, key, audience=api_settings.AUDIENCE, issuer=api_settings.ISSUER)
    return type(token_class.__name__, (token_class,), {"_token_backend": backend})


def _claim(token: Token) -> Claim:
    try:
        user_id = int(token[api_settings.USER_ID_CLAIM])
        expires_at = datetime.fromtimestamp(token["exp"], UTC)
    except (KeyError, *_NO_TIME) as error:
        raise TokenRefused from error
    return Claim(user_id, token.get(api_settings.REVOKE_TOKEN_CLAIM, ""), expires_at)


#: The person of a claim, if its sign-in has not ended. Written out: every request of a program asks, and the ORM
#: composes it in several times the time of the answer.
PERSON = f"""
SELECT {row_store.columns(User, of="u")} FROM auth_user AS u WHERE u.id = %s AND (
    %s::uuid IS NULL OR EXISTS (SELECT FROM graphs_signin AS s WHERE s.id = %s::uuid AND s.user_id = u.id)
)
"""  # noqa: S608 - what is inserted are names of columns


def person_asked(claim: Claim) -> list[Any]:
    """The parameters of `PERSON`. Whether the claim holds for whom it finds is still to be asked."""
    return [claim.user_id, claim.sign_in, claim.sign_in]


def _user_of(claim: Claim) -> User:
    found = row_store.read(User, PERSON, person_asked(claim))
    if not found or not claim.holds_for(found[0][0]):
        raise TokenRefused
    return found[0][0]
