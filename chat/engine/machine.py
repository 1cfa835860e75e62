"""The engine's decisions, of chats and automations: `transition(state, event)` is pure and total over the table."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from chat.engine import transitions
from chat.engine.states import EndReason, Limits, Phase, State, Waiting
from chat.engine.transitions import IllegalTransition, Transition
from chat.models import SessionType

#: A person may write whenever the session rests.
RESTING = frozenset({Phase.IDLE, Phase.WAITING_VALIDATION, Phase.WAITING_COMMUNICATION_RESPONSE})
#: A process drives the session.
ACTIVE = frozenset(Phase) - RESTING - {Phase.COMPLETED}
OPEN = RESTING | ACTIVE


def transition(state: State, event: transitions.Event, limits: Limits) -> Transition:
    """The next state and what to do there. Raises `IllegalTransition`; changes nothing."""
    phases, decide = _TABLE[type(event)]
    if state.phase not in phases:
        raise IllegalTransition(f"{type(event).__name__} in {state.phase}")
    return decide(state, event, limits)


def resume(state: State) -> Transition:
    """What to do after the process went away. Raises `IllegalTransition` for a session that waits for nothing."""
    match state.phase:
        case Phase.EXECUTING_ENRICHMENTS:
            return Transition(state, transitions.Enrich())
        case Phase.CALLING_AI | Phase.PARSING_AI_RESPONSE | Phase.EXECUTING_DATA_QUERIES | Phase.EXECUTING_ACTIONS:
            # The reply died with the process, and nothing of it had an effect: the model is asked again.
            return Transition(replace(state, phase=Phase.CALLING_AI), transitions.CallModel(_tools_left(state)))
        case Phase.WAITING_COMMUNICATION_RESPONSE | Phase.WAITING_VALIDATION if state.waiting:
            return Transition(state, transitions.AskPerson(state.waiting))
        case Phase.RETRYING_AFTER_FORMAT_ERROR | Phase.RETRYING_AFTER_ACTION_FAILURE:
            return Transition(state, transitions.ScheduleRetry())
        case Phase.WAITING_NETWORK_RETRY:
            return Transition(state, transitions.WaitForNetwork())
        case Phase.WAITING_COMPLETION_CONFIRMATION:
            return Transition(state, transitions.ConfirmCompletion())
        case _:
            raise IllegalTransition(f"nothing to resume in {state.phase}")


def _tools_left(state: State) -> bool:
    """Whether tools may be called in this turn; an automation counts round trips instead of rounds."""
    return state.session_type is SessionType.AUTOMATION or state.rounds < state.rounds_allowed


def _start(state: State, event: transitions.Event, limits: Limits) -> Transition:
    fresh = replace(
        state,
        phase=Phase.EXECUTING_ENRICHMENTS,
        rounds=0,
        rounds_allowed=limits.tool_rounds,
        failure="",
        failures=0,
        waiting=None,
    )
    return Transition(fresh, transitions.Enrich())


def _call(state: State, limits: Limits) -> Transition:
    """Asks the model, or a person if the rounds are used up, or ends an automation at its limit."""
    if state.session_type is SessionType.AUTOMATION:
        if state.round_trips >= limits.automation_round_trips:
            return _close(state, EndReason.LIMIT_REACHED)
    elif not _tools_left(state) and 0 < state.rounds_allowed < limits.tool_rounds_extended:
        return _ask(state, Waiting("tool_limit"))
    return Transition(replace(state, phase=Phase.CALLING_AI, waiting=None), transitions.CallModel(_tools_left(state)))


def _ask(state: State, waiting: Waiting) -> Transition:
    phase = Phase.WAITING_VALIDATION if waiting.waits_for == "validation" else Phase.WAITING_COMMUNICATION_RESPONSE
    return Transition(replace(state, phase=phase, waiting=waiting), transitions.AskPerson(waiting))


def _close(state: State, reason: EndReason) -> Transition:
    closed = replace(state, phase=Phase.COMPLETED, waiting=None, end_reason=reason)
    return Transition(closed, transitions.Rest("finished" if reason is EndReason.COMPLETED else "stopped"))


def _idle(state: State, reason: str) -> Transition:
    """Rests in a chat; ends an automation."""
    if state.session_type is SessionType.AUTOMATION:
        ends = {"finished": EndReason.COMPLETED, "stopped": EndReason.CANCELLED, "failed": EndReason.ERROR}
        closed = replace(state, phase=Phase.COMPLETED, waiting=None, end_reason=ends[reason])
        return Transition(closed, transitions.Rest(reason))  # type: ignore[arg-type]
    return Transition(replace(state, phase=Phase.IDLE, waiting=None), transitions.Rest(reason))  # type: ignore[arg-type]


def _received(state: State, event: transitions.Event, limits: Limits) -> Transition:
    counted = replace(state, phase=Phase.PARSING_AI_RESPONSE, round_trips=state.round_trips + 1)
    return Transition(counted, transitions.ParseReply())


def _parsed(state: State, event: transitions.AIResponseParsed, limits: Limits) -> Transition:
    if event.actions:
        return Transition(replace(state, phase=Phase.EXECUTING_ACTIONS), transitions.RunActions())
    if event.queries:
        return Transition(replace(state, phase=Phase.EXECUTING_DATA_QUERIES), transitions.RunQueries())
    if event.question_id and state.session_type is SessionType.CHAT:
        return _ask(state, Waiting("question", event.question_id))
    if event.completed and state.session_type is SessionType.AUTOMATION:
        waiting = Waiting("completion")
        confirming = replace(state, phase=Phase.WAITING_COMPLETION_CONFIRMATION, waiting=waiting)
        return Transition(confirming, transitions.ConfirmCompletion())
    if state.session_type is SessionType.AUTOMATION:
        return _call(state, limits)
    return _idle(state, "finished")


def _answered(state: State, event: transitions.CommunicationResponseReceived, limits: Limits) -> Transition:
    """Goes on, or gives a person who does not want to a summary: no more rounds are allowed in this turn."""
    allowed = state.rounds_allowed
    if state.waiting is not None and state.waiting.waits_for == "tool_limit":
        allowed = limits.tool_rounds_extended if event.go_on else 0
    return _call(replace(state, waiting=None, rounds_allowed=allowed), limits)


def _acted(
    state: State, event: transitions.ActionsExecuted | transitions.ValidationReceived, limits: Limits
) -> Transition:
    """Counts one round, whether the changes were made at once or after a person decided."""
    done = replace(state, rounds=state.rounds + 1, failure="", failures=0, waiting=None)
    if event.keep_control or state.session_type is SessionType.AUTOMATION:
        return _call(done, limits)
    return _idle(done, "finished")


def _queried(state: State, event: transitions.Event, limits: Limits) -> Transition:
    """Counts one round, after which nothing failed yet; a generation that searches has failed as often as before."""
    failures = state.failures if state.session_type is SessionType.GENERATION else 0
    return _call(replace(state, rounds=state.rounds + 1, failure="", failures=failures), limits)


def _failed_again(state: State, failure: str, phase: Phase, limits: Limits) -> Transition:
    """Asks the model again with the failure; one failure several times in a row ends the turn, of a generation any."""
    generates = state.session_type is SessionType.GENERATION
    failures = state.failures + 1 if generates or failure == state.failure else 1
    counted = replace(state, failure=failure, failures=failures, rounds=state.rounds + 1)
    if failures >= limits.same_failures:
        return _idle(counted, "failed")
    return Transition(replace(counted, phase=phase), transitions.ScheduleRetry())


def _offline(state: State, event: transitions.Event, limits: Limits) -> Transition:
    if state.session_type is SessionType.AUTOMATION:
        return Transition(replace(state, phase=Phase.WAITING_NETWORK_RETRY), transitions.WaitForNetwork())
    return _idle(state, "failed")


def _looked(state: State, event: transitions.SchedulerHeartbeat, limits: Limits) -> Transition:
    """Ends an automation that rested for too long; one that works, or waits for the network, is not inactive."""
    if event.expired and state.session_type is SessionType.AUTOMATION and state.phase in RESTING:
        return _close(state, EndReason.TIMEOUT)
    return Transition(state)


#: For every event: the phases it may happen in, and what follows. There is no other way to move.
_TABLE: dict[type, tuple[Collection[Phase], Callable[[State, Any, Limits], Transition]]] = {
    transitions.SessionActivationRequested: ({Phase.IDLE}, _start),
    transitions.UserMessageSent: (RESTING, _start),
    transitions.EnrichmentsExecuted: ({Phase.EXECUTING_ENRICHMENTS}, lambda state, event, limits: _call(state, limits)),
    transitions.AIResponseReceived: ({Phase.CALLING_AI}, _received),
    transitions.AIResponseParsed: ({Phase.PARSING_AI_RESPONSE}, _parsed),
    transitions.ValidationRequested: (
        {Phase.EXECUTING_ACTIONS},
        lambda state, event, limits: _ask(state, Waiting("validation")),
    ),
    transitions.ValidationReceived: ({Phase.WAITING_VALIDATION}, _acted),
    transitions.CommunicationResponseReceived: ({Phase.WAITING_COMMUNICATION_RESPONSE}, _answered),
    transitions.DataQueriesExecuted: ({Phase.EXECUTING_DATA_QUERIES}, _queried),
    transitions.ActionsExecuted: ({Phase.EXECUTING_ACTIONS}, _acted),
    transitions.CompletionConfirmed: (
        {Phase.WAITING_COMPLETION_CONFIRMATION},
        lambda state, event, limits: _close(state, EndReason.COMPLETED),
    ),
    transitions.CompletionRejected: (
        {Phase.WAITING_COMPLETION_CONFIRMATION},
        lambda state, event, limits: _call(replace(state, waiting=None), limits),
    ),
    transitions.NetworkErrorOccurred: ({Phase.CALLING_AI}, _offline),
    transitions.ParseErrorOccurred: (
        {Phase.PARSING_AI_RESPONSE, Phase.EXECUTING_DATA_QUERIES},
        lambda state, event, limits: _failed_again(state, event.failure, Phase.RETRYING_AFTER_FORMAT_ERROR, limits),
    ),
    transitions.ActionFailureOccurred: (
        {Phase.EXECUTING_ACTIONS},
        lambda state, event, limits: _failed_again(state, event.failure, Phase.RETRYING_AFTER_ACTION_FAILURE, limits),
    ),
    transitions.RetryScheduled: (
        {Phase.RETRYING_AFTER_FORMAT_ERROR, Phase.RETRYING_AFTER_ACTION_FAILURE},
        lambda state, event, limits: _call(state, limits),
    ),
    transitions.NetworkRetryScheduled: (
        {Phase.WAITING_NETWORK_RETRY},
        lambda state, event, limits: Transition(state, transitions.WaitForNetwork()),
    ),
    transitions.NetworkAvailable: ({Phase.WAITING_NETWORK_RETRY}, lambda state, event, limits: _call(state, limits)),
    transitions.SystemErrorOccurred: (ACTIVE, lambda state, event, limits: _idle(state, "failed")),
    transitions.SessionCompleted: (OPEN, lambda state, event, limits: _close(state, event.reason)),
    transitions.RunStopped: (OPEN, lambda state, event, limits: _idle(state, "stopped")),
    transitions.SchedulerHeartbeat: (frozenset(Phase), _looked),
}
