"""What the machine decides in a chat, in an automation and after a crash."""

import pytest

from chat.engine.machine import resume, transition
from chat.engine.states import EndReason, Limits, Phase, State, Waiting
from chat.engine.transitions import (
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
    NetworkAvailable,
    NetworkErrorOccurred,
    NetworkRetryScheduled,
    ParseErrorOccurred,
    Rest,
    RetryScheduled,
    RunActions,
    RunStopped,
    ScheduleRetry,
    SchedulerHeartbeat,
    SessionActivationRequested,
    SessionCompleted,
    SystemErrorOccurred,
    Transition,
    UserMessageSent,
    ValidationReceived,
    ValidationRequested,
    WaitForNetwork,
)
from chat.models import SessionType

CHAT, AUTOMATION = State(session_type=SessionType.CHAT), State(session_type=SessionType.AUTOMATION)
LIMITS = Limits()


def follow(state: State, *events: Event, limits: Limits = LIMITS) -> Transition:
    step = Transition(state)
    for event in events:
        step = transition(step.state, event, limits)
    return step


REPLY = AIResponseReceived()
#: One round: the model asks for something, which is read.
ROUND = (REPLY, AIResponseParsed(queries=True), DataQueriesExecuted())
BEGUN = (UserMessageSent(), EnrichmentsExecuted())
ACTIVATED = (SessionActivationRequested(), EnrichmentsExecuted())


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
        assert follow(state, expired) == Transition(state)


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
