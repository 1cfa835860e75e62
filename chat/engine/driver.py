"""Drives one run: does what the machine asks for and reports what happened to it, until the session rests."""

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeVar

from django.conf import settings
from django.utils import translation

from chat.concurrency.database import Threads, in_db, in_tool_thread
from chat.engine import error_texts, machine, run_storage, telemetry, transitions
from chat.engine.acting import ProposalRound
from chat.engine.answer import LiveAnswer
from chat.engine.claims import ClaimedRun, StopReason
from chat.engine.endings import Endings
from chat.engine.error_texts import Failure
from chat.engine.generating import tell_end, tell_progress
from chat.engine.model_calls import ModelCalls
from chat.engine.prompt_loading import MOST_SEARCHES
from chat.engine.states import Limits, State
from chat.engine.tool_calls import (
    NO_MORE_ROUNDS,
    CheckedCall,
    check_calls,
    failure_of,
    refuse_all,
    run_calls,
    with_asking,
)
from chat.engine.transitions import IllegalTransition, Transition
from chat.events.append import Fenced
from chat.events.transcript import Transcript
from chat.events.vocabulary import NewEvent
from chat.events.writer import GroupWriter
from chat.generation.replies import wrong_with
from chat.providers.pieces import Reply

log = logging.getLogger("countersign.engine")

Stored = TypeVar("Stored")

#: A run that was begun so often is not tried again.
MAX_ATTEMPTS = 3
#: Of a generation what was wrong goes back once, and nobody is asked whether it may go on.
OF_GENERATIONS = Limits(tool_rounds=MOST_SEARCHES + 2, tool_rounds_extended=MOST_SEARCHES + 2, same_failures=2)


class Driver:
    """One claimed run in this process. `drive` is run as a task, which `stop` ends early."""

    def __init__(self, run: ClaimedRun, writer: GroupWriter) -> None:
        self.run = run
        self._writer = writer
        self._answer = LiveAnswer(run, writer, Transcript())
        self._limits = Limits(settings.TOOL_ROUNDS, settings.TOOL_ROUNDS_EXTENDED)
        if run.generation is not None:
            self._limits = OF_GENERATIONS
        self._state: State = run.state
        self._model_calls = ModelCalls(run, self._answer)
        self._endings = Endings(self._answer, self._model_calls, self._limits)
        self._calls: list[CheckedCall] = []
        self._failure: Failure | None = None
        self.task: asyncio.Task[None] | None = None
        self._why: StopReason | Literal["", "process ends"] = ""
        self._finishing = False
        #: Of the answer, what the writer had not begun to store as it ended.
        self._rest: list[NewEvent] = []
        self._over = False
        self._outcome: str | None = None
        #: Whether another run of the conversation may wait for this one's end.
        self.awaited = True

    def stop(self, why: StopReason | Literal["process ends"]) -> None:
        """Ends the answer where it is, and the connection to the vendor. As its process ends, another takes the run."""
        if self.task is not None and not self._why and not self._finishing:
            self._why = why
            self.task.cancel()

    async def drive(self) -> None:
        """Runs until the session rests. Whatever goes wrong, the run is closed and its person is informed."""
        with translation.override(self.run.language), telemetry.of_run(self.run) as span:
            try:
                try:
                    await self._follow(await self._first_step())
                except asyncio.CancelledError:
                    if not self._why:
                        raise
                    await self._end_early()
                except Fenced:
                    raise
                except Exception:  # Any: nobody else is left to tell the person.
                    log.exception("run %s failed", self.run.id)
                    self._failure = Failure("internal", error_texts.sentence("internal"), retryable=True)
                    await self._model_calls.add_costs()
                    await self._close("failed")
                if self.run.generation is not None:
                    await in_db(_tell_of_end, self.run.id, self.run.generation.parent)
            except Fenced:  # Also while it is ended.
                log.warning("run %s was taken over by another process", self.run.id)
                span.note("taken over")
            finally:
                span.note(
                    self._outcome,
                    rounds=len(self._answer.rounds),
                    answer_length=len(self._answer.transcript.text),
                    **self._model_calls.lengths,
                )
                self._writer.forget(self.run.stream_id, self.run.epoch)

    async def _first_step(self) -> Transition:
        if self.run.resumed:
            self._answer.transcript = await in_db.until_done(run_storage.shown_so_far, self.run)
            await self._model_calls.add_crashed_costs()
            if self.run.generation is not None:  # Written anew: readers hear that it runs, and begin again.
                self._answer.transcript = Transcript()
        if self.run.stop_requested:
            return Transition(self._state, transitions.Rest("stopped"))
        if self.run.member is None:
            return self._give_up(Failure("forbidden", error_texts.ACCESS_ENDED, retryable=False))
        if self.run.attempts > MAX_ATTEMPTS or self._answer.shows_more_than_rounds():
            return self._give_up(Failure("server_error", error_texts.PROCESS_DIED, retryable=True))
        if self.run.resumed and not all(round_.aside for round_ in self.run.rounds):
            return machine.resume(self._state)
        await self._answer.say_aside()
        trigger: transitions.Event
        match self.run.trigger["event"]:
            case "CommunicationResponseReceived":
                trigger = transitions.CommunicationResponseReceived(self.run.trigger["go_on"])
            case "ValidationReceived":
                trigger = transitions.ValidationReceived(self.run.trigger["keep_control"])
            case _:
                trigger = transitions.UserMessageSent()
        return machine.transition(self._state, trigger, self._limits)

    def _give_up(self, failure: Failure) -> Transition:
        self._failure = failure
        return Transition(self._state, transitions.Rest("failed"))

    async def _follow(self, step: Transition) -> None:
        """Does what the machine asks for and reports what happened to it, until the session rests."""
        while step.effect is not None:
            self._state = step.state
            event = await self._perform(step.effect)
            if event is None:
                return
            step = machine.transition(step.state, event, self._limits)
            log.debug("run %s: %s: %s -> %s", self.run.id, type(event).__name__, self._state.phase, step.state.phase)
            if isinstance(event, transitions.DataQueriesExecuted | transitions.ParseErrorOccurred):
                # After its events: a process that takes the run over believes that readers saw the round.
                await self._answer.flush()
                await self._store_with_costs(run_storage.save_round, self.run, step.state, list(self._answer.rounds))

    async def _perform(self, effect: transitions.Effect) -> transitions.Event | None:
        """Does one thing; None when the run is over."""
        match effect:
            case transitions.Enrich():
                self._failure = await self._model_calls.enrich()
                return transitions.SystemErrorOccurred() if self._failure else transitions.EnrichmentsExecuted()
            case transitions.CallModel(tools):
                self._failure = await self._model_calls.ask(tools)
                if self._failure is None:
                    return transitions.AIResponseReceived()
                if self._failure.code == "network":
                    return transitions.NetworkErrorOccurred()
                return transitions.SystemErrorOccurred()
            case transitions.ParseReply():
                return await self._read_reply()
            case transitions.RunQueries():
                await run_calls(self._calls, self._model_calls.prompt.tool_context, self._answer)
                await self._answer.close_round(self._model_calls.last.reply)
                unusable = failure_of(self._calls)
                return transitions.ParseErrorOccurred(unusable) if unusable else transitions.DataQueriesExecuted()
            case transitions.RunActions():
                return await self._act()
            case transitions.ScheduleRetry():
                return transitions.RetryScheduled()
            case transitions.AskPerson(waiting):
                await self._finish(self._endings.asking(self._state, waiting, self._answer.transcript))
                return None
            case transitions.Rest(reason):
                await self._close(reason)
                return None
            case _:
                raise IllegalTransition(f"a chat asks for no {type(effect).__name__}")

    async def _read_reply(self) -> transitions.Event:
        """What a complete reply asks for. A reply that was cut by length or filter has no effect."""
        call = self._model_calls.last
        reply = call.reply
        if self.run.generation is not None and (wrong := wrong_with(reply, self._model_calls.prompt.form)):
            return await self._form_refused(reply, wrong)
        match reply.end:
            case "length":
                self._failure = error_texts.cut_by_length()
                return transitions.SystemErrorOccurred()
            case "content_filter":
                self._failure = error_texts.filtered()
                return transitions.SystemErrorOccurred()
        if reply.tool_calls and not call.request.tools_allowed:
            await refuse_all(reply.tool_calls, self._answer, NO_MORE_ROUNDS)
            await self._answer.close_round(reply)
            return transitions.ParseErrorOccurred("tools called although none were offered")
        if not reply.tool_calls:
            await self._answer.close_round(reply)
        offered, loadable = (
            [tool.name for tool in each] for each in (call.request.tools, self._model_calls.prompt.more_tools)
        )
        checked = check_calls(reply.tool_calls, offered, loadable, self._model_calls.prompt.own_tools)
        self._calls = await with_asking(checked, self._model_calls.prompt.tool_context)
        proposes = any(call.proposes for call in self._calls)
        return transitions.AIResponseParsed(queries=bool(self._calls), actions=proposes)

    async def _form_refused(self, reply: Reply, wrong: str) -> transitions.Event:
        """Keeps what a model wrote instead of one form, and tells it what is wrong; a filtered one asks no more."""
        await refuse_all(reply.tool_calls, self._answer, {"error": wrong})
        await self._answer.close_round(reply)
        if reply.end == "content_filter":
            self._failure = error_texts.filtered()
            return transitions.SystemErrorOccurred()
        if reply.end == "length":  # Told if this was the second time; asked again, nothing failed yet.
            self._failure = error_texts.cut_by_length()
        return transitions.ParseErrorOccurred(wrong)

    async def _act(self) -> transitions.Event | None:
        """Proposes what the reply wants to change; None when the run came to rest with that."""
        context = self._model_calls.prompt.tool_context
        await run_calls(self._calls, context, self._answer)
        await self._answer.flush()
        proposing = ProposalRound(
            run=self.run,
            context=context,
            provenance=self._model_calls.provenance,
            reply=self._model_calls.last.reply,
            calls=tuple(self._calls),
            rounds=list(self._answer.rounds),
            transcript=self._answer.transcript,
            state=self._state,
            limits=self._limits,
            endings=self._endings,
        )
        try:
            await self._store_with_costs(proposing.perform, threads=in_tool_thread)
        finally:  # Also if the run is stopped meanwhile: what is stored then has happened.
            if (result := proposing.result) is not None:
                self._answer.take_round(result.rounds, result.events)
                telemetry.proposed(result.events)
                self._over, self._failure = result.over, result.failure
                if result.over:
                    waits = isinstance(result.outcome, transitions.ValidationRequested)
                    self._outcome = "waiting" if waits else "finished"
        assert result is not None
        return None if result.over else result.outcome

    async def _end_early(self) -> None:
        """Ends a run that was stopped by a person, deserted by its readers, or handed over to another process."""
        if self._over:
            return
        if self.run.resumed and self._answer.transcript.empty:
            self._answer.transcript = await in_db.until_done(run_storage.shown_so_far, self.run)
        await self._model_calls.add_costs()
        if self._why == "deserted":
            telemetry.deserted(self._answer.transcript)
        begins_anew = self.run.generation is not None or not self._answer.shows_more_than_rounds()
        if self._why == "process ends" and begins_anew:
            await self._answer.flush()
            await self._store_with_costs(run_storage.give_back, self.run)
            self._outcome = "handed over"
        elif self._why == "process ends":
            self._failure = Failure("server_error", error_texts.PROCESS_DIED, retryable=True)
            await self._close("failed")
        else:
            await self._close("stopped")

    async def _close(self, reason: Literal["finished", "stopped", "failed"]) -> None:
        """Ends the run without asking anybody anything; "failed" takes its reason from `self._failure`."""
        match reason:
            case "finished":
                end = self._endings.finished(self._state, self._answer.transcript)
            case "stopped":
                end = await self._endings.stopped(self._state)
            case "failed":
                if self._failure is None and self.run.generation is not None:
                    self._failure = Failure("internal", error_texts.UNUSABLE_OUTPUT, retryable=True, gave_up=True)
                end = await self._endings.failed(self._state, self._failure)
        await self._finish(end)

    async def _finish(self, end: run_storage.Ending) -> None:
        self._finishing = True
        self._outcome = end.error["code"] if end.error else end.outcome
        self._rest += await self._writer.take_rest(self.run.stream_id)
        end = replace(end, events=(*self._rest, *end.events))
        self.awaited = await self._store_with_costs(
            run_storage.finish, self.run, end, self._answer.transcript, list(self._answer.rounds)
        )

    async def _store_with_costs(self, write: Callable[..., Stored], *args: Any, threads: Threads = in_db) -> Stored:
        """Calls `write` with the costs which are not stored yet, so that one transaction stores both."""
        costs = tuple(self._model_calls.unstored)

        def write_and_forget_costs() -> Stored:
            stored = write(*args, costs)
            del self._model_calls.unstored[: len(costs)]
            return stored

        return await threads.until_done(write_and_forget_costs)


def _tell_of_end(run_id: uuid.UUID, parent: uuid.UUID | None) -> None:
    """Tells the pages of its object how far a generation is, and who asked that it is over."""
    tell_progress(run_id, parent)
    tell_end(run_id, parent)
