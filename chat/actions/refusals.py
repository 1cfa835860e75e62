"""Refusals of what a person asked for, with a code for programs and a sentence for people."""

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """`message` says what to do instead; `code` is one of validation, conflict, idempotency_key, too_many, throttled,
    model_unavailable,
    and of a proposal decided, stale, expired, digest.

    `field` names what was wrong, as on the wire; `details` is what a program may want to know besides.
    """

    def __init__(self, code: str, message: str, *, field: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.details = dict(details or {})
