"""What a person reads about a run that failed."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from graphs.site.vendor_errors import ErrorCode


@dataclass(frozen=True, slots=True)
class Failure:
    """Its code and sentence, and whether Retry is offered. `gave_up`: a stronger model may do better."""

    code: ErrorCode
    text: str | Promise
    retryable: bool
    gave_up: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": str(self.text), "retryable": self.retryable}
