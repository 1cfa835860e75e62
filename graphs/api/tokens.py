"""JSON web tokens: issuing, renewing, reading. The only module that knows which library makes them.

A token ends with its time, with its person's password and with their account.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from django.contrib.auth.models import User
from rest_framework.exceptions import AuthenticationFailed
from rest_framework_simplejwt.authentication import JWTAuthentication
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken, Token

AnyToken = TypeVar("AnyToken", AccessToken, RefreshToken)


class TokenRefused(Exception):
    """Forged, expired, of the wrong kind, or its person may not come in any more."""


@dataclass(frozen=True, slots=True)
class TokenPair:
    access: str
    refresh: str


@dataclass(frozen=True, slots=True)
class Grant:
    """Who an access token speaks for, and until when."""

    user: User
    expires_at: datetime


def issue(user: User) -> TokenPair:
    refresh = RefreshToken.for_user(user)
    return TokenPair(str(refresh.access_token), str(refresh))


def renew(refresh: str) -> str:
    """A new access token for a refresh token; raises `TokenRefused`."""
    token = _verified(refresh, RefreshToken)
    _user_of(token)
    return str(token.access_token)


def read_access(access: str) -> Grant:
    """What an access token grants, checked against the database; raises `TokenRefused`."""
    token = _verified(access, AccessToken)
    return Grant(_user_of(token), datetime.fromtimestamp(token["exp"], UTC))


def _verified(text: str, kind: type[AnyToken]) -> AnyToken:
    try:
        return kind(cast(Any, text))
    except TokenError as error:
        raise TokenRefused from error


def _user_of(token: Token) -> User:
    try:
        return cast(User, JWTAuthentication().get_user(token))
    except (AuthenticationFailed, ValueError) as error:
        raise TokenRefused from error
