"""Refusals of what a person asked for, with a code for programs and a sentence for people."""

from collections.abc import Mapping
from typing import Any

from graphs.site.api.problems import Problem

_STATUS = {"validation": 400, "idempotency_key": 422, "model_unavailable": 422}


class Refused(Problem):
    """A refusal: `message` says what to do instead, `field` what was wrong on the wire, `details` are for programs.

    `code` is validation, conflict, idempotency_key, too_many, throttled or model_unavailable; of a proposal also
    decided, stale, expired, failed or digest.
    """

    def __init__(self, code: str, message: str, *, field: str = "", details: Mapping[str, Any] | None = None) -> None:
        errors = {field: [message]} if field else None
        super().__init__(_STATUS.get(code, 409), code, message, errors=errors, extra=details)
