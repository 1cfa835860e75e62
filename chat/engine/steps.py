"""What moves the engine: the events that happen to a session and the effects that follow. Plain data, never stored."""

from dataclasses import dataclass
from typing import Literal

from chat.engine.states import EndReason, State, Waiting

# --- events: what happened ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SessionActivationRequested:
    """An automation gets a slot and starts or goes on."""


@dataclass(frozen=True, slots=True)
class UserMessageSent:
    """A person wrote; also after an error, to try the same question again."""


@dataclass(frozen=True, slots=True)
class EnrichmentsExecuted:
    pass


@dataclass(frozen=True, slots=True)
class AIResponseReceived:
    """The vendor said that the turn is over."""


@dataclass(frozen=True, slots=True)
class AIResponseParsed:
    """What the complete reply asks for."""

    queries: bool = False
    actions: bool = False
    question_id: str = ""
    completed: bool = False


@dataclass(frozen=True, slots=True)
class ValidationRequested:
    """Some of the actions are changes that a person has to decide about."""


@dataclass(frozen=True, slots=True)
class ValidationReceived:
    """Everything that a person had to decide about is decided, and done if it was approved."""

    keep_control: bool = True


@dataclass(frozen=True, slots=True)
class CommunicationResponseReceived:
    """The answer to a question; `go_on` is the answer to the tool limit."""

    go_on: bool | None = None


@dataclass(frozen=True, slots=True)
class DataQueriesExecuted:
    pass


@dataclass(frozen=True, slots=True)
class ActionsExecuted:
    """Without `keep_control` the model wanted no more than this."""

    keep_control: bool = True


@dataclass(frozen=True, slots=True)
class CompletionConfirmed:
    pass


@dataclass(frozen=True, slots=True)
class CompletionRejected:
    pass


@dataclass(frozen=True, slots=True)
class NetworkErrorOccurred:
    """The vendor could not be reached or broke off; nothing of the reply has an effect."""


@dataclass(frozen=True, slots=True)
class ParseErrorOccurred:
    """Every call of the reply was unusable; the same `failure` again means no progress."""

    failure: str


@dataclass(frozen=True, slots=True)
class ActionFailureOccurred:
    """Every call of the reply was refused; the same `failure` again means no progress."""

    failure: str


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    pass


@dataclass(frozen=True, slots=True)
class NetworkRetryScheduled:
    pass


@dataclass(frozen=True, slots=True)
class NetworkAvailable:
    pass


@dataclass(frozen=True, slots=True)
class SystemErrorOccurred:
    pass


@dataclass(frozen=True, slots=True)
class SessionCompleted:
    """The session is closed from outside, for this reason."""

    reason: EndReason = EndReason.COMPLETED


@dataclass(frozen=True, slots=True)
class RunStopped:
    """A person stopped it, or nobody reads it any more."""


@dataclass(frozen=True, slots=True)
class SchedulerHeartbeat:
    """The scheduler looked; `expired` when a session was inactive for too long."""

    expired: bool = False


Event = (
    SessionActivationRequested
    | UserMessageSent
    | EnrichmentsExecuted
    | AIResponseReceived
    | AIResponseParsed
    | ValidationRequested
    | ValidationReceived
    | CommunicationResponseReceived
    | DataQueriesExecuted
    | ActionsExecuted
    | CompletionConfirmed
    | CompletionRejected
    | NetworkErrorOccurred
    | ParseErrorOccurred
    | ActionFailureOccurred
    | RetryScheduled
    | NetworkRetryScheduled
    | NetworkAvailable
    | SystemErrorOccurred
    | SessionCompleted
    | RunStopped
    | SchedulerHeartbeat
)


# --- effects: what to do next ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Enrich:
    """Look up the question's context."""


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask the model; without tools it can only write."""

    tools: bool = True


@dataclass(frozen=True, slots=True)
class ParseReply:
    pass


@dataclass(frozen=True, slots=True)
class RunQueries:
    pass


@dataclass(frozen=True, slots=True)
class RunActions:
    """Compute the changes of the reply and propose them; its read tools run as well."""


@dataclass(frozen=True, slots=True)
class AskPerson:
    """Rest until a person answers."""

    waiting: Waiting


@dataclass(frozen=True, slots=True)
class ScheduleRetry:
    """Go on after a short pause; the model reads what went wrong."""


@dataclass(frozen=True, slots=True)
class ConfirmCompletion:
    pass


@dataclass(frozen=True, slots=True)
class WaitForNetwork:
    pass


@dataclass(frozen=True, slots=True)
class Rest:
    """The run is over and the session can be written to."""

    reason: Literal["finished", "stopped", "failed"]


Effect = (
    Enrich
    | CallModel
    | ParseReply
    | RunQueries
    | RunActions
    | AskPerson
    | ScheduleRetry
    | ConfirmCompletion
    | WaitForNetwork
    | Rest
)


@dataclass(frozen=True, slots=True)
class Step:
    """The state after an event, and what has to be done now; None when there is nothing to do."""

    state: State
    effect: Effect | None = None


class IllegalTransition(Exception):
    """The event cannot happen in this phase."""
