"""What moves the engine: the events that happen to a session and the effects that follow. Plain data, never stored."""

from dataclasses import dataclass
from typing import Literal

from chat.engine.states import EndReason, State, Waiting


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to a session."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What has to be done next."""


# --- events: what happened ---------------------------------------------------------------------------------------


class SessionActivationRequested(Event):
    """An automation gets a slot and starts or goes on."""


class UserMessageSent(Event):
    """A person wrote; also after an error, to try the same question again."""


class EnrichmentsExecuted(Event): ...


class AIResponseReceived(Event):
    """The vendor said that the turn is over."""


@dataclass(frozen=True, slots=True)
class AIResponseParsed(Event):
    """What the complete reply asks for."""

    queries: bool = False
    actions: bool = False
    question_id: str = ""
    completed: bool = False


class ValidationRequested(Event):
    """Some of the actions are changes that a person has to decide about."""


@dataclass(frozen=True, slots=True)
class ValidationReceived(Event):
    """Everything that a person had to decide about is decided, and done if it was approved."""

    keep_control: bool = True


@dataclass(frozen=True, slots=True)
class CommunicationResponseReceived(Event):
    """The answer to a question; `go_on` is the answer to the tool limit."""

    go_on: bool | None = None


class DataQueriesExecuted(Event): ...


@dataclass(frozen=True, slots=True)
class ActionsExecuted(Event):
    """The changes of the reply are made; without `keep_control` the model wanted no more than them."""

    keep_control: bool = True


class CompletionConfirmed(Event): ...


class CompletionRejected(Event): ...


class NetworkErrorOccurred(Event):
    """The vendor could not be reached or broke off; nothing of the reply has an effect."""


@dataclass(frozen=True, slots=True)
class ParseErrorOccurred(Event):
    """Every call of the reply was unusable; the same `failure` again means no progress."""

    failure: str


@dataclass(frozen=True, slots=True)
class ActionFailureOccurred(Event):
    """Every call of the reply was refused; the same `failure` again means no progress."""

    failure: str


class RetryScheduled(Event): ...


class NetworkRetryScheduled(Event): ...


class NetworkAvailable(Event): ...


class SystemErrorOccurred(Event): ...


@dataclass(frozen=True, slots=True)
class SessionCompleted(Event):
    """The session is closed from outside, for this reason."""

    reason: EndReason = EndReason.COMPLETED


class RunStopped(Event):
    """A person stopped it, or nobody reads it any more."""


@dataclass(frozen=True, slots=True)
class SchedulerHeartbeat(Event):
    """The scheduler looked; `expired` when a session was inactive for too long."""

    expired: bool = False


# --- effects: what to do next ------------------------------------------------------------------------------------


class Enrich(Effect):
    """Look up the question's context."""


@dataclass(frozen=True, slots=True)
class CallModel(Effect):
    """Ask the model; without tools it can only write."""

    tools: bool = True


class ParseReply(Effect): ...


class RunQueries(Effect): ...


class RunActions(Effect):
    """Compute the changes of the reply and propose them; its read tools run as well."""


@dataclass(frozen=True, slots=True)
class AskPerson(Effect):
    """Rest until a person answers."""

    waiting: Waiting


class ScheduleRetry(Effect):
    """Go on after a short pause; the model reads what went wrong."""


class ConfirmCompletion(Effect): ...


class WaitForNetwork(Effect): ...


@dataclass(frozen=True, slots=True)
class Rest(Effect):
    """The run is over and the session can be written to."""

    reason: Literal["finished", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Transition:
    """The state after an event, and what has to be done now; None when there is nothing to do."""

    state: State
    effect: Effect | None = None


class IllegalTransition(Exception):
    """The event cannot happen in this phase."""
