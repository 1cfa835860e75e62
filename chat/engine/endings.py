"""How a run comes to rest: what is stored and emitted for each of its ends. `Driver` chooses one and stores it."""

from collections.abc import Sequence
from typing import Literal

from chat.engine import error_texts, machine, transitions
from chat.engine.answer import LiveAnswer
from chat.engine.error_texts import Failure
from chat.engine.model_calls import ModelCalls
from chat.engine.run_storage import Ending
from chat.engine.states import Limits, Phase, State, Waiting
from chat.events.transcript import Transcript
from chat.events.vocabulary import NewEvent
from chat.generation.asked import GenerationState
from chat.models import Message, RunStatus

Reason = Literal["finished", "toolLimit", "waiting", "stopped", "failed"]

_STATUSES = {
    "finished": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "succeeded"),
    "toolLimit": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "waiting"),
    "waiting": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "waiting"),
    "stopped": (Message.Status.STOPPED, RunStatus.CANCELLED, "cancelled"),
    "failed": (Message.Status.FAILED, RunStatus.FAILED, "failed"),
}
_GENERATIONS: dict[str, GenerationState] = {
    "succeeded": "succeeded",
    "waiting": "waiting",
    "cancelled": "cancelled",
    "failed": "failed",
}


class Endings:
    """The ends that one run can come to. A `transcript` that is given is the answer as it will be then."""

    def __init__(self, answer: LiveAnswer, model_calls: ModelCalls, limits: Limits) -> None:
        self._answer = answer
        self._model_calls = model_calls
        self._limits = limits

    def finished(self, state: State, transcript: Transcript) -> Ending:
        """The end after the model's last word, or after its last round of tools, when it could only write."""
        return self._ending(state, "finished", transcript, gave_up=self._model_calls.out_of_rounds)

    def asking(self, state: State, waiting: Waiting, transcript: Transcript) -> Ending:
        """The end when a person has something to answer or to decide."""
        if waiting.waits_for != "tool_limit":
            return self._ending(state, "waiting", transcript)
        data = {"roundsUsed": state.rounds, "maxExtended": self._limits.tool_rounds_extended}
        asked = self._answer.event("tool_limit", data)
        return self._ending(state, "toolLimit", transcript, asked=[asked], gave_up=True)

    async def stopped(self, state: State) -> Ending:
        """The end when a person stopped it, or nobody reads it any more."""
        await self._answer.close_with_what_was_shown()
        return self._ending(self._rested(state, transitions.RunStopped()), "stopped", self._answer.transcript)

    async def failed(self, state: State, failure: Failure | None) -> Ending:
        """The end after a failure; without a `failure` one and the same thing went wrong too often."""
        await self._answer.close_with_what_was_shown()
        failure = failure or Failure("internal", error_texts.SAME_FAILURE, retryable=False, gave_up=True)
        return self._ending(
            self._rested(state, transitions.SystemErrorOccurred()), "failed", self._answer.transcript, failure
        )

    def _rested(self, state: State, event: transitions.RunStopped | transitions.SystemErrorOccurred) -> State:
        """The state after an early end; one that rests already stays as it is, unless all was decided."""
        decided = state.phase is Phase.WAITING_VALIDATION
        try:
            return machine.transition(state, transitions.RunStopped() if decided else event, self._limits).state
        except transitions.IllegalTransition:
            return state

    def _ending(
        self,
        state: State,
        reason: Reason,
        transcript: Transcript,
        failure: Failure | None = None,
        *,
        gave_up: bool = False,
        asked: Sequence[NewEvent] = (),
    ) -> Ending:
        """The ending to store. `asked` is what a person is asked; `gave_up`: the model came to a limit."""
        error = failure.to_json(self._model_calls.tried) if failure else None
        gave_up = gave_up or (failure is not None and failure.gave_up)
        limit = {"gaveUp": True} if gave_up else {}
        message_status, run_status, shown = _STATUSES[reason]
        done = {"reason": reason, "fullText": transcript.text}
        end = self._answer.event("error", error | limit) if error else self._answer.event("done", done | limit)
        told = [self._answer.generation(_GENERATIONS[shown])] if self._answer.generates else []
        return Ending(
            state=state,
            provenance=self._model_calls.provenance,
            outcome="error" if error else reason,
            message_status=message_status,
            run_status=run_status,
            events=(*self._answer.unemitted_costs, *asked, self._answer.event("status", {"state": shown}), *told, end),
            error=error,
            gave_up=gave_up,
        )
