"""The machine in every phase and with every event: what is legal, and that it never gets lost."""

import json
import os
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.engine.machine import resume, transition
from chat.engine.states import EndReason, Limits, Phase, State, Waiting, load
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

CHAT, AUTOMATION = State(kind=SessionType.CHAT), State(kind=SessionType.AUTOMATION)
LIMITS = Limits()


#: Every event with everything it can say that makes a difference.
EVENTS: list[Event] = [
    SessionActivationRequested(),
    UserMessageSent(),
    EnrichmentsExecuted(),
    AIResponseReceived(),
    AIResponseParsed(),
    AIResponseParsed(queries=True),
    AIResponseParsed(actions=True),
    AIResponseParsed(question_id="q1"),
    AIResponseParsed(completed=True),
    ValidationRequested(),
    ValidationReceived(keep_control=True),
    ValidationReceived(keep_control=False),
    CommunicationResponseReceived(),
    CommunicationResponseReceived(go_on=True),
    CommunicationResponseReceived(go_on=False),
    DataQueriesExecuted(),
    ActionsExecuted(keep_control=True),
    ActionsExecuted(keep_control=False),
    CompletionConfirmed(),
    CompletionRejected(),
    NetworkErrorOccurred(),
    ParseErrorOccurred("no JSON"),
    ParseErrorOccurred("no such tool"),
    ActionFailureOccurred("no such node"),
    RetryScheduled(),
    NetworkRetryScheduled(),
    NetworkAvailable(),
    SystemErrorOccurred(),
    SessionCompleted(EndReason.SUSPENDED),
    RunStopped(),
    SchedulerHeartbeat(),
    SchedulerHeartbeat(expired=True),
]

ALWAYS = {SchedulerHeartbeat}
WHILE_OPEN = {*ALWAYS, SessionCompleted, RunStopped}
WHILE_DRIVEN = {*WHILE_OPEN, SystemErrorOccurred}
#: What may happen where, written down from the description of the phases, not from the machine.
LEGAL: dict[Phase, set[type]] = {
    Phase.IDLE: {*WHILE_OPEN, UserMessageSent, SessionActivationRequested},
    Phase.EXECUTING_ENRICHMENTS: {*WHILE_DRIVEN, EnrichmentsExecuted},
    Phase.CALLING_AI: {*WHILE_DRIVEN, AIResponseReceived, NetworkErrorOccurred},
    Phase.PARSING_AI_RESPONSE: {*WHILE_DRIVEN, AIResponseParsed, ParseErrorOccurred},
    Phase.WAITING_VALIDATION: {*WHILE_OPEN, ValidationReceived, UserMessageSent},
    Phase.WAITING_COMMUNICATION_RESPONSE: {*WHILE_OPEN, CommunicationResponseReceived, UserMessageSent},
    Phase.EXECUTING_DATA_QUERIES: {*WHILE_DRIVEN, DataQueriesExecuted, ParseErrorOccurred},
    Phase.EXECUTING_ACTIONS: {*WHILE_DRIVEN, ActionsExecuted, ActionFailureOccurred, ValidationRequested},
    Phase.WAITING_COMPLETION_CONFIRMATION: {*WHILE_DRIVEN, CompletionConfirmed, CompletionRejected},
    Phase.WAITING_NETWORK_RETRY: {*WHILE_DRIVEN, NetworkRetryScheduled, NetworkAvailable},
    Phase.RETRYING_AFTER_FORMAT_ERROR: {*WHILE_DRIVEN, RetryScheduled},
    Phase.RETRYING_AFTER_ACTION_FAILURE: {*WHILE_DRIVEN, RetryScheduled},
    Phase.COMPLETED: ALWAYS,
}
POSSIBLE = {phase: [event for event in EVENTS if type(event) in legal] for phase, legal in LEGAL.items()}
#: Without what ends everything or changes nothing: if that were chosen often, no history would be long.
ONWARD = {phase: [event for event in legal if type(event) not in WHILE_DRIVEN] for phase, legal in POSSIBLE.items()}
#: What has to be done in a phase; a heartbeat asks for nothing.
EFFECTS: dict[Phase, type] = {
    Phase.IDLE: Rest,
    Phase.EXECUTING_ENRICHMENTS: Enrich,
    Phase.CALLING_AI: CallModel,
    Phase.PARSING_AI_RESPONSE: ParseReply,
    Phase.WAITING_VALIDATION: AskPerson,
    Phase.WAITING_COMMUNICATION_RESPONSE: AskPerson,
    Phase.EXECUTING_DATA_QUERIES: RunQueries,
    Phase.EXECUTING_ACTIONS: RunActions,
    Phase.WAITING_COMPLETION_CONFIRMATION: ConfirmCompletion,
    Phase.WAITING_NETWORK_RETRY: WaitForNetwork,
    Phase.RETRYING_AFTER_FORMAT_ERROR: ScheduleRetry,
    Phase.RETRYING_AFTER_ACTION_FAILURE: ScheduleRetry,
    Phase.COMPLETED: Rest,
}
WAITING_PHASES = {
    Phase.WAITING_VALIDATION: {"validation"},
    Phase.WAITING_COMMUNICATION_RESPONSE: {"question", "tool_limit"},
    Phase.WAITING_COMPLETION_CONFIRMATION: {"completion"},
}


def check(step: Step, event: Event, before: State) -> None:
    state = step.state
    assert step.effect is None or type(step.effect) is EFFECTS[state.phase]
    assert step.effect is not None or isinstance(event, SchedulerHeartbeat)
    kinds = WAITING_PHASES.get(state.phase, set())
    assert (state.waiting.kind in kinds) if state.waiting else not kinds
    assert (state.end_reason is not None) == (state.phase is Phase.COMPLETED)
    assert state.kind is before.kind
    assert state.round_trips - before.round_trips == isinstance(event, AIResponseReceived)
    assert state.failures < LIMITS.same_failures or isinstance(step.effect, Rest | None)
    if state.kind is SessionType.AUTOMATION:
        assert state.phase is not Phase.IDLE or before.phase is Phase.IDLE
        assert state.round_trips <= LIMITS.automation_round_trips
    elif isinstance(step.effect, CallModel):
        assert step.effect.tools == (state.rounds < state.rounds_allowed)
        assert state.rounds_allowed in {0, LIMITS.tool_rounds, LIMITS.tool_rounds_extended}
    assert load(json.loads(json.dumps(state.to_json()))) == state


def check_resume(state: State) -> None:
    """Whatever was stored, the next process knows what to do, and does what the phase asks for."""
    if state.phase in {Phase.IDLE, Phase.COMPLETED}:
        with pytest.raises(IllegalTransition):
            resume(state)
        return
    step = resume(state)
    assert type(step.effect) is EFFECTS[step.state.phase]


@pytest.mark.faults
@settings(max_examples=10_000 if os.environ.get("FULL") else 2_500, deadline=None)
@given(st.sampled_from([CHAT, AUTOMATION]), st.binary(max_size=60))
def test_it_follows_every_history_and_takes_no_illegal_step(state: State, history: bytes) -> None:
    """A byte above 223 tries any event at all, the others choose among those that may happen."""
    for byte in history:
        legal, onward = POSSIBLE[state.phase], ONWARD[state.phase]
        choice = EVENTS if byte > 223 else legal if byte > 207 else onward or legal
        event = choice[byte % len(choice)]
        if event not in legal:
            with pytest.raises(IllegalTransition):
                transition(state, event, LIMITS)
            continue
        step = transition(state, event, LIMITS)
        check(step, event, state)
        check_resume(step.state)
        state = step.state


@pytest.mark.parametrize("kind", list(SessionType))
def test_it_refuses_every_event_where_it_cannot_happen(kind: SessionType) -> None:
    for phase, legal in LEGAL.items():
        waiting = Waiting(min(WAITING_PHASES[phase])) if phase in WAITING_PHASES else None  # type: ignore[arg-type]
        state = State(phase, kind, rounds_allowed=5, waiting=waiting)
        for event in EVENTS:
            if type(event) in legal:
                transition(state, event, LIMITS)
            else:
                with pytest.raises(IllegalTransition):
                    transition(state, event, LIMITS)


def test_it_knows_every_event_and_phase() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))
    assert set(LEGAL) == set(EFFECTS) == set(Phase)
    assert len(Phase) == 13


def test_it_reaches_every_phase() -> None:
    reached: set[State] = {CHAT, AUTOMATION}
    fresh = set(reached)
    for _ in range(8):
        steps = {
            transition(state, event, LIMITS).state
            for state in fresh
            for event in EVENTS
            if type(event) in LEGAL[state.phase]
        }
        fresh = steps - reached
        reached |= steps
    assert {state.phase for state in reached} == set(Phase)
