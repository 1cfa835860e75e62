"""The engine's state, the events that move it and the effects it asks for. Plain data; stored as versioned JSON."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

from graphs.versions import Shape

#: What `State.to_json` gives; who changes it adds an upgrade here and a fixture to the tests.
_STORED = Shape("engine state")
STATE_VERSION = _STORED.version


class Phase(StrEnum):
    """Where a session is. Who waits for a person or for nothing holds no process."""

    #: Nothing happens until somebody writes.
    IDLE = "IDLE"
    #: The question's context is looked up.
    EXECUTING_ENRICHMENTS = "EXECUTING_ENRICHMENTS"
    #: The model writes.
    CALLING_AI = "CALLING_AI"
    #: Its reply is complete and is being read.
    PARSING_AI_RESPONSE = "PARSING_AI_RESPONSE"
    #: A person has to approve changes.
    WAITING_VALIDATION = "WAITING_VALIDATION"
    #: A person has to answer: a question of the model, or whether to go on after the tool rounds.
    WAITING_COMMUNICATION_RESPONSE = "WAITING_COMMUNICATION_RESPONSE"
    #: Read tools run.
    EXECUTING_DATA_QUERIES = "EXECUTING_DATA_QUERIES"
    #: Changes are computed: proposed to a person, or made where nobody has to be asked.
    EXECUTING_ACTIONS = "EXECUTING_ACTIONS"
    #: An automation says it is done; it may still be contradicted.
    WAITING_COMPLETION_CONFIRMATION = "WAITING_COMPLETION_CONFIRMATION"
    #: An automation waits for the network.
    WAITING_NETWORK_RETRY = "WAITING_NETWORK_RETRY"
    #: The reply could not be used; the model is told and asked again.
    RETRYING_AFTER_FORMAT_ERROR = "RETRYING_AFTER_FORMAT_ERROR"
    #: Changes failed; the model is told and asked again.
    RETRYING_AFTER_ACTION_FAILURE = "RETRYING_AFTER_ACTION_FAILURE"
    #: The session is over.
    COMPLETED = "COMPLETED"


class SessionKind(StrEnum):
    CHAT = "CHAT"
    AUTOMATION = "AUTOMATION"


class EndReason(StrEnum):
    COMPLETED = "COMPLETED"
    LIMIT_REACHED = "LIMIT_REACHED"
    ERROR = "ERROR"
    TIMEOUT = "TIMEOUT"
    CANCELLED = "CANCELLED"
    SUSPENDED = "SUSPENDED"
    NETWORK_ERROR = "NETWORK_ERROR"


@dataclass(frozen=True, slots=True)
class Limits:
    """How far the engine goes by itself."""

    tool_rounds: int = 5
    tool_rounds_extended: int = 10
    automation_round_trips: int = 20
    same_failures: int = 3


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a session waits for: `kind` says which answer fits."""

    kind: Literal["validation", "question", "tool_limit", "completion"]
    id: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Where a session stands.

    `round_trips` counts all complete replies of the model and is never reset; the rest belongs to the current turn.
    `rounds_allowed` is 0 when the model may only write.
    """

    phase: Phase = Phase.IDLE
    kind: SessionKind = SessionKind.CHAT
    round_trips: int = 0
    rounds: int = 0
    rounds_allowed: int = 0
    failure: str = ""
    failures: int = 0
    waiting: Waiting | None = None
    end_reason: EndReason | None = None

    def to_json(self) -> dict[str, Any]:
        return {"version": STATE_VERSION, **asdict(self)}


def load(data: dict[str, Any]) -> State:
    """The stored state, upgraded; an empty one for a new session. Raises `UnknownVersion`."""
    if not data:
        return State()
    fields = dict(data)
    fields = _STORED.upgraded(fields, fields.pop("version", None))
    waiting = fields.pop("waiting")
    end_reason = fields.pop("end_reason")
    return State(
        phase=Phase(fields.pop("phase")),
        kind=SessionKind(fields.pop("kind")),
        waiting=Waiting(**waiting) if waiting else None,
        end_reason=EndReason(end_reason) if end_reason else None,
        **fields,
    )


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
    """Everything that a person had to decide about is decided, and done where it was approved."""

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
    """Every call of the reply was unusable; `failure` tells whether it is the same again."""

    failure: str


@dataclass(frozen=True, slots=True)
class ActionFailureOccurred:
    """Every call of the reply was refused; `failure` tells whether it is the same again."""

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
    """Go on after a short pause with what the model was told."""


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
