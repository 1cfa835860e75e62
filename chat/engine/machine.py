"""The engine's decisions, of chats and automations: `transition(state, event)` is pure and total over the table."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from chat.engine import steps
from chat.engine.states import EndReason, Limits, Phase, State, Waiting
from chat.models import SessionType

#: A person may write whenever the session rests.
RESTING = frozenset({Phase.IDLE, Phase.WAITING_VALIDATION, Phase.WAITING_COMMUNICATION_RESPONSE})
#: A process drives the session.
ACTIVE = frozenset(Phase) - RESTING - {Phase.COMPLETED}
OPEN = RESTING | ACTIVE


def transition(state: State, event: steps.Event, limits: Limits) -> steps.Transition:
    """The next state and what to do there. Raises `IllegalTransition`; changes nothing."""
    phases, decide = _TABLE[type(event)]
    if state.phase not in phases:
        raise steps.IllegalTransition(f"{type(event).__name__} in {state.phase}")
    return decide(state, event, limits)


def resume(state: State) -> steps.Transition:
    """What to do after the process went away. Raises `IllegalTransition` for a session that waits for nothing."""
    match state.phase:
        case Phase.EXECUTING_ENRICHMENTS:
            return steps.Transition(state, steps.Enrich())
        case Phase.CALLING_AI | Phase.PARSING_AI_RESPONSE | Phase.EXECUTING_DATA_QUERIES | Phase.EXECUTING_ACTIONS:
            # The reply died with the process, and nothing of it had an effect: the model is asked again.
            return steps.Transition(replace(state, phase=Phase.CALLING_AI), steps.CallModel(_tools_left(state)))
        case Phase.WAITING_COMMUNICATION_RESPONSE | Phase.WAITING_VALIDATION if state.waiting:
            return steps.Transition(state, steps.AskPerson(state.waiting))
        case Phase.RETRYING_AFTER_FORMAT_ERROR | Phase.RETRYING_AFTER_ACTION_FAILURE:
            return steps.Transition(state, steps.ScheduleRetry())
        case Phase.WAITING_NETWORK_RETRY:
            return steps.Transition(state, steps.WaitForNetwork())
        case Phase.WAITING_COMPLETION_CONFIRMATION:
            return steps.Transition(state, steps.ConfirmCompletion())
        case _:
            raise steps.IllegalTransition(f"nothing to resume in {state.phase}")


def _tools_left(state: State) -> bool:
    """Whether tools may be called in this turn; an automation counts round trips instead of rounds."""
    return state.kind is SessionType.AUTOMATION or state.rounds < state.rounds_allowed


def _start(state: State, event: steps.Event, limits: Limits) -> steps.Transition:
    fresh = replace(
        state,
        phase=Phase.EXECUTING_ENRICHMENTS,
        rounds=0,
        rounds_allowed=limits.tool_rounds,
        failure="",
        failures=0,
        waiting=None,
    )
    return steps.Transition(fresh, steps.Enrich())


def _call(state: State, limits: Limits) -> steps.Transition:
    """Asks the model, or a person if the rounds are used up, or ends an automation at its limit."""
    if state.kind is SessionType.AUTOMATION:
        if state.round_trips >= limits.automation_round_trips:
            return _close(state, EndReason.LIMIT_REACHED)
    elif not _tools_left(state) and 0 < state.rounds_allowed < limits.tool_rounds_extended:
        return _ask(state, Waiting("tool_limit"))
    return steps.Transition(replace(state, phase=Phase.CALLING_AI, waiting=None), steps.CallModel(_tools_left(state)))


def _ask(state: State, waiting: Waiting) -> steps.Transition:
    phase = Phase.WAITING_VALIDATION if waiting.kind == "validation" else Phase.WAITING_COMMUNICATION_RESPONSE
    return steps.Transition(replace(state, phase=phase, waiting=waiting), steps.AskPerson(waiting))


def _close(state: State, reason: EndReason) -> steps.Transition:
    closed = replace(state, phase=Phase.COMPLETED, waiting=None, end_reason=reason)
    return steps.Transition(closed, steps.Rest("finished" if reason is EndReason.COMPLETED else "stopped"))


def _idle(state: State, reason: str) -> steps.Transition:
    """Rests in a chat; ends an automation."""
    if state.kind is SessionType.AUTOMATION:
        ends = {"finished": EndReason.COMPLETED, "stopped": EndReason.CANCELLED, "failed": EndReason.ERROR}
        closed = replace(state, phase=Phase.COMPLETED, waiting=None, end_reason=ends[reason])
        return steps.Transition(closed, steps.Rest(reason))  # type: ignore[arg-type]
    return steps.Transition(replace(state, phase=Phase.IDLE, waiting=None), steps.Rest(reason))  # type: ignore[arg-type]


def _received(state: State, event: steps.Event, limits: Limits) -> steps.Transition:
    counted = replace(state, phase=Phase.PARSING_AI_RESPONSE, round_trips=state.round_trips + 1)
    return steps.Transition(counted, steps.ParseReply())


def _parsed(state: State, event: steps.AIResponseParsed, limits: Limits) -> steps.Transition:
    if event.actions:
        return steps.Transition(replace(state, phase=Phase.EXECUTING_ACTIONS), steps.RunActions())
    if event.queries:
        return steps.Transition(replace(state, phase=Phase.EXECUTING_DATA_QUERIES), steps.RunQueries())
    if event.question_id and state.kind is SessionType.CHAT:
        return _ask(state, Waiting("question", event.question_id))
    if event.completed and state.kind is SessionType.AUTOMATION:
        waiting = Waiting("completion")
        confirming = replace(state, phase=Phase.WAITING_COMPLETION_CONFIRMATION, waiting=waiting)
        return steps.Transition(confirming, steps.ConfirmCompletion())
    if state.kind is SessionType.AUTOMATION:
        return _call(state, limits)
    return _idle(state, "finished")


def _answered(state: State, event: steps.CommunicationResponseReceived, limits: Limits) -> steps.Transition:
    """Goes on, or gives a person who does not want to a summary: no more rounds are allowed in this turn."""
    allowed = state.rounds_allowed
    if state.waiting is not None and state.waiting.kind == "tool_limit":
        allowed = limits.tool_rounds_extended if event.go_on else 0
    return _call(replace(state, waiting=None, rounds_allowed=allowed), limits)


def _acted(state: State, event: steps.ActionsExecuted | steps.ValidationReceived, limits: Limits) -> steps.Transition:
    """Counts one round, whether the changes were made at once or after a person decided."""
    done = replace(state, rounds=state.rounds + 1, failure="", failures=0, waiting=None)
    if event.keep_control or state.kind is SessionType.AUTOMATION:
        return _call(done, limits)
    return _idle(done, "finished")


def _failed_again(state: State, failure: str, phase: Phase, limits: Limits) -> steps.Transition:
    """Asks the model again with the failure; one failure several times in a row ends the turn."""
    failures = state.failures + 1 if failure == state.failure else 1
    counted = replace(state, failure=failure, failures=failures, rounds=state.rounds + 1)
    if failures >= limits.same_failures:
        return _idle(counted, "failed")
    return steps.Transition(replace(counted, phase=phase), steps.ScheduleRetry())


def _offline(state: State, event: steps.Event, limits: Limits) -> steps.Transition:
    if state.kind is SessionType.AUTOMATION:
        return steps.Transition(replace(state, phase=Phase.WAITING_NETWORK_RETRY), steps.WaitForNetwork())
    return _idle(state, "failed")


def _looked(state: State, event: steps.SchedulerHeartbeat, limits: Limits) -> steps.Transition:
    """Ends an automation that rested for too long; one that works, or waits for the network, is not inactive."""
    if event.expired and state.kind is SessionType.AUTOMATION and state.phase in RESTING:
        return _close(state, EndReason.TIMEOUT)
    return steps.Transition(state)


#: For every event: the phases it may happen in, and what follows. There is no other way to move.
_TABLE: dict[type, tuple[Collection[Phase], Callable[[State, Any, Limits], steps.Transition]]] = {
    steps.SessionActivationRequested: ({Phase.IDLE}, _start),
    steps.UserMessageSent: (RESTING, _start),
    steps.EnrichmentsExecuted: ({Phase.EXECUTING_ENRICHMENTS}, lambda state, event, limits: _call(state, limits)),
    steps.AIResponseReceived: ({Phase.CALLING_AI}, _received),
    steps.AIResponseParsed: ({Phase.PARSING_AI_RESPONSE}, _parsed),
    steps.ValidationRequested: (
        {Phase.EXECUTING_ACTIONS},
        lambda state, event, limits: _ask(state, Waiting("validation")),
    ),
    steps.ValidationReceived: ({Phase.WAITING_VALIDATION}, _acted),
    steps.CommunicationResponseReceived: ({Phase.WAITING_COMMUNICATION_RESPONSE}, _answered),
    steps.DataQueriesExecuted: (
        {Phase.EXECUTING_DATA_QUERIES},
        lambda state, event, limits: _call(replace(state, rounds=state.rounds + 1, failure="", failures=0), limits),
    ),
    steps.ActionsExecuted: ({Phase.EXECUTING_ACTIONS}, _acted),
    steps.CompletionConfirmed: (
        {Phase.WAITING_COMPLETION_CONFIRMATION},
        lambda state, event, limits: _close(state, EndReason.COMPLETED),
    ),
    steps.CompletionRejected: (
        {Phase.WAITING_COMPLETION_CONFIRMATION},
        lambda state, event, limits: _call(replace(state, waiting=None), limits),
    ),
    steps.NetworkErrorOccurred: ({Phase.CALLING_AI}, _offline),
    steps.ParseErrorOccurred: (
        {Phase.PARSING_AI_RESPONSE, Phase.EXECUTING_DATA_QUERIES},
        lambda state, event, limits: _failed_again(state, event.failure, Phase.RETRYING_AFTER_FORMAT_ERROR, limits),
    ),
    steps.ActionFailureOccurred: (
        {Phase.EXECUTING_ACTIONS},
        lambda state, event, limits: _failed_again(state, event.failure, Phase.RETRYING_AFTER_ACTION_FAILURE, limits),
    ),
    steps.RetryScheduled: (
        {Phase.RETRYING_AFTER_FORMAT_ERROR, Phase.RETRYING_AFTER_ACTION_FAILURE},
        lambda state, event, limits: _call(state, limits),
    ),
    steps.NetworkRetryScheduled: (
        {Phase.WAITING_NETWORK_RETRY},
        lambda state, event, limits: steps.Transition(state, steps.WaitForNetwork()),
    ),
    steps.NetworkAvailable: ({Phase.WAITING_NETWORK_RETRY}, lambda state, event, limits: _call(state, limits)),
    steps.SystemErrorOccurred: (ACTIVE, lambda state, event, limits: _idle(state, "failed")),
    steps.SessionCompleted: (OPEN, lambda state, event, limits: _close(state, event.reason)),
    steps.RunStopped: (OPEN, lambda state, event, limits: _idle(state, "stopped")),
    steps.SchedulerHeartbeat: (frozenset(Phase), _looked),
}
