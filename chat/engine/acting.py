"""A reply with changes, in the database: its calls are proposed and its round is stored in one transaction.

If that ends the run, because a person has to decide, it ends in that same transaction. So a crash proposes everything
once or nothing, and nobody can decide about an answer that is still on its way.
"""

import logging
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from django.db import Error as DatabaseTrouble
from django.db import transaction

from chat.engine import generation_prompts, machine, open_calls, run_storage, transitions
from chat.engine.claims import ClaimedRun
from chat.engine.endings import Endings
from chat.engine.error_texts import Failure
from chat.engine.generating import follow_up
from chat.engine.states import Limits, State
from chat.engine.tool_calls import CheckedCall
from chat.events.transcript import Transcript
from chat.events.vocabulary import NewEvent
from chat.models import Message, Proposal, ProposalStatus, Round, Run, RunStatus, Session
from chat.prompts import decisions
from chat.prompts.round_messages import round_of
from chat.proposals import Proposed, hold_all, propose, propose_fetch
from chat.providers.pieces import Reply
from chat.spending.calls import CallCost
from chat.spending.settling import record_costs
from chat.tools.tool import ToolContext
from graphs.objects import actions
from graphs.objects.actions import ChangeRefused
from graphs.objects.refs import Ref

#: Told of a call that would change nothing.
ALREADY_SO = "Everything is like this already; nothing was changed."

log = logging.getLogger("countersign.engine")

Outcome = (
    transitions.ActionsExecuted
    | transitions.ActionFailureOccurred
    | transitions.ValidationRequested
    | transitions.RunStopped
    | transitions.SystemErrorOccurred
)


@dataclass(frozen=True, slots=True)
class ProposalResult:
    """What became of a reply: the answer's rounds with it, the events of its calls, and whether the run has ended.

    `failure`: why nothing can come of it, whatever the model may write.
    """

    rounds: list[Round]
    events: tuple[NewEvent, ...]
    outcome: Outcome
    over: bool = False
    failure: Failure | None = None


@dataclass(slots=True)
class ProposalRound:
    """A reply whose reading calls have results; `state` is the session's before, `result` is there once committed."""

    run: ClaimedRun
    context: ToolContext
    provenance: run_storage.Provenance
    reply: Reply
    calls: Sequence[CheckedCall]
    rounds: list[Round]
    transcript: Transcript
    state: State
    limits: Limits
    endings: Endings
    result: ProposalResult | None = None

    def perform(self, costs: Sequence[CallCost]) -> None:
        """Proposes what writes and stores the round. Does nothing a second time, nor once the run was stopped."""
        with transaction.atomic():
            result = self._perform(costs)
        self.result = result

    def _perform(self, costs: Sequence[CallCost]) -> ProposalResult:
        if self.run.generation is not None:
            # Its stream is that of the object: like who edits by hand, hold the object before that.
            hold_all(self.context.member, self.context.about, [])
        run_storage.hold(self.run)
        answer = Message.objects.get(pk=self.run.message_id)
        run = Run.objects.get(pk=self.run.id)
        if len(answer.rounds) > len(self.rounds):  # the commit had happened, only its answer was lost
            return self._performed_before(answer, over=run.status != RunStatus.RUNNING)
        if run.stop_requested_at is not None:
            record_costs(self.run.account, costs)
            return ProposalResult(self.rounds, (), transitions.RunStopped())
        if failure := self._hindered():
            record_costs(self.run.account, costs)
            return ProposalResult(self.rounds, (), transitions.SystemErrorOccurred(), failure=failure)
        self.provenance.save_to(answer)
        session = Session.objects.select_related("stream", "workspace").get(pk=self.run.session_id)
        writing = [call for call in self.calls if call.writes]
        if len(writing) > 1:
            asked = [proposal.action for call in writing for proposal in call.proposals()]
            hold_all(self.context.member, self.context.about, asked)
        proposing = [call for call in self.calls if call.proposes]
        events = [event for call in proposing for event in self._propose(session, answer, call)]
        transcript = deepcopy(self.transcript)
        for event in events:
            transcript.add(event.type, event.data)
        calls = [replace(transcript.calls[call.id], arguments=call.arguments) for call in self.reply.tool_calls]
        round_ = round_of(self.reply, calls)
        rounds = [*self.rounds, round_]
        outcome = self._outcome(round_)
        if isinstance(outcome, transitions.ActionsExecuted):
            for text in open_calls.words_after(round_):
                said = {"delta": transcript.paragraph(text)}
                rounds.append(Round(text, aside=True))
                events.append(NewEvent("content_delta", said, self.run.message_id, self.run.id))
                transcript.add("content_delta", said)
        state, ending = self._conclude(outcome, transcript)
        if ending is None:
            run_storage.store_round(self.run, state, rounds, costs, events)
        else:
            ending = replace(ending, events=(*events, *ending.events))
            run_storage.end(self.run, ending, transcript, rounds, costs)
        return ProposalResult(rounds, tuple(events), outcome, over=ending is not None)

    def _hindered(self) -> Failure | None:
        """Why a generation ends here: its object, or the right to change it, is gone since the model was asked."""
        if self.run.generation is None:
            return None
        try:
            generation_prompts.about_of(self.run, self.context.member)
        except generation_prompts.Hindered as hindered:
            return hindered.failure
        return None

    def _propose(self, session: Session, answer: Message, call: CheckedCall) -> list[NewEvent]:
        """The events of a call that becomes a proposal."""
        try:
            with transaction.atomic():
                try:
                    return self._proposed(session, answer, call)
                except ChangeRefused as refusal:  # What was noticed of others' changes stays stored.
                    return [self._result_event(call, {"error": str(refusal)})]
        except DatabaseTrouble:
            raise
        except Exception:  # Any: one proposal that breaks keeps no other from being made, and the model is told.
            log.exception("%s could not be proposed", call.name)
            return [self._result_event(call, {"error": f"{call.name} failed unexpectedly. Nothing was proposed."})]

    def _proposed(self, session: Session, answer: Message, call: CheckedCall) -> list[NewEvent]:
        """Proposes what a call asks for. What one that writes names counts as read: why it is refused may quote that.

        Raises `ChangeRefused`.
        """
        member, about = self.context.member, self.context.about
        if call.asks:
            return self._told(call, propose_fetch(member, session, answer, call.id, call.name, call.arguments["url"]))
        if about is not None:
            self.run.read.add(Ref(about.type, about.key))
        *before, last = call.proposals() or (None,)
        if last is None:
            return [self._result_event(call, {"changes": 0, "note": ALREADY_SO})]
        self.run.read.update(actions.named_by([each.action for each in (*before, last)]))
        for each in before:  # Told to who watches the object; the call is answered by the last one.
            self._follow(propose(member, session, answer, about, each).proposal)
        proposed = propose(member, session, answer, about, last)
        self._follow(proposed.proposal)
        return self._told(call, proposed)

    def _told(self, call: CheckedCall, proposed: Proposed) -> list[NewEvent]:
        """The events of a proposal, with the result of its call where nobody has to decide."""
        events = [replace(event, run_id=self.run.id) for event in proposed.events]
        if proposed.proposal.status != ProposalStatus.PENDING:
            events.append(self._result_event(call, decisions.result_of(proposed.proposal)))
        return events

    def _follow(self, proposal: Proposal) -> None:
        """Begins what comes of a generation that was applied at once."""
        if self.run.generation is not None:
            follow_up(proposal)

    def _result_event(self, call: CheckedCall, result: dict[str, Any]) -> NewEvent:
        data = {"toolCallId": call.id, "result": result}
        return NewEvent("tool_call_result", data, self.run.message_id, self.run.id)

    def _outcome(self, round_: Round) -> Outcome:
        if any(call.waits for call in round_.calls):
            return transitions.ValidationRequested()
        unusable = [
            call.refusal or (call.proposes and "proposalId" not in stored.result and stored.result.get("error"))
            for call, stored in zip(self.calls, round_.calls, strict=True)
        ]
        if all(unusable):
            return transitions.ActionFailureOccurred(str(unusable[0]))
        return transitions.ActionsExecuted(self.run.generation is None and open_calls.keeps_control(round_))

    def _conclude(self, outcome: Outcome, transcript: Transcript) -> tuple[State, run_storage.Ending | None]:
        """The next state; the run ends with it if a person is asked or the model is done."""
        step = machine.transition(self.state, outcome, self.limits)
        match step.effect:
            case transitions.AskPerson(waiting):
                return step.state, self.endings.asking(step.state, waiting, transcript)
            case transitions.Rest("finished"):
                return step.state, self.endings.finished(step.state, transcript)
            case _:
                return step.state, None

    def _performed_before(self, answer: Message, *, over: bool) -> ProposalResult:
        """The result that an earlier commit stored, whose answer was lost."""
        round_ = answer.rounds[len(self.rounds)]
        stored = zip(self.calls, round_.calls, strict=True)
        events = [self._result_event(call, before.result) for call, before in stored if call.proposes]
        return ProposalResult(answer.rounds, tuple(events), self._outcome(round_), over)
