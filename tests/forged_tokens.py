"""Access tokens that no door may take, each made from a good one in another way."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from django.conf import settings
from django.contrib.auth.models import User

from graphs.site.api import tokens

ANOTHER_KEY = "another-secret-key-of-fifty-characters-012345678"


def claims(user: User, **changes: Any) -> dict[str, Any]:
    """What a good access token says, with changes; None leaves it out."""
    said = jwt.decode(tokens.issue(user).access, options={"verify_signature": False})
    return {name: value for name, value in (said | changes).items() if value is not None}


def sign(said: dict[str, Any], key: str = settings.SECRET_KEY, algorithm: str = "HS256", **more: Any) -> str:
    return jwt.encode(said, key, algorithm=algorithm, **more)


def sign_anything(said: dict[str, Any]) -> str:
    """Signed with our key, whatever it says: the library refuses to sign some."""
    return with_head({"alg": "HS256"}, said, settings.SECRET_KEY)


def with_head(head: dict[str, Any], said: dict[str, Any], key: str | None) -> str:
    """Signed with HMAC-SHA-256 whatever the head says; not at all without a key."""
    parts = [_encoded(json.dumps(part).encode()) for part in ({"typ": "JWT", **head}, said)]
    signature = b""
    if key is not None:
        signature = hmac.new(key.encode(), ".".join(parts).encode(), hashlib.sha256).digest()
    return ".".join([*parts, _encoded(signature)])


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def tampered(user: User) -> str:
    """A good signature under other claims."""
    head, _body, signature = tokens.issue(user).access.split(".")
    return ".".join([head, _encoded(json.dumps(claims(user, exp=2**40)).encode()), signature])


def _soon(**change: int) -> datetime:
    return datetime.now(UTC) + timedelta(**change)


def _own_key(user: User) -> str:
    return with_head(
        {"alg": "HS256", "jwk": {"kty": "oct", "k": _encoded(ANOTHER_KEY.encode())}}, claims(user), ANOTHER_KEY
    )


FORGERIES: dict[str, Callable[[User], str]] = {
    **{
        f"algorithm {name}": lambda user, name=name: with_head({"alg": name}, claims(user), None)
        for name in ("none", "None", "NONE", "nOnE", "", "HS256", "RS256")
    },
    "no algorithm": lambda user: with_head({}, claims(user), settings.SECRET_KEY),
    "our key as that of RS256": lambda user: with_head({"alg": "RS256"}, claims(user), settings.SECRET_KEY),
    "our key as that of ES256": lambda user: with_head({"alg": "ES256"}, claims(user), settings.SECRET_KEY),
    "a public key as secret": lambda user: with_head({"alg": "HS256"}, claims(user), "-----BEGIN PUBLIC KEY-----\n"),
    "HS384": lambda user: sign(claims(user), algorithm="HS384"),
    "HS512": lambda user: sign(claims(user), algorithm="HS512"),
    "another secret": lambda user: sign(claims(user), ANOTHER_KEY),
    "no secret": lambda user: with_head({"alg": "HS256"}, claims(user), ""),
    "a path as key id": lambda user: with_head({"alg": "HS256", "kid": "../../../dev/null"}, claims(user), ""),
    "SQL as key id": lambda user: with_head({"alg": "HS256", "kid": "' UNION SELECT 'k"}, claims(user), "k"),
    "a key of its own": _own_key,
    "a key from elsewhere": lambda user: with_head(
        {"alg": "HS256", "jku": "https://evil.example/keys"}, claims(user), ANOTHER_KEY
    ),
    "expired": lambda user: sign(claims(user, exp=_soon(seconds=-1))),
    "never expires": lambda user: sign(claims(user, exp=None)),
    **{
        f"{name} {said!r}": lambda user, name=name, said=said: sign_anything(claims(user) | {name: said})
        for name in ("exp", "iat", "nbf")
        for said in ("tomorrow", [2**40], {"at": 2**40}, 2**70, 1e300, "", "9" * 2_000)
    },
    "not yet": lambda user: sign(claims(user, nbf=_soon(hours=1))),
    "issued in the future": lambda user: sign(claims(user, iat=_soon(hours=1))),
    "another issuer": lambda user: sign(claims(user, iss="another-service")),
    "another audience": lambda user: sign(claims(user, aud="another-service")),
    "no audience": lambda user: sign(claims(user, aud=None)),
    "no type": lambda user: sign(claims(user, token_type=None)),
    "nobody": lambda user: sign(claims(user, user_id=None)),
    "no number": lambda user: sign(claims(user, user_id="not a number")),
    "SQL as person": lambda user: sign(claims(user, user_id=f"{user.pk} OR 1=1")),
    "many people": lambda user: sign(claims(user, user_id=[user.pk])),
    "an unknown person": lambda user: sign(claims(user, user_id=str(user.pk + 1000))),
    "a huge person": lambda user: sign(claims(user, user_id="9" * 30)),
    "another password": lambda user: sign(claims(user, hash_password="0" * 32)),
    "no password": lambda user: sign(claims(user, hash_password=None)),
    "a refresh token": lambda user: tokens.issue(user).refresh,
    "other claims": tampered,
    "cut": lambda user: tokens.issue(user).access[:-2],
    "without its signature": lambda user: tokens.issue(user).access.rpartition(".")[0],
    "a part too many": lambda user: f"{tokens.issue(user).access}.x",
    "nothing": lambda user: "",
    "noise": lambda user: "x",
    "two words": lambda user: "a b",
    "bytes": lambda user: "\xff\xfe",
    "three empty parts": lambda user: "..",
}
