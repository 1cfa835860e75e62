import json
import os
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.engine.machine import resume, transition
from chat.engine.states import EndReason, Limits, Phase, SessionKind, State, Waiting, load
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

CHAT, AUTOMATION = State(kind=SessionKind.CHAT), State(kind=SessionKind.AUTOMATION)
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


def follow(state: State, *events: Event, limits: Limits = LIMITS) -> Step:
    step = Step(state)
    for event in events:
        step = transition(step.state, event, limits)
    return step


REPLY = AIResponseReceived()
#: One round: the model asks for something, which is read.
ROUND = (REPLY, AIResponseParsed(queries=True), DataQueriesExecuted())
BEGUN = (UserMessageSent(), EnrichmentsExecuted())
ACTIVATED = (SessionActivationRequested(), EnrichmentsExecuted())


# --- any history --------------------------------------------------------------------------------------------------


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
    if state.kind is SessionKind.AUTOMATION:
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


@pytest.mark.parametrize("kind", list(SessionKind))
def test_it_refuses_every_event_where_it_cannot_happen(kind: SessionKind) -> None:
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


# --- chat ---------------------------------------------------------------------------------------------------------


def test_it_answers_without_tools_and_rests() -> None:
    step = follow(CHAT, *BEGUN, REPLY, AIResponseParsed())
    assert (step.state.phase, step.effect, step.state.round_trips) == (Phase.IDLE, Rest("finished"), 1)


def test_it_asks_the_person_after_five_rounds() -> None:
    fourth = follow(CHAT, *BEGUN, *ROUND * 4)
    assert fourth.effect == CallModel(tools=True)
    fifth = follow(fourth.state, *ROUND)
    assert fifth.effect == AskPerson(Waiting("tool_limit"))
    assert (fifth.state.phase, fifth.state.rounds) == (Phase.WAITING_COMMUNICATION_RESPONSE, 5)


def test_it_goes_on_to_ten_rounds_and_then_calls_once_more_without_tools() -> None:
    asked = follow(CHAT, *BEGUN, *ROUND * 5).state
    going_on = follow(asked, CommunicationResponseReceived(go_on=True))
    assert going_on.effect == CallModel(tools=True)
    ninth = follow(going_on.state, *ROUND * 4)
    assert ninth.effect == CallModel(tools=True)
    tenth = follow(ninth.state, *ROUND)
    assert tenth.effect == CallModel(tools=False)
    assert follow(tenth.state, REPLY, AIResponseParsed()).effect == Rest("finished")


def test_it_summarises_without_tools_when_the_person_does_not_want_more() -> None:
    asked = follow(CHAT, *BEGUN, *ROUND * 5).state
    summary = follow(asked, CommunicationResponseReceived(go_on=False))
    assert summary.effect == CallModel(tools=False)
    assert resume(summary.state).effect == CallModel(tools=False)


@pytest.mark.parametrize("go_on", [True, False])
def test_it_asks_only_once_even_when_the_last_call_is_unusable(go_on: bool) -> None:
    """A model that calls tools although none are offered must not reopen the question."""
    last = follow(CHAT, *BEGUN, *ROUND * 5, CommunicationResponseReceived(go_on=go_on), *(ROUND * 5 if go_on else ()))
    unusable = (REPLY, ParseErrorOccurred("tools called although none were offered"))
    for _ in range(2):
        assert last.effect == CallModel(tools=False)
        last = follow(last.state, *unusable, RetryScheduled())
    assert follow(last.state, *unusable).effect == Rest("failed")


def test_it_begins_the_next_question_with_five_rounds_again() -> None:
    asked = follow(CHAT, *BEGUN, *ROUND * 5).state
    done = follow(asked, CommunicationResponseReceived(go_on=False), REPLY, AIResponseParsed()).state
    assert follow(done, *BEGUN, *ROUND * 4).effect == CallModel(tools=True)
    assert follow(asked, *BEGUN, *ROUND * 4).effect == CallModel(tools=True)


def test_it_ends_however_often_the_model_asks_for_more() -> None:
    """The longest turn: ten rounds and the last call."""
    step = follow(CHAT, *BEGUN)
    calls = 0
    while isinstance(step.effect, CallModel | AskPerson):
        if isinstance(step.effect, AskPerson):
            step = follow(step.state, CommunicationResponseReceived(go_on=True))
            continue
        calls += 1
        step = follow(step.state, *ROUND) if step.effect.tools else follow(step.state, REPLY, AIResponseParsed())
    assert (calls, step.effect) == (11, Rest("finished"))


@pytest.mark.parametrize(
    ("limits", "with_tools"), [(Limits(tool_rounds=0), 0), (Limits(tool_rounds=10), 10), (Limits(12, 10), 12)]
)
def test_it_keeps_to_other_limits_without_asking(limits: Limits, with_tools: int) -> None:
    step = follow(CHAT, *BEGUN, *ROUND * with_tools, limits=limits)
    assert step.effect == CallModel(tools=False)


def test_it_gives_up_after_the_same_failure_three_times() -> None:
    failing = (REPLY, ParseErrorOccurred("no JSON"))
    first = follow(CHAT, *BEGUN, *failing)
    assert (first.effect, first.state.phase) == (ScheduleRetry(), Phase.RETRYING_AFTER_FORMAT_ERROR)
    second = follow(first.state, RetryScheduled(), *failing)
    assert second.effect == ScheduleRetry()
    third = follow(second.state, RetryScheduled(), *failing)
    assert (third.effect, third.state.phase) == (Rest("failed"), Phase.IDLE)


@pytest.mark.parametrize("between", [(REPLY, ParseErrorOccurred("another"), RetryScheduled()), ROUND])
def test_it_counts_the_same_failure_only_in_a_row(between: tuple[Event, ...]) -> None:
    failing = (REPLY, ParseErrorOccurred("no JSON"), RetryScheduled())
    step = follow(CHAT, *BEGUN, *failing, *between, *failing, limits=Limits(tool_rounds=10))
    assert (step.effect, step.state.failures) == (CallModel(tools=True), 1)


def test_it_stops_actions_that_fail_the_same_way_three_times() -> None:
    failing = (REPLY, AIResponseParsed(actions=True), ActionFailureOccurred("no such node"))
    step = follow(CHAT, *BEGUN, *failing, RetryScheduled(), *failing)
    assert step.state.phase is Phase.RETRYING_AFTER_ACTION_FAILURE
    assert follow(step.state, RetryScheduled(), *failing).effect == Rest("failed")


#: A reply that proposes something, which waits for a person.
PROPOSAL = (REPLY, AIResponseParsed(actions=True), ValidationRequested())


def test_it_asks_a_person_about_changes_and_goes_on_when_all_are_decided() -> None:
    acting = follow(CHAT, *BEGUN, REPLY, AIResponseParsed(actions=True))
    assert acting.effect == RunActions()
    step = follow(acting.state, ValidationRequested())
    assert step.effect == AskPerson(Waiting("validation"))
    decided = follow(step.state, ValidationReceived())
    assert (decided.effect, decided.state.phase) == (CallModel(tools=True), Phase.CALLING_AI)
    assert follow(step.state, ValidationReceived(keep_control=False)).effect == Rest("finished")


def test_it_counts_the_rounds_of_a_turn_on_while_people_decide() -> None:
    fourth = follow(CHAT, *BEGUN, *(*PROPOSAL, ValidationReceived()) * 4)
    assert (fourth.effect, fourth.state.rounds) == (CallModel(tools=True), 4)
    assert follow(fourth.state, *PROPOSAL, ValidationReceived()).effect == AskPerson(Waiting("tool_limit"))
    assert follow(fourth.state, *PROPOSAL, UserMessageSent()).state.rounds == 0


def test_it_keeps_control_after_changes_only_when_asked_to() -> None:
    acting = follow(CHAT, *BEGUN, REPLY, AIResponseParsed(actions=True)).state
    assert follow(acting, ActionsExecuted(keep_control=True)).effect == CallModel(tools=True)
    assert follow(acting, ActionsExecuted(keep_control=False)).effect == Rest("finished")


def test_it_passes_a_question_on_and_continues_with_the_answer() -> None:
    step = follow(CHAT, *BEGUN, REPLY, AIResponseParsed(question_id="q1"))
    assert step.effect == AskPerson(Waiting("question", "q1"))
    assert follow(step.state, CommunicationResponseReceived()).effect == CallModel(tools=True)


def test_it_takes_a_new_message_instead_of_an_answer() -> None:
    asked = follow(CHAT, *BEGUN, REPLY, AIResponseParsed(question_id="q1")).state
    step = follow(asked, UserMessageSent())
    assert (step.effect, step.state.waiting) == (Enrich(), None)


@pytest.mark.parametrize("event", [NetworkErrorOccurred(), SystemErrorOccurred(), RunStopped()])
def test_it_returns_to_rest_when_a_chat_breaks_off(event: Event) -> None:
    step = follow(CHAT, *BEGUN, event)
    assert step.state.phase is Phase.IDLE
    assert step.effect == Rest("stopped" if isinstance(event, RunStopped) else "failed")
    assert follow(step.state, UserMessageSent()).effect == Enrich()


# --- automations --------------------------------------------------------------------------------------------------


def test_it_ends_an_automation_at_its_limit() -> None:
    nineteenth = follow(AUTOMATION, *ACTIVATED, *ROUND * 19)
    assert nineteenth.effect == CallModel(tools=True)
    twentieth = follow(nineteenth.state, *ROUND)
    assert (twentieth.state.phase, twentieth.state.end_reason) == (Phase.COMPLETED, EndReason.LIMIT_REACHED)
    assert twentieth.effect == Rest("stopped")


def test_it_lets_an_automation_wait_for_the_network_without_end() -> None:
    step = follow(AUTOMATION, *ACTIVATED)
    for _ in range(100):
        step = follow(step.state, NetworkErrorOccurred())
        assert step.effect == WaitForNetwork()
        step = follow(step.state, NetworkRetryScheduled(), SchedulerHeartbeat(expired=True), NetworkAvailable())
        assert step.effect == CallModel(tools=True)


def test_it_lets_a_resumed_automation_keep_its_tools() -> None:
    state = follow(AUTOMATION, *ACTIVATED, *ROUND * 12).state
    assert resume(state).effect == CallModel(tools=True)


def test_it_confirms_that_an_automation_is_done() -> None:
    step = follow(AUTOMATION, *ACTIVATED, REPLY, AIResponseParsed(completed=True))
    assert step.effect == ConfirmCompletion()
    confirmed = follow(step.state, CompletionConfirmed())
    assert (confirmed.state.end_reason, confirmed.effect) == (EndReason.COMPLETED, Rest("finished"))
    assert follow(step.state, CompletionRejected()).effect == CallModel(tools=True)


def test_it_continues_an_automation_that_says_nothing_about_an_end() -> None:
    assert follow(AUTOMATION, *ACTIVATED, REPLY, AIResponseParsed()).effect == CallModel(tools=True)
    assert follow(AUTOMATION, *ACTIVATED, REPLY, AIResponseParsed(question_id="q")).effect == CallModel(tools=True)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (RunStopped(), EndReason.CANCELLED),
        (SystemErrorOccurred(), EndReason.ERROR),
        (SessionCompleted(EndReason.SUSPENDED), EndReason.SUSPENDED),
    ],
)
def test_it_says_why_an_automation_ended(event: Event, reason: EndReason) -> None:
    assert follow(AUTOMATION, *ACTIVATED, event).state.end_reason is reason


def test_it_times_out_only_an_automation_that_rests() -> None:
    expired = SchedulerHeartbeat(expired=True)
    waiting = follow(AUTOMATION, *ACTIVATED, REPLY, AIResponseParsed(actions=True), ValidationRequested()).state
    assert follow(waiting, expired).state.end_reason is EndReason.TIMEOUT
    for state in (CHAT, follow(AUTOMATION, *ACTIVATED).state, follow(CHAT, *BEGUN).state):
        assert follow(state, expired) == Step(state)


# --- going on in another process ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "read", [(REPLY,), (REPLY, AIResponseParsed(queries=True)), (REPLY, AIResponseParsed(actions=True))]
)
def test_it_asks_the_model_again_when_the_reply_died_with_its_process(read: tuple[Event, ...]) -> None:
    before = follow(CHAT, *BEGUN).state
    step = resume(follow(before, *read).state)
    assert (step.effect, step.state.phase, step.state.rounds) == (CallModel(tools=True), Phase.CALLING_AI, 0)


def test_it_asks_the_person_again() -> None:
    asked = follow(CHAT, *BEGUN, *ROUND * 5)
    assert resume(asked.state) == asked
