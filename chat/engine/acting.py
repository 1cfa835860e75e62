"""A reply with changes, in the database: its calls are proposed and its round is stored in one transaction.

Where that ends the run, because a person has to decide, it ends in that same transaction. So a crash proposes
everything once or nothing, and nobody can decide about an answer that is still on its way.
"""

import logging
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from django.db import Error as DatabaseTrouble
from django.db import transaction

from chat.engine import open_calls, run_storage
from chat.engine.claims import ClaimedRun
from chat.engine.states import State
from chat.engine.steps import ActionFailureOccurred, ActionsExecuted, RunStopped, ValidationRequested
from chat.engine.tool_calls import CheckedCall
from chat.events.transcript import Transcript
from chat.events.vocabulary import NewEvent
from chat.models import Call, Message, ProposalStatus, Round, Run, RunStatus, Session
from chat.prompts import decisions
from chat.prompts.round_messages import round_of
from chat.proposals import propose
from chat.providers.base import Reply
from chat.spending.calls import CallCost
from chat.spending.settling import record
from chat.tools.base import ToolContext
from graphs.workflows.planning import ChangeRefused

log = logging.getLogger("countersign.engine")

Outcome = ActionsExecuted | ActionFailureOccurred | ValidationRequested | RunStopped
#: The next state, and how the run ends where it does.
Conclude = Callable[[Outcome, Transcript], "tuple[State, run_storage.Ending | None]"]


@dataclass(frozen=True, slots=True)
class Acted:
    """What became of a reply: the answer's rounds with it, what readers were told, and whether the run has ended."""

    rounds: list[Round]
    told: tuple[NewEvent, ...]
    outcome: Outcome
    over: bool = False


@dataclass(frozen=True, slots=True)
class Acting:
    """A reply whose reading calls have their results; `rounds` and `transcript` are the answer so far, not touched."""

    run: ClaimedRun
    context: ToolContext
    means: run_storage.Means
    reply: Reply
    calls: Sequence[CheckedCall]
    rounds: list[Round]
    transcript: Transcript

    def perform(self, conclude: Conclude, costs: Sequence[CallCost]) -> Acted:
        """Proposes what writes and stores the round. Does nothing a second time, nor once the run was stopped."""
        with transaction.atomic():
            last = run_storage.hold(self.run)
            answer = Message.objects.get(pk=self.run.message_id)
            run = Run.objects.get(pk=self.run.id)
            if len(answer.rounds) > len(self.rounds):  # the commit had happened, only its answer was lost
                return self._acted_before(answer, over=run.status != RunStatus.RUNNING)
            if run.stop_requested_at is not None:
                record(self.run.account, costs)
                return Acted(self.rounds, (), RunStopped())
            told, transcript = self._propose_all(answer)
            round_ = round_of(self.reply, self._results(transcript))
            rounds = [*self.rounds, round_]
            outcome = self._outcome(round_)
            if isinstance(outcome, ActionsExecuted):
                self._say_afterwards(round_, rounds, told, transcript)
            state, ending = conclude(outcome, transcript)
            if ending is None:
                run_storage.store_round(self.run, state, rounds, costs, told)
            else:
                ending = replace(ending, events=(*told, *ending.events))
                run_storage.end(self.run, ending, transcript, rounds, costs, last)
        return Acted(rounds, tuple(told), outcome, over=ending is not None)

    def _propose_all(self, answer: Message) -> tuple[list[NewEvent], Transcript]:
        """What readers are told of the calls that write, and the answer with it."""
        self.means.note(answer)
        session = Session.objects.select_related("stream", "workspace").get(pk=self.run.session_id)
        told = [event for call in self.calls if call.writes for event in self._propose(session, answer, call)]
        transcript = deepcopy(self.transcript)
        for event in told:
            transcript.add(event.type, event.data)
        return told, transcript

    def _propose(self, session: Session, answer: Message, call: CheckedCall) -> list[NewEvent]:
        try:
            with transaction.atomic():
                proposed = propose(self.context.member, session, answer, self.context.graph, call.write())
        except ChangeRefused as refusal:
            return [self._result(call, {"error": str(refusal)})]
        except DatabaseTrouble:
            raise
        except Exception:  # Any: one proposal that breaks keeps no other from being made, and the model is told.
            log.exception("%s could not be proposed", call.name)
            return [self._result(call, {"error": f"{call.name} failed unexpectedly. Nothing was proposed."})]
        told = [replace(event, run_id=self.run.id) for event in proposed.events]
        if proposed.proposal.status != ProposalStatus.PENDING:
            told.append(self._result(call, decisions.result_of(proposed.proposal)))
        return told

    def _result(self, call: CheckedCall, result: dict[str, Any]) -> NewEvent:
        data = {"toolCallId": call.id, "result": result}
        return NewEvent("tool_call_result", data, self.run.message_id, self.run.id)

    def _results(self, transcript: Transcript) -> list[Call]:
        return [replace(transcript.calls[call.id], arguments=call.arguments) for call in self.reply.tool_calls]

    def _outcome(self, round_: Round) -> Outcome:
        if any(call.waits for call in round_.calls):
            return ValidationRequested()
        unusable = [
            call.refusal or (call.writes and "proposalId" not in stored.result and stored.result["error"])
            for call, stored in zip(self.calls, round_.calls, strict=True)
        ]
        if all(unusable):
            return ActionFailureOccurred(str(unusable[0]))
        return ActionsExecuted(open_calls.keeps_control(round_))

    def _say_afterwards(self, round_: Round, rounds: list[Round], told: list[NewEvent], transcript: Transcript) -> None:
        """The words that the model gave for after a change that was made at once."""
        for text in open_calls.words_after(round_):
            event = NewEvent("content_delta", {"delta": transcript.paragraph(text)}, self.run.message_id, self.run.id)
            rounds.append(Round(text, aside=True))
            told.append(event)
            transcript.add(event.type, event.data)

    def _acted_before(self, answer: Message, *, over: bool) -> Acted:
        """What a commit stored whose answer was lost."""
        round_ = answer.rounds[len(self.rounds)]
        stored = zip(self.calls, round_.calls, strict=True)
        told = [self._result(call, before.result) for call, before in stored if call.writes]
        return Acted(answer.rounds, tuple(told), self._outcome(round_), over)
