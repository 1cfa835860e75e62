"""Refusals of what a person asked for, with a code for programs and a sentence for people."""

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """A refusal: `message` says what to do instead, `field` what was wrong on the wire, `details` are for programs.

    `code` is validation, conflict, idempotency_key, too_many, throttled or model_unavailable; of a proposal also
    decided, stale, expired, failed or digest.
    """

    def __init__(self, code: str, message: str, *, field: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.details = dict(details or {})
