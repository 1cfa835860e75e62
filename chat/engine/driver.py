"""Drives one run: does what the machine asks for and tells it what happened, until the session rests."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import translation
from django.utils.functional import Promise
from psycopg.errors import ProgramLimitExceeded, QueryCanceled, StatementTooComplex

from chat import error_texts, models_available
from chat.database import in_db, in_tool_thread
from chat.engine import calling, machine, records
from chat.engine.answer import Answer
from chat.engine.claims import ClaimedRun
from chat.engine.querying import refuse_all, run_queries
from chat.engine.states import (
    AIResponseParsed,
    AIResponseReceived,
    AskPerson,
    CallModel,
    CommunicationResponseReceived,
    DataQueriesExecuted,
    Effect,
    Enrich,
    EnrichmentsExecuted,
    Event,
    IllegalTransition,
    Limits,
    NetworkErrorOccurred,
    ParseErrorOccurred,
    ParseReply,
    Rest,
    RetryScheduled,
    RunQueries,
    RunStopped,
    ScheduleRetry,
    State,
    Step,
    SystemErrorOccurred,
    UserMessageSent,
)
from chat.events.append import Fenced
from chat.events.vocabulary import NewEvent
from chat.events.writer import GroupWriter
from chat.models import Message, RunStatus
from chat.providers.base import ErrorCode, ProviderConfig, Usage
from chat.providers.registry import ModelUnavailableError
from chat.transcript import Transcript

T = TypeVar("T")

log = logging.getLogger("countersign.engine")

RECONNECT_PAUSE_S = 0.5
_STATUSES = {
    "finished": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "succeeded"),
    "toolLimit": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "waiting"),
    "waiting": (Message.Status.COMPLETE, RunStatus.SUCCEEDED, "waiting"),
    "stopped": (Message.Status.STOPPED, RunStatus.CANCELLED, "cancelled"),
    "failed": (Message.Status.FAILED, RunStatus.FAILED, "failed"),
}
#: A run that was begun so often is not tried again, nor is a statement that was given up so often.
MAX_ATTEMPTS = 3
_GIVEN_UP = (QueryCanceled, ProgramLimitExceeded, StatementTooComplex)


@dataclass(frozen=True, slots=True)
class Failure:
    """What the person is told about a run that failed."""

    code: ErrorCode
    text: str | Promise
    retryable: bool

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": str(self.text), "retryable": self.retryable}


class Driver:
    """One claimed run in this process. `drive` is run as a task; `stop` and `hand_over` end it early."""

    def __init__(self, run: ClaimedRun, writer: GroupWriter) -> None:
        self.run = run
        self._writer = writer
        self._answer = Answer(run, writer, Transcript())
        self._limits = Limits(settings.TOOL_ROUNDS, settings.TOOL_ROUNDS_EXTENDED)
        self._state: State = run.state
        self._config: ProviderConfig | None = None
        self._prompt: records.Prompt | None = None
        self._call: calling.Call | None = None
        self._costs: list[records.CallCost] = []
        self._failure: Failure | None = None
        self._task: asyncio.Task[None] | None = None
        self._ending: Literal["", "stop", "hand over"] = ""
        self._finishing = False

    def start(self) -> asyncio.Task[None]:
        self._task = asyncio.create_task(self.drive(), name=f"run {self.run.id}")
        return self._task

    def stop(self) -> None:
        """Ends the answer where it is; the connection to the vendor is closed."""
        self._interrupt("stop")

    def hand_over(self) -> None:
        """Lets another process take the run, because this one ends."""
        self._interrupt("hand over")

    def _interrupt(self, how: Literal["stop", "hand over"]) -> None:
        if self._task is not None and not self._ending and not self._finishing:
            self._ending = how
            self._task.cancel()

    async def drive(self) -> None:
        """Runs until the session rests. Whatever goes wrong, the run is closed and its person told."""
        with translation.override(self.run.language):
            try:
                await self._drive_interruptibly()
            except Fenced:
                log.warning("run %s was taken over by another process", self.run.id)
            finally:
                self._writer.forget(self.run.stream_id, self.run.epoch)

    async def _drive_interruptibly(self) -> None:
        try:
            await self._follow(await self._first_step())
        except asyncio.CancelledError:
            if not self._ending:
                raise
            await self._end_early()
        except Fenced:
            raise
        except Exception:
            log.exception("run %s failed", self.run.id)
            self._failure = Failure("internal", error_texts.sentence("internal"), retryable=True)
            if self._call is not None and not self._call.noted:
                await self._note_costs()
            await self._close(self._state, "failed")

    async def _first_step(self) -> Step:
        if self.run.resumed:
            self._answer.transcript = await _persistently(partial(in_db, records.shown_so_far, self.run))
        if self.run.stop_requested:
            return Step(self._state, Rest("stopped"))
        if self.run.member is None:
            return self._give_up(Failure("auth_error", error_texts.ACCESS_ENDED, retryable=False))
        if self.run.attempts > MAX_ATTEMPTS or self._answer.shows_more_than_rounds():
            return self._give_up(Failure("server_error", error_texts.PROCESS_DIED, retryable=True))
        if self.run.resumed and self.run.rounds:
            return machine.resume(self._state)
        return machine.transition(self._state, self._trigger(), self._limits)

    def _trigger(self) -> Event:
        if self.run.trigger["event"] == "CommunicationResponseReceived":
            return CommunicationResponseReceived(self.run.trigger["go_on"])
        return UserMessageSent()

    def _give_up(self, failure: Failure) -> Step:
        self._failure = failure
        return Step(self._state, Rest("failed"))

    async def _follow(self, step: Step) -> None:
        """The loop: do what is asked, tell what happened, until the session rests."""
        while step.effect is not None:
            self._state = step.state
            event = await self._perform(step.effect)
            if event is None:
                return
            step = machine.transition(step.state, event, self._limits)
            log.debug("run %s: %s: %s -> %s", self.run.id, type(event).__name__, self._state.phase, step.state.phase)
            if isinstance(event, DataQueriesExecuted | ParseErrorOccurred):
                await self._save(step.state)

    async def _perform(self, effect: Effect) -> Event | None:
        """Does one thing; None when the run is over."""
        match effect:
            case Enrich():
                return await self._enrich()
            case CallModel(tools):
                return await self._ask_model(tools)
            case ParseReply():
                return await self._read_reply()
            case RunQueries():
                return await self._query()
            case ScheduleRetry():
                return RetryScheduled()
            case AskPerson(waiting):
                await self._ask_person(waiting.kind)
                return None
            case Rest(reason):
                await self._close(self._state, reason)
                return None
            case _:
                raise IllegalTransition(f"a chat that only reads asks for no {type(effect).__name__}")

    async def _enrich(self) -> Event:
        try:
            await self._load_prompt()
        except records.ContextGone:
            return self._system_error(Failure("internal", error_texts.CONTEXT_GONE, retryable=False))
        return EnrichmentsExecuted()

    async def _ask_model(self, tools: bool) -> Event:
        assert self.run.member is not None
        try:
            self._config = models_available.configured().resolve(self.run.model or None)
        except ModelUnavailableError:
            return self._system_error(Failure("internal", error_texts.MODEL_UNAVAILABLE, retryable=False))
        try:
            prompt = await self._load_prompt()
        except records.ContextGone:
            return self._system_error(Failure("internal", error_texts.CONTEXT_GONE, retryable=False))
        self._call = calling.prepare(self._config, prompt, self._answer, tools=tools)
        await calling.perform(self._call, self._answer, self.run.member.workspace.pk)
        await self._note_costs()
        error = self._call.error
        if error is None:
            return AIResponseReceived()
        log.warning("run %s: %s: %s", self.run.id, error.code, error.detail)
        self._failure = Failure(error.code, error_texts.sentence_for(error), error.retryable)
        return NetworkErrorOccurred() if error.code == "network" else SystemErrorOccurred()

    async def _load_prompt(self) -> records.Prompt:
        assert self.run.member is not None
        if self._prompt is None:
            load = partial(in_tool_thread, records.load_prompt, self.run, self.run.member)
            self._prompt = await _persistently(load)
        return self._prompt

    async def _note_costs(self) -> None:
        """All are recorded; readers are told of those that cost something."""
        assert self._call is not None
        self._call.noted = True
        costs = self._call.costs()
        self._costs += costs
        for cost in costs:
            if cost.usage != Usage():
                await self._answer.tell("usage", calling.usage_event(cost))

    async def _read_reply(self) -> Event:
        """What a turn that the vendor ended asks for. Cut by length or filter, nothing of it has an effect."""
        assert self._call is not None
        reply = self._call.reply
        match reply.end:
            case "length":
                return self._system_error(Failure("context_length", error_texts.CUT_BY_LENGTH, retryable=False))
            case "content_filter":
                sentence = error_texts.sentence("content_filter")
                return self._system_error(Failure("content_filter", sentence, retryable=False))
        if reply.tool_calls and not self._call.request.tools_allowed:
            await refuse_all(reply.tool_calls, self._answer)
            self._answer.close_round(reply)
            return ParseErrorOccurred("tools called although none were offered")
        if not reply.tool_calls:
            self._answer.close_round(reply)
        return AIResponseParsed(queries=bool(reply.tool_calls))

    async def _query(self) -> Event:
        assert self._call is not None
        assert self._prompt is not None
        reply = self._call.reply
        failure = await run_queries(reply.tool_calls, self._prompt.tool_context, self._answer)
        self._answer.close_round(reply)
        return ParseErrorOccurred(failure) if failure else DataQueriesExecuted()

    def _system_error(self, failure: Failure) -> Event:
        self._failure = failure
        return SystemErrorOccurred()

    async def _save(self, state: State) -> None:
        """The round's events first: whoever takes the run over believes that readers saw what is stored."""
        await self._writer.flush(self.run.stream_id)
        await self._store(records.save_round, self.run, state, list(self._answer.rounds))

    async def _ask_person(self, kind: str) -> None:
        data = {"roundsUsed": self._state.rounds, "maxExtended": self._limits.tool_rounds_extended}
        asked = (self._answer.event("tool_limit", data),) if kind == "tool_limit" else ()
        await self._finish(self._state, "toolLimit" if kind == "tool_limit" else "waiting", asked)

    async def _end_early(self) -> None:
        """Stopped by a person, deserted by its readers, or handed over to another process."""
        if self.run.resumed and self._answer.transcript.empty:
            self._answer.transcript = await _persistently(partial(in_db, records.shown_so_far, self.run))
        if self._call is not None and not self._call.noted:
            await self._note_costs()
        if self._ending == "hand over" and not self._answer.shows_more_than_rounds():
            await self._writer.flush(self.run.stream_id)
            await self._store(records.give_back, self.run)
        elif self._ending == "hand over":
            self._failure = Failure("server_error", error_texts.PROCESS_DIED, retryable=True)
            await self._close(self._state, "failed")
        else:
            await self._close(self._state, "stopped")

    async def _close(self, state: State, reason: str) -> None:
        """The end of the run: finished, stopped, or failed with `self._failure`."""
        if reason != "finished":
            await self._answer.close_open_calls()
            self._answer.close_with_what_was_shown()
            event = RunStopped() if reason == "stopped" else SystemErrorOccurred()
            state = _rested(state, event, self._limits)
        if reason == "failed" and self._failure is None:
            self._failure = Failure("internal", error_texts.SAME_FAILURE, retryable=False)
        await self._finish(state, reason)

    async def _finish(self, state: State, reason: str, asked: tuple[NewEvent, ...] = ()) -> None:
        self._finishing = True
        failure = self._failure.to_json() if reason == "failed" and self._failure else None
        message_status, run_status, shown = _STATUSES[reason]
        done = {"reason": reason, "fullText": self._answer.transcript.text}
        ending = records.Ending(
            state=state,
            outcome="error" if failure else reason,
            message_status=message_status,
            run_status=run_status,
            events=(
                *asked,
                self._answer.event("status", {"state": shown}),
                self._answer.event("error", failure) if failure else self._answer.event("done", done),
            ),
            error=failure,
        )
        await self._writer.flush(self.run.stream_id)
        answer = self._answer
        await self._store(records.finish, self.run, ending, answer.transcript, list(answer.rounds), self._config)

    async def _store(self, write: Callable[..., None], *args: Any) -> None:
        """A write that takes the costs which are not stored yet with it."""
        costs = tuple(self._costs)

        async def store() -> None:
            await in_db(write, *args, costs)
            del self._costs[: len(costs)]

        await _persistently(store)


def _rested(state: State, event: Event, limits: Limits) -> State:
    """The state after the run ended early; one that rests already stays as it is."""
    try:
        return machine.transition(state, event, limits).state
    except IllegalTransition:
        return state


async def _persistently(work: Callable[[], Awaitable[T]]) -> T:
    """Work that is finished even when the run is stopped meanwhile, and repeated while PostgreSQL is away.

    What PostgreSQL gave up on (a statement that took too long, one beyond its limits) is not repeated for ever.
    """
    given_up = 0
    while True:
        task = asyncio.ensure_future(work())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.gather(task, return_exceptions=True)
            raise
        except (OperationalError, InterfaceError) as error:
            given_up += isinstance(error.__cause__, _GIVEN_UP)
            if given_up == MAX_ATTEMPTS:
                raise
            log.warning("database unreachable, trying again: %s", type(error.__cause__ or error).__name__)
            await asyncio.sleep(RECONNECT_PAUSE_S)
