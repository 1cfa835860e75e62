"""The engine's decisions: `transition(state, event)` is pure and total over the table below.

Chat, automation and structured generation are the same machine. Method: the event-driven session engine of seed B, with
seed A's tool rounds inside.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from chat.engine.states import EndReason, Limits, Phase, State, Waiting
from chat.engine.steps import (
    ActionFailureOccurred,
    ActionsExecuted,
    AIResponseParsed,
    AIResponseReceived,
    AskPerson,
    CallModel,
    CommunicationResponseReceived,
    CompletionConfirmed,
    CompletionRejected,
    ConfirmCompletion,
    DataQueriesExecuted,
    Enrich,
    EnrichmentsExecuted,
    Event,
    IllegalTransition,
    NetworkAvailable,
    NetworkErrorOccurred,
    NetworkRetryScheduled,
    ParseErrorOccurred,
    ParseReply,
    Rest,
    RetryScheduled,
    RunActions,
    RunQueries,
    RunStopped,
    ScheduleRetry,
    SchedulerHeartbeat,
    SessionActivationRequested,
    SessionCompleted,
    Step,
    SystemErrorOccurred,
    UserMessageSent,
    ValidationReceived,
    ValidationRequested,
    WaitForNetwork,
)
from chat.models import SessionType

#: A person may write whenever the session rests.
RESTING = frozenset({Phase.IDLE, Phase.WAITING_VALIDATION, Phase.WAITING_COMMUNICATION_RESPONSE})
#: A process drives the session.
ACTIVE = frozenset(
    {
        Phase.EXECUTING_ENRICHMENTS,
        Phase.CALLING_AI,
        Phase.PARSING_AI_RESPONSE,
        Phase.EXECUTING_DATA_QUERIES,
        Phase.EXECUTING_ACTIONS,
        Phase.RETRYING_AFTER_FORMAT_ERROR,
        Phase.RETRYING_AFTER_ACTION_FAILURE,
        Phase.WAITING_NETWORK_RETRY,
        Phase.WAITING_COMPLETION_CONFIRMATION,
    }
)
OPEN = RESTING | ACTIVE


def transition(state: State, event: Event, limits: Limits) -> Step:
    """The next state and what to do there. Raises `IllegalTransition`; changes nothing."""
    phases, decide = _TABLE[type(event)]
    if state.phase not in phases:
        raise IllegalTransition(f"{type(event).__name__} in {state.phase}")
    return decide(state, event, limits)


def resume(state: State) -> Step:
    """What to do with a session whose process went away after `state` was stored.

    Raises `IllegalTransition` for a session that rests without waiting for anything.
    """
    match state.phase:
        case Phase.EXECUTING_ENRICHMENTS:
            return Step(state, Enrich())
        case Phase.CALLING_AI | Phase.PARSING_AI_RESPONSE | Phase.EXECUTING_DATA_QUERIES | Phase.EXECUTING_ACTIONS:
            # The reply died with the process, and nothing of it had an effect: the model is asked again.
            return Step(replace(state, phase=Phase.CALLING_AI), CallModel(_tools_left(state)))
        case Phase.WAITING_COMMUNICATION_RESPONSE | Phase.WAITING_VALIDATION if state.waiting:
            return Step(state, AskPerson(state.waiting))
        case Phase.RETRYING_AFTER_FORMAT_ERROR | Phase.RETRYING_AFTER_ACTION_FAILURE:
            return Step(state, ScheduleRetry())
        case Phase.WAITING_NETWORK_RETRY:
            return Step(state, WaitForNetwork())
        case Phase.WAITING_COMPLETION_CONFIRMATION:
            return Step(state, ConfirmCompletion())
        case _:
            raise IllegalTransition(f"nothing to resume in {state.phase}")


def _tools_left(state: State) -> bool:
    """An automation counts round trips instead of rounds."""
    return state.kind is SessionType.AUTOMATION or state.rounds < state.rounds_allowed


def _start(state: State, event: Event, limits: Limits) -> Step:
    fresh = replace(
        state,
        phase=Phase.EXECUTING_ENRICHMENTS,
        rounds=0,
        rounds_allowed=limits.tool_rounds,
        failure="",
        failures=0,
        waiting=None,
    )
    return Step(fresh, Enrich())


def _call(state: State, limits: Limits) -> Step:
    """Asks the model, or a person if the rounds are used up, or ends an automation at its limit."""
    if state.kind is SessionType.AUTOMATION:
        if state.round_trips >= limits.automation_round_trips:
            return _close(state, EndReason.LIMIT_REACHED)
    elif not _tools_left(state) and 0 < state.rounds_allowed < limits.tool_rounds_extended:
        return _ask(state, Waiting("tool_limit"))
    return Step(replace(state, phase=Phase.CALLING_AI, waiting=None), CallModel(_tools_left(state)))


def _ask(state: State, waiting: Waiting) -> Step:
    phase = Phase.WAITING_VALIDATION if waiting.kind == "validation" else Phase.WAITING_COMMUNICATION_RESPONSE
    return Step(replace(state, phase=phase, waiting=waiting), AskPerson(waiting))


def _close(state: State, reason: EndReason) -> Step:
    closed = replace(state, phase=Phase.COMPLETED, waiting=None, end_reason=reason)
    return Step(closed, Rest("finished" if reason is EndReason.COMPLETED else "stopped"))


def _idle(state: State, reason: str) -> Step:
    """A chat returns to rest; an automation ends."""
    if state.kind is SessionType.AUTOMATION:
        ends = {"finished": EndReason.COMPLETED, "stopped": EndReason.CANCELLED, "failed": EndReason.ERROR}
        closed = replace(state, phase=Phase.COMPLETED, waiting=None, end_reason=ends[reason])
        return Step(closed, Rest(reason))  # type: ignore[arg-type]
    return Step(replace(state, phase=Phase.IDLE, waiting=None), Rest(reason))  # type: ignore[arg-type]


def _received(state: State, event: Event, limits: Limits) -> Step:
    counted = replace(state, phase=Phase.PARSING_AI_RESPONSE, round_trips=state.round_trips + 1)
    return Step(counted, ParseReply())


def _parsed(state: State, event: AIResponseParsed, limits: Limits) -> Step:
    if event.actions:
        return Step(replace(state, phase=Phase.EXECUTING_ACTIONS), RunActions())
    if event.queries:
        return Step(replace(state, phase=Phase.EXECUTING_DATA_QUERIES), RunQueries())
    if event.question_id and state.kind is SessionType.CHAT:
        return _ask(state, Waiting("question", event.question_id))
    if event.completed and state.kind is SessionType.AUTOMATION:
        waiting = Waiting("completion")
        confirming = replace(state, phase=Phase.WAITING_COMPLETION_CONFIRMATION, waiting=waiting)
        return Step(confirming, ConfirmCompletion())
    if state.kind is SessionType.AUTOMATION:
        return _call(state, limits)
    return _idle(state, "finished")


def _answered(state: State, event: CommunicationResponseReceived, limits: Limits) -> Step:
    """A person who does not want to go on gets a summary: no more rounds are allowed in this turn."""
    allowed = state.rounds_allowed
    if state.waiting is not None and state.waiting.kind == "tool_limit":
        allowed = limits.tool_rounds_extended if event.go_on else 0
    return _call(replace(state, waiting=None, rounds_allowed=allowed), limits)


def _acted(state: State, event: ActionsExecuted | ValidationReceived, limits: Limits) -> Step:
    """Counts one round, whether the changes were made at once or after a person decided."""
    done = replace(state, rounds=state.rounds + 1, failure="", failures=0, waiting=None)
    if event.keep_control or state.kind is SessionType.AUTOMATION:
        return _call(done, limits)
    return _idle(done, "finished")


def _failed_again(state: State, failure: str, phase: Phase, limits: Limits) -> Step:
    """Asks the model again with the failure; one failure several times in a row ends the turn."""
    failures = state.failures + 1 if failure == state.failure else 1
    counted = replace(state, failure=failure, failures=failures, rounds=state.rounds + 1)
    if failures >= limits.same_failures:
        return _idle(counted, "failed")
    return Step(replace(counted, phase=phase), ScheduleRetry())


def _offline(state: State, event: Event, limits: Limits) -> Step:
    if state.kind is SessionType.AUTOMATION:
        return Step(replace(state, phase=Phase.WAITING_NETWORK_RETRY), WaitForNetwork())
    return _idle(state, "failed")


def _looked(state: State, event: SchedulerHeartbeat, limits: Limits) -> Step:
    """Ends an automation that rested for too long; one that works, or waits for the network, is not inactive."""
    if event.expired and state.kind is SessionType.AUTOMATION and state.phase in RESTING:
        return _close(state, EndReason.TIMEOUT)
    return Step(state)


#: For every event: the phases it may happen in, and what follows. There is no other way to move.
_TABLE: dict[type, tuple[Collection[Phase], Callable[[State, Any, Limits], Step]]] = {
    SessionActivationRequested: ({Phase.IDLE}, _start),
    UserMessageSent: (RESTING, _start),
    EnrichmentsExecuted: ({Phase.EXECUTING_ENRICHMENTS}, lambda state, event, limits: _call(state, limits)),
    AIResponseReceived: ({Phase.CALLING_AI}, _received),
    AIResponseParsed: ({Phase.PARSING_AI_RESPONSE}, _parsed),
    ValidationRequested: ({Phase.EXECUTING_ACTIONS}, lambda state, event, limits: _ask(state, Waiting("validation"))),
    ValidationReceived: ({Phase.WAITING_VALIDATION}, _acted),
    CommunicationResponseReceived: ({Phase.WAITING_COMMUNICATION_RESPONSE}, _answered),
    DataQueriesExecuted: (
        {Phase.EXECUTING_DATA_QUERIES},
        lambda state, event, limits: _call(replace(state, rounds=state.rounds + 1, failure="", failures=0), limits),
    ),
    ActionsExecuted: ({Phase.EXECUTING_ACTIONS}, _acted),
    CompletionConfirmed: (
        {Phase.WAITING_COMPLETION_CONFIRMATION},
        lambda state, event, limits: _close(state, EndReason.COMPLETED),
    ),
    CompletionRejected: (
        {Phase.WAITING_COMPLETION_CONFIRMATION},
        lambda state, event, limits: _call(replace(state, waiting=None), limits),
    ),
    NetworkErrorOccurred: ({Phase.CALLING_AI}, _offline),
    ParseErrorOccurred: (
        {Phase.PARSING_AI_RESPONSE, Phase.EXECUTING_DATA_QUERIES},
        lambda state, event, limits: _failed_again(state, event.failure, Phase.RETRYING_AFTER_FORMAT_ERROR, limits),
    ),
    ActionFailureOccurred: (
        {Phase.EXECUTING_ACTIONS},
        lambda state, event, limits: _failed_again(state, event.failure, Phase.RETRYING_AFTER_ACTION_FAILURE, limits),
    ),
    RetryScheduled: (
        {Phase.RETRYING_AFTER_FORMAT_ERROR, Phase.RETRYING_AFTER_ACTION_FAILURE},
        lambda state, event, limits: _call(state, limits),
    ),
    NetworkRetryScheduled: (
        {Phase.WAITING_NETWORK_RETRY},
        lambda state, event, limits: Step(state, WaitForNetwork()),
    ),
    NetworkAvailable: ({Phase.WAITING_NETWORK_RETRY}, lambda state, event, limits: _call(state, limits)),
    SystemErrorOccurred: (ACTIVE, lambda state, event, limits: _idle(state, "failed")),
    SessionCompleted: (OPEN, lambda state, event, limits: _close(state, event.reason)),
    RunStopped: (OPEN, lambda state, event, limits: _idle(state, "stopped")),
    SchedulerHeartbeat: (frozenset(Phase), _looked),
}
