"""How a run comes to rest, as it is stored and told: by the reason, and what went wrong where it failed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from chat.engine.answer import Answer
from chat.engine.records import Ending, Means
from chat.engine.states import State
from chat.events.vocabulary import NewEvent
from chat.models import Message, RunStatus
from chat.transcript import Transcript
from rag.vendor_errors import ErrorCode

_STATUSES = {
    "finished": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "succeeded"),
    "toolLimit": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "waiting"),
    "waiting": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "waiting"),
    "stopped": (Message.Status.STOPPED, RunStatus.CANCELLED, "cancelled"),
    "failed": (Message.Status.FAILED, RunStatus.FAILED, "failed"),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What the person is told about a run that failed. `gave_up`: a stronger model may do better."""

    code: ErrorCode
    text: str | Promise
    retryable: bool
    gave_up: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": str(self.text), "retryable": self.retryable}


def ending(
    state: State,
    reason: str,
    means: Means,
    answer: Answer,
    transcript: Transcript,
    *,
    failure: Failure | None = None,
    gave_up: bool = False,
    asked: Sequence[NewEvent] = (),
) -> Ending:
    """`transcript` is the answer as it will be then; `asked` is what a person is asked.

    `gave_up` says that the model came to a limit, as a failure may.
    """
    error = failure.to_json() if failure else None
    gave_up = gave_up or (failure is not None and failure.gave_up)
    told = {"gaveUp": True} if gave_up else {}
    message_status, run_status, shown = _STATUSES[reason]
    done = {"reason": reason, "fullText": transcript.text}
    return Ending(
        state=state,
        means=means,
        outcome="error" if error else reason,
        message_status=message_status,
        run_status=run_status,
        events=(
            *asked,
            answer.event("status", {"state": shown}),
            answer.event("error", error | told) if error else answer.event("done", done | told),
        ),
        error=error,
        gave_up=gave_up,
    )
