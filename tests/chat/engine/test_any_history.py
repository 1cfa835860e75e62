"""The machine in every phase and with every event: what is legal, and that it never gets lost."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.engine import transitions
from chat.engine.machine import resume, transition
from chat.engine.states import EndReason, Limits, Phase, State, Waiting, load
from chat.models import SessionType

CHAT, AUTOMATION = State(session_type=SessionType.CHAT), State(session_type=SessionType.AUTOMATION)
LIMITS = Limits()


#: Every event with everything it can say that makes a difference.
EVENTS: list[transitions.Event] = [
    transitions.SessionActivationRequested(),
    transitions.UserMessageSent(),
    transitions.EnrichmentsExecuted(),
    transitions.AIResponseReceived(),
    transitions.AIResponseParsed(),
    transitions.AIResponseParsed(queries=True),
    transitions.AIResponseParsed(actions=True),
    transitions.AIResponseParsed(question_id="q1"),
    transitions.AIResponseParsed(completed=True),
    transitions.ValidationRequested(),
    transitions.ValidationReceived(keep_control=True),
    transitions.ValidationReceived(keep_control=False),
    transitions.CommunicationResponseReceived(),
    transitions.CommunicationResponseReceived(go_on=True),
    transitions.CommunicationResponseReceived(go_on=False),
    transitions.DataQueriesExecuted(),
    transitions.ActionsExecuted(keep_control=True),
    transitions.ActionsExecuted(keep_control=False),
    transitions.CompletionConfirmed(),
    transitions.CompletionRejected(),
    transitions.NetworkErrorOccurred(),
    transitions.ParseErrorOccurred("no JSON"),
    transitions.ParseErrorOccurred("no such tool"),
    transitions.ActionFailureOccurred("no such node"),
    transitions.RetryScheduled(),
    transitions.NetworkRetryScheduled(),
    transitions.NetworkAvailable(),
    transitions.SystemErrorOccurred(),
    transitions.SessionCompleted(EndReason.SUSPENDED),
    transitions.RunStopped(),
    transitions.SchedulerHeartbeat(),
    transitions.SchedulerHeartbeat(expired=True),
]

ALWAYS: set[type] = {transitions.SchedulerHeartbeat}
WHILE_OPEN = {*ALWAYS, transitions.SessionCompleted, transitions.RunStopped}
WHILE_DRIVEN = {*WHILE_OPEN, transitions.SystemErrorOccurred}
#: What may happen where, written down from the description of the phases, not from the machine.
LEGAL: dict[Phase, set[type]] = {
    Phase.IDLE: {*WHILE_OPEN, transitions.UserMessageSent, transitions.SessionActivationRequested},
    Phase.EXECUTING_ENRICHMENTS: {*WHILE_DRIVEN, transitions.EnrichmentsExecuted},
    Phase.CALLING_AI: {*WHILE_DRIVEN, transitions.AIResponseReceived, transitions.NetworkErrorOccurred},
    Phase.PARSING_AI_RESPONSE: {*WHILE_DRIVEN, transitions.AIResponseParsed, transitions.ParseErrorOccurred},
    Phase.WAITING_VALIDATION: {*WHILE_OPEN, transitions.ValidationReceived, transitions.UserMessageSent},
    Phase.WAITING_COMMUNICATION_RESPONSE: {
        *WHILE_OPEN,
        transitions.CommunicationResponseReceived,
        transitions.UserMessageSent,
    },
    Phase.EXECUTING_DATA_QUERIES: {*WHILE_DRIVEN, transitions.DataQueriesExecuted, transitions.ParseErrorOccurred},
    Phase.EXECUTING_ACTIONS: {
        *WHILE_DRIVEN,
        transitions.ActionsExecuted,
        transitions.ActionFailureOccurred,
        transitions.ValidationRequested,
    },
    Phase.WAITING_COMPLETION_CONFIRMATION: {
        *WHILE_DRIVEN,
        transitions.CompletionConfirmed,
        transitions.CompletionRejected,
    },
    Phase.WAITING_NETWORK_RETRY: {*WHILE_DRIVEN, transitions.NetworkRetryScheduled, transitions.NetworkAvailable},
    Phase.RETRYING_AFTER_FORMAT_ERROR: {*WHILE_DRIVEN, transitions.RetryScheduled},
    Phase.RETRYING_AFTER_ACTION_FAILURE: {*WHILE_DRIVEN, transitions.RetryScheduled},
    Phase.COMPLETED: ALWAYS,
}
POSSIBLE = {phase: [event for event in EVENTS if type(event) in legal] for phase, legal in LEGAL.items()}
#: Without what ends everything or changes nothing: if that were chosen often, no history would be long.
ONWARD = {phase: [event for event in legal if type(event) not in WHILE_DRIVEN] for phase, legal in POSSIBLE.items()}
#: What has to be done in a phase; a heartbeat asks for nothing.
EFFECTS: dict[Phase, type] = {
    Phase.IDLE: transitions.Rest,
    Phase.EXECUTING_ENRICHMENTS: transitions.Enrich,
    Phase.CALLING_AI: transitions.CallModel,
    Phase.PARSING_AI_RESPONSE: transitions.ParseReply,
    Phase.WAITING_VALIDATION: transitions.AskPerson,
    Phase.WAITING_COMMUNICATION_RESPONSE: transitions.AskPerson,
    Phase.EXECUTING_DATA_QUERIES: transitions.RunQueries,
    Phase.EXECUTING_ACTIONS: transitions.RunActions,
    Phase.WAITING_COMPLETION_CONFIRMATION: transitions.ConfirmCompletion,
    Phase.WAITING_NETWORK_RETRY: transitions.WaitForNetwork,
    Phase.RETRYING_AFTER_FORMAT_ERROR: transitions.ScheduleRetry,
    Phase.RETRYING_AFTER_ACTION_FAILURE: transitions.ScheduleRetry,
    Phase.COMPLETED: transitions.Rest,
}
WAITING_PHASES = {
    Phase.WAITING_VALIDATION: {"validation"},
    Phase.WAITING_COMMUNICATION_RESPONSE: {"question", "tool_limit"},
    Phase.WAITING_COMPLETION_CONFIRMATION: {"completion"},
}


def check(step: transitions.Transition, event: transitions.Event, before: State) -> None:
    state = step.state
    assert step.effect is None or type(step.effect) is EFFECTS[state.phase]
    assert step.effect is not None or isinstance(event, transitions.SchedulerHeartbeat)
    kinds = WAITING_PHASES.get(state.phase, set())
    assert (state.waiting.waits_for in kinds) if state.waiting else not kinds
    assert (state.end_reason is not None) == (state.phase is Phase.COMPLETED)
    assert state.session_type is before.session_type
    assert state.round_trips - before.round_trips == isinstance(event, transitions.AIResponseReceived)
    assert state.failures < LIMITS.same_failures or isinstance(step.effect, transitions.Rest | None)
    if state.session_type is SessionType.AUTOMATION:
        assert state.phase is not Phase.IDLE or before.phase is Phase.IDLE
        assert state.round_trips <= LIMITS.automation_round_trips
    elif isinstance(step.effect, transitions.CallModel):
        assert step.effect.tools == (state.rounds < state.rounds_allowed)
        assert state.rounds_allowed in {0, LIMITS.tool_rounds, LIMITS.tool_rounds_extended}
    assert load(json.loads(json.dumps(state.to_json()))) == state


def check_resume(state: State) -> None:
    """Whatever was stored, the next process knows what to do, and does what the phase asks for."""
    if state.phase in {Phase.IDLE, Phase.COMPLETED}:
        with pytest.raises(transitions.IllegalTransition):
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
            with pytest.raises(transitions.IllegalTransition):
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
                with pytest.raises(transitions.IllegalTransition):
                    transition(state, event, LIMITS)


def test_it_knows_every_event_and_phase() -> None:
    classes = [
        named
        for named in vars(transitions).values()
        if isinstance(named, type) and issubclass(named, transitions.Event)
    ]
    assert {type(event) for event in EVENTS} == set(classes) - {transitions.Event}
    assert set(LEGAL) == set(EFFECTS) == set(Phase)
    assert len(Phase) == 13


def test_it_reaches_every_phase() -> None:
    reached: set[State] = {CHAT, AUTOMATION}
    fresh = set(reached)
    for _ in range(8):
        following = {
            transition(state, event, LIMITS).state
            for state in fresh
            for event in EVENTS
            if type(event) in LEGAL[state.phase]
        }
        fresh = following - reached
        reached |= following
    assert {state.phase for state in reached} == set(Phase)
